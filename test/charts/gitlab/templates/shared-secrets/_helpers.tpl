{{- define "shared-secrets.serviceAccount" -}}
{{- index .Values "shared-secrets" "serviceAccount" "name" | default (printf "%s-shared-secrets" .Release.Name) -}}
{{- end -}}

{{/* "true" while secrets are made by the Job. */}}
{{- define "shared-secrets.byJob" -}}
{{- $own := index .Values "shared-secrets" -}}
{{- and $own.enabled (eq $own.provider "job") -}}
{{- end -}}
