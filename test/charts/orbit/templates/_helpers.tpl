{{- define "orbit.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* <release>-orbit, or the release alone when it ends that way. Cut before anything is put behind it. */}}
{{- define "orbit.fullname" -}}
{{- $name := include "orbit.name" . }}
{{- $full := hasSuffix $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default $full | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of a pool's workload, cut again: two long names that begin alike become one.
Call with (dict "root" $ "pool" key). */}}
{{- define "orbit.poolName" -}}
{{- printf "%s-indexer-%s" (include "orbit.fullname" .root) .pool | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Call with (dict "root" $ "component" name), and "pool" for an indexer. */}}
{{- define "orbit.selector" -}}
app.kubernetes.io/name: {{ include "orbit.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .pool }}
orbit.example.com/pool: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "orbit.labels" -}}
{{ include "orbit.selector" . }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ include "orbit.tag" .root | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "orbit.tag" -}}
{{- .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "orbit.image" -}}
{{- printf "%s:%s" .Values.image.repository (include "orbit.tag" .) }}
{{- end }}

{{- define "orbit.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "orbit.fullname" .) }}
{{- end }}

{{/* A pool with the defaults of all pools below it, as YAML. Call with (dict "root" $ "pool" map). */}}
{{- define "orbit.pool" -}}
{{- $defaults := omit (deepCopy .root.Values.indexer) "pools" "enabled" }}
{{- $pool := mergeOverwrite $defaults (deepCopy (.pool | default dict)) }}
{{- $_ := set $pool "enabled" (ne (toString (.pool | default dict).enabled) "false") }}
{{- toYaml $pool }}
{{- end }}

{{/* Exactly one threshold; the smaller number of pods that may go wins. */}}
{{- define "orbit.threshold" -}}
{{- if .minAvailable -}}
minAvailable: {{ .minAvailable }}
{{- else -}}
maxUnavailable: {{ .maxUnavailable }}
{{- end }}
{{- end }}

{{/* Whether monitoring objects are rendered: "true" or nothing. */}}
{{- define "orbit.monitored" -}}
[%- if since "4.1.0" %]
{{- if and .Values.metrics.prometheus.enabled (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") }}true{{ end }}
[%- end %]
[%- if before "4.1.0" %]
{{- if .Values.metrics.prometheus.enabled }}true{{ end }}
[%- end %]
{{- end }}

{{- define "orbit.podMonitor" -}}
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "orbit.labels" . | nindent 4 }}
spec:
  selector:
    matchLabels:
      {{- include "orbit.selector" . | nindent 6 }}
  podMetricsEndpoints:
    - port: metrics
  {{- with .root.Values.metrics.prometheus.podTargetLabels }}
  podTargetLabels:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
