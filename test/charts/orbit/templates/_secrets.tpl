{{/* The place of a credential below /etc/orbit/secrets. */}}
{{- define "orbit.secretPath" -}}
{{- get (dict
  "gitlabJwtVerifyingKey" "jwt/verifying_key"
  "gitlabJwtSigningKey" "jwt/signing_key"
  "datalakePassword" "datalake/password"
  "graphPassword" "graph/password"
  "graphReadPassword" "graph/read_password"
  "quotaApiToken" "billing/token") . }}
{{- end }}

{{/* One volume for each credential, so that a pod mounts the keys it reads and no other.
Call with (dict "root" $ "keys" list). */}}
{{- define "orbit.secretVolumes" -}}
{{- range $key := .keys }}
{{- $ref := index $.root.Values.secrets.perKey $key }}
- name: {{ kebabcase $key }}
  secret:
    secretName: {{ required (printf "secrets.perKey.%s.secretName is required" $key) $ref.secretName }}
    items:
      - key: {{ $ref.key | default (index $.root.Values.secrets.keys $key) }}
        path: {{ base (include "orbit.secretPath" $key) }}
{{- end }}
{{- with .root.Values.nats.tls }}
{{- if .enabled }}
- name: nats-tls
  secret:
    secretName: {{ required "nats.tls.existingSecret is required while nats.tls.enabled is true" .existingSecret }}
    items:
      - {key: {{ .keys.caCert }}, path: ca.pem}
      - {key: {{ .keys.clientCert }}, path: client.pem}
      - {key: {{ .keys.clientKey }}, path: client-key.pem}
{{- end }}
{{- end }}
{{- end }}

{{- define "orbit.secretMounts" -}}
{{- range $key := .keys }}
- name: {{ kebabcase $key }}
  mountPath: /etc/orbit/secrets/{{ include "orbit.secretPath" $key }}
  subPath: {{ base (include "orbit.secretPath" $key) }}
  readOnly: true
{{- end }}
{{- if .root.Values.nats.tls.enabled }}
- {name: nats-tls, mountPath: /etc/orbit/nats, readOnly: true}
{{- end }}
{{- end }}
