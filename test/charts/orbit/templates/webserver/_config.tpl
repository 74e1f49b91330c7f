{{- define "orbit.webserverConfig" -}}
bind_address: "0.0.0.0:{{ .Values.webserver.service.httpPort | int }}"
grpc_bind_address: "0.0.0.0:{{ .Values.webserver.service.grpcPort | int }}"
nats:
  {{- include "orbit.nats" . | nindent 2 }}
graph:
  {{- $graph := .Values.clickhouse.graph }}
  {{- include "orbit.clickhouse" (merge (dict "user" $graph.readUser) $graph) | nindent 2 }}
gitlab:
  {{- include "orbit.gitlab" . | nindent 2 }}
{{- if .Values.tls.enabled }}
tls:
  cert_path: /etc/orbit/tls/tls.crt
  key_path: /etc/orbit/tls/tls.key
{{- end }}
metrics:
  {{- include "orbit.metrics" (dict "root" . "logLevel" .Values.webserver.logLevel) | nindent 2 }}
analytics:
  {{- include "orbit.analytics" . | nindent 2 }}
billing:
  enabled: {{ .Values.billing.enabled }}
  {{- if .Values.billing.enabled }}
  collector_url: {{ required "billing.collector_url is required while billing.enabled is true" .Values.billing.collector_url | quote }}
  {{- end }}
{{- end }}
