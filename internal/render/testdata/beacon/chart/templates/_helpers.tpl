{{- define "beacon.name" -}}
{{ .Release.Name }}-beacon
{{- end -}}
{{- define "beacon.check" -}}
{{- if eq .Values.mode "broken" }}
{{- fail (printf "\nCONFIGURATION CHECKS:\n\nmode:\n    %s is no mode of a beacon.   \n    Choose steady or blinking.\n" .Values.mode) }}
{{- end }}
{{- end -}}
