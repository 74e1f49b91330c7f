{{- define "openbao.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "gitlab.fullname" .) -}}
{{- end -}}

{{- define "openbao.unsealSecret" -}}
{{- printf "%s-unseal" (include "gitlab.fullname" .) -}}
{{- end -}}
