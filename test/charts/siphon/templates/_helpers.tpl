{{/* Labels of an object; it belongs to a deployment when one is given. Call with (dict "root" $ "name" key). */}}
{{- define "siphon.labels" -}}
{{- with .name }}
app: {{ . }}
{{- end }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{/* Writes what follows from other values into .Values.deployments, once for each render: the profile of a deployment
below its own values, and the long form of its tables. Every template that ranges over the deployments calls it. */}}
{{- define "siphon.prepareDeployments" -}}
{{- if not .Values._deploymentsPrepared }}
{{- range $name, $given := .Values.deployments }}
{{- $deployment := $given }}
{{- with $given.profile }}
{{- if not (hasKey $.Values.deploymentProfiles .) }}
{{- fail (printf "deployments.%s.profile: there is no deploymentProfiles.%s" $name .) }}
{{- end }}
{{- $deployment = mergeOverwrite (deepCopy (index $.Values.deploymentProfiles .)) $given }}
{{- end }}
{{- if $deployment.enabled }}
{{- $_ := set $deployment "configMode" ($deployment.configMode | default $.Values.configMode) }}
{{- include "siphon.check" (dict "root" $ "name" $name "deployment" $deployment) }}
{{- end }}
{{- if and $deployment.appConfig (hasKey ($deployment.appConfig | default dict) "table_mapping") }}
{{- $tables := list }}
{{- range $deployment.appConfig.table_mapping }}
{{- $tables = append $tables (kindIs "string" . | ternary (dict "table" . "schema" "public" "subject" .) .) }}
{{- end }}
{{- $_ := set $deployment.appConfig "table_mapping" $tables }}
{{- end }}
{{- $_ := set $.Values.deployments $name $deployment }}
{{- end }}
{{- $_ := set .Values "_deploymentsPrepared" true }}
{{- end }}
{{- end }}

{{/* Fails over what the schema cannot say of an enabled deployment. */}}
{{- define "siphon.check" -}}
{{- $split := .deployment.split | default dict }}
{{- if eq .deployment.configMode "split" }}
{{- $_ := required (printf "deployments.%s.split.role is required in split mode" .name) $split.role }}
{{- $_ := required "global.gitlabVersion is required in split mode" .root.Values.global.gitlabVersion }}
{{- if not (and .root.Values.siphonConnectionConfigMap.create .root.Values.siphonLayoutConfigMap.create) }}
{{- fail "split mode needs siphonConnectionConfigMap.create and siphonLayoutConfigMap.create" }}
{{- end }}
{{- else if not (and .deployment.mode .deployment.appConfig) }}
{{- fail (printf "deployments.%s needs mode and appConfig in bundled mode" .name) }}
{{- end }}
{{- end }}

{{/* The configuration of a bundled deployment, the defaults below the sections it has. */}}
{{- define "siphon.bundledConfig" -}}
{{- $config := dict }}
{{- range $section, $value := .deployment.appConfig }}
{{- $default := index ($.root.Values.appConfigDefaults | default dict) $section }}
{{- if and (kindIs "map" $value) (kindIs "map" $default) }}
{{- $value = mergeOverwrite (deepCopy $default) $value }}
{{- end }}
{{- $_ := set $config $section $value }}
{{- end }}
{{- if eq .deployment.mode "combined" }}
{{- toYaml $config }}
{{- else }}
{{- toYaml (dict (printf "%ss" .deployment.mode) (list $config)) }}
{{- end }}
{{- end }}

{{/* The image the list of tables comes from. */}}
{{- define "siphon.tablesImage" -}}
{{- with .Values.tables.image }}
{{- .reference | default (printf "%s:%s" .repository (.tag | default $.Values.global.gitlabVersion)) }}
{{- end }}
{{- end }}
