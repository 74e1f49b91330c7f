{{/* "true" while the Envoy extension objects are wanted: configureEnvoy, or installEnvoy while that is null. */}}
{{- define "gitlab.gateway.configureEnvoy" -}}
{{- $g := .Values.global.gatewayApi -}}
{{- if kindIs "invalid" $g.configureEnvoy }}{{ $g.installEnvoy }}{{ else }}{{ $g.configureEnvoy }}{{ end -}}
{{- end -}}

[%- if since "10.4.0" %]

{{/* "true" while this release brings its GatewayClass: class.enabled, or configureEnvoy while that is null. */}}
{{- define "gitlab.gateway.classEnabled" -}}
{{- $enabled := .Values.gatewayApiResources.class.enabled -}}
{{- if kindIs "invalid" $enabled }}{{ include "gitlab.gateway.configureEnvoy" . }}{{ else }}{{ $enabled }}{{ end -}}
{{- end -}}

{{- define "gitlab.gateway.className" -}}
{{- .Values.gatewayApiResources.class.name -}}
{{- end -}}
[%- else %]

{{- define "gitlab.gateway.className" -}}
{{- .Values.global.gatewayApi.class -}}
{{- end -}}
[%- end %]

{{/* "true" while this release brings the Gateway its routes bind to. */}}
{{- define "gitlab.gateway.managed" -}}
{{- and .Values.global.gatewayApi.enabled (not .Values.global.gatewayApi.gatewayRef.name) -}}
{{- end -}}

{{/* The Gateway a route binds to, as a list of one entry; the caller adds the section. */}}
{{- define "gitlab.gateway.parentRef" -}}
{{- $ref := .Values.global.gatewayApi.gatewayRef -}}
- name: {{ $ref.name | default (printf "%s-gw" (include "gitlab.release" .)) }}
  {{- with $ref.namespace }}
  namespace: {{ . }}
  {{- end }}
{{- end -}}
