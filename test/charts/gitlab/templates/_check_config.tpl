{{/*
What no schema can say. All findings are gathered, so that one failed render names them all.
*/}}
{{- define "gitlab.checkConfig" -}}
{{- $found := list -}}
{{- $found = append $found (include "gitlab.check.objectStorage" .) -}}
{{- $found = append $found (include "gitlab.check.sharedSecrets" .) -}}
{{- $found = append $found (include "gitlab.check.knowledgeGraph" .) -}}
{{- $found = append $found (include "gitlab.check.gatewayKeys" .) -}}
{{- $found = without $found "" -}}
{{- if $found -}}
{{- fail (printf "\nCONFIGURATION CHECKS:\n%s" (join "\n" $found)) -}}
{{- end -}}
{{- end -}}

{{- define "gitlab.check.objectStorage" -}}
{{- $config := .Values.global.appConfig -}}
{{- $store := $config.object_store -}}
{{- if and $store.enabled (not $store.connection) }}
object storage: global.appConfig.object_store is enabled, so the connection property can not be empty
{{- end -}}
{{- if not $store.enabled -}}
{{- $bare := list -}}
{{- range $name := list "artifacts" "lfs" "uploads" "packages" -}}
{{- $one := index $config $name -}}
{{- if and $one.enabled (not $one.connection) -}}
{{- $bare = append $bare $name -}}
{{- end -}}
{{- end -}}
{{- if $bare }}
object storage: for {{ join ", " $bare }} the connection property can not be empty: name a Secret with the connection in global.appConfig.object_store, or one of its own for each
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gitlab.check.sharedSecrets" -}}
{{- $provider := index .Values "shared-secrets" "provider" -}}
{{- if not (has $provider (list "job" "controller")) }}
shared secrets: shared-secrets.provider must be "job" or "controller", found {{ $provider | quote }}
{{- end -}}
{{- end -}}

{{- define "gitlab.check.knowledgeGraph" -}}
[%- if since "10.4.0" %]
{{- if and .Values.global.appConfig.orbit.enabled .Values.global.appConfig.knowledgeGraph.enabled }}
orbit: global.appConfig.knowledgeGraph was replaced by global.appConfig.orbit and cannot be enabled beside it
{{- end -}}
[%- end %]
{{- end -}}

{{/* Keys that moved are refused because they are there, whatever they hold. */}}
{{- define "gitlab.check.gatewayKeys" -}}
[%- if since "10.4.0" %]
{{- range $old, $new := dict "class" "class.name" "envoyProxySpec" "envoy.proxy" -}}
{{- if hasKey $.Values.global.gatewayApi $old }}
gateway: global.gatewayApi.{{ $old }} has moved to gatewayApiResources.{{ $new }}
{{- end -}}
{{- end -}}
[%- end %]
{{- end -}}
