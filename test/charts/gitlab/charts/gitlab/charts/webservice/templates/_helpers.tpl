{{- define "webservice.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "gitlab.fullname" .) -}}
{{- end -}}
