{{- define "shared-secrets.serviceAccount" -}}
{{- index .Values "shared-secrets" "serviceAccount" "name" | default (printf "%s-shared-secrets" .Release.Name) -}}
{{- end -}}

{{/* "true" while secrets are made by the Job. Before 10.5 nothing else makes them, whatever the provider says. */}}
{{- define "shared-secrets.byJob" -}}
{{- $own := index .Values "shared-secrets" -}}
[%- if before "10.5.0" %]
{{- $own.enabled -}}
[%- else %]
{{- and $own.enabled (eq $own.provider "job") -}}
[%- end %]
{{- end -}}
