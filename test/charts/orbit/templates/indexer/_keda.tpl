{{/* Nothing on a cluster without KEDA, although the number of replicas is left to it. */}}
{{- define "orbit.scaledObject" -}}
{{- if not .root.Values.healthCheck.enabled }}
{{- fail (printf "indexer.pools.%s: keda.enabled needs healthCheck.enabled, which serves the numbers it scales by" .pool) }}
{{- end }}
{{- if .root.Capabilities.APIVersions.Has "keda.sh/v1alpha1" }}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "orbit.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    name: {{ .name }}
  minReplicaCount: {{ .settings.keda.minReplicaCount | int }}
  maxReplicaCount: {{ .settings.keda.maxReplicaCount | int }}
  triggers:
    - type: metrics-api
      metadata:
        url: http://{{ include "orbit.fullname" .root }}-health-check.{{ .root.Release.Namespace }}.svc:{{ .root.Values.healthCheck.port | int }}{{ .settings.keda.trigger.path }}
        valueLocation: {{ .settings.keda.trigger.valueLocation | quote }}
        targetValue: {{ .settings.keda.trigger.targetValue | quote }}
{{- end }}
{{- end }}
