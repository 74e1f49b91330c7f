{{- define "orbit.clickhouse" -}}
url: {{ printf "%s://%s:%v" (.ssl | ternary "https" "http") .host .httpPort }}
database: {{ .database | quote }}
username: {{ .user | quote }}
{{- end }}

{{- define "orbit.nats" -}}
url: {{ .Values.nats.url | quote }}
stream_name: {{ required "nats.streamName is required" .Values.nats.streamName | quote }}
{{- if .Values.nats.tls.enabled }}
tls_ca_cert_path: /etc/orbit/nats/ca.pem
tls_cert_path: /etc/orbit/nats/client.pem
tls_key_path: /etc/orbit/nats/client-key.pem
{{- end }}
{{- end }}

{{- define "orbit.gitlab" -}}
base_url: {{ .Values.gitlab.baseUrl | quote }}
{{- with .Values.gitlab.resolveHost }}
resolve_host: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "orbit.analytics" -}}
enabled: {{ .Values.analytics.enabled }}
{{- if .Values.analytics.enabled }}
collector_url: {{ required "analytics.collector_url is required while analytics.enabled is true" .Values.analytics.collector_url | quote }}
deployment:
  {{- toYaml .Values.analytics.deployment | nindent 2 }}
{{- end }}
{{- end }}

{{- define "orbit.metrics" -}}
log_level: {{ .logLevel | quote }}
prometheus:
  enabled: {{ .root.Values.metrics.prometheus.enabled }}
  port: {{ .root.Values.metrics.prometheus.port | int }}
{{- end }}

{{/* A ConfigMap with one file. Call with (dict "root" $ "component" name "name" object "text" config), "pool" as above. */}}
{{- define "orbit.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .name }}-config
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "orbit.labels" . | nindent 4 }}
data:
  default.yaml: |
    {{- .text | nindent 4 }}
{{- end }}
