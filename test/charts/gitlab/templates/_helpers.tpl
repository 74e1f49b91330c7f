{{/* Labels of every object of a component. */}}
{{- define "gitlab.labels" -}}
app: {{ .Chart.Name }}
chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
release: {{ .Release.Name }}
heritage: {{ .Release.Service }}
{{- with .Values.global.common.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gitlab.selector" -}}
app: {{ .Chart.Name }}
release: {{ .Release.Name }}
{{- end -}}

{{/* The release's part of a name, short enough that no suffix makes the name of a Job, Service or StatefulSet too long. */}}
{{- define "gitlab.release" -}}
{{- .Release.Name | trunc 36 | trimSuffix "-" -}}
{{- end -}}

{{- define "gitlab.fullname" -}}
{{- printf "%s-%s" (include "gitlab.release" .) .Chart.Name -}}
{{- end -}}

{{/* The GitLab version without its leading v. */}}
{{- define "gitlab.version" -}}
{{- coalesce .Values.global.gitlabVersion .Chart.AppVersion | trimPrefix "v" -}}
{{- end -}}

{{/* An image: a dict with root and name. */}}
{{- define "gitlab.image" -}}
{{- $v := .root.Values.global -}}
{{- printf "%s/%s-%s:v%s" $v.image.registry .name $v.edition (include "gitlab.version" .root) | quote -}}
{{- end -}}

{{/* The name of an outside service: a dict with root and name (gitlab, registry, kas). */}}
{{- define "gitlab.host" -}}
{{- $hosts := .root.Values.global.hosts -}}
{{- $own := dig .name "name" "" $hosts -}}
{{- $suffix := ternary (printf "-%s" ($hosts.hostSuffix | default "")) "" (not (empty $hosts.hostSuffix)) -}}
{{- $own | default (printf "%s%s.%s" .name $suffix $hosts.domain) -}}
{{- end -}}

{{/*
The end of a Job's name. A Job cannot be changed, so whatever could change its pods changes its name:
chart version, application version and every value of the component, the globals among them.
*/}}
{{- define "gitlab.jobSuffix" -}}
{{- printf "%s/%s/%s" .Chart.Version .Chart.AppVersion (toYaml .Values) | sha256sum | trunc 7 -}}
{{- end -}}

{{/* Environment entries every Rails component shares. */}}
{{- define "gitlab.env" -}}
- name: GITLAB_HOST
  value: {{ include "gitlab.host" (dict "root" . "name" "gitlab") | quote }}
- name: GITALY_FEATURE_DEFAULT_ON
  value: null
{{- range $key, $value := merge dict (.Values.extraEnv | default dict) .Values.global.extraEnv }}
- name: {{ $key }}
  value: {{ $value | quote }}
{{- end }}
{{- with .Values.global.extraEnvTpl }}
{{ tpl . $ }}
{{- end }}
{{- end -}}

{{/* The volume with the credentials every Rails component reads. */}}
{{- define "gitlab.secretsVolume" -}}
- name: init-secrets
  projected:
    defaultMode: 0400
    sources:
      - secret:
          name: {{ include "gitlab.psql.secret" . }}
          items:
            - key: {{ .Values.global.psql.password.key | default "postgresql-password" }}
              path: postgres/psql-password
      {{- if .Values.global.redis.auth.enabled }}
      - secret:
          name: {{ .Values.global.redis.auth.secret | default (printf "%s-redis-secret" .Release.Name) }}
          items:
            - key: {{ .Values.global.redis.auth.key | default "secret" }}
              path: redis/redis-password
      {{- end }}
      - secret:
          name: {{ include "gitlab.release" . }}-rails-secret
          optional: true
      {{- with .Values.global.appConfig.object_store }}
      {{- if .enabled }}
      - secret:
          name: {{ .connection.secret }}
          items:
            - key: {{ .connection.key | default "connection" }}
              path: objectstorage/object_store
      {{- end }}
      {{- end }}
      {{- with .Values.global.gitlab.license.secret }}
      - secret:
          name: {{ . }}
          items:
            - key: {{ $.Values.global.gitlab.license.key }}
              path: license/Gitlab.gitlab-license
      {{- end }}
      {{- range .Values.global.certificates.customCAs }}
      - {{ ternary "secret" "configMap" (hasKey . "secret") }}:
          name: {{ coalesce .secret .configMap }}
      {{- end }}
{{- end -}}

{{- define "gitlab.psql.host" -}}
{{- .Values.global.psql.host | default (printf "%s-postgresql.%s.svc" .Release.Name .Release.Namespace) -}}
{{- end -}}

{{- define "gitlab.psql.secret" -}}
{{- .Values.global.psql.password.secret | default (printf "%s-postgresql-password" .Release.Name) -}}
{{- end -}}

{{- define "gitlab.redis.host" -}}
{{- .Values.global.redis.host | default (printf "%s-redis-master.%s.svc" .Release.Name .Release.Namespace) -}}
{{- end -}}

{{/* The first of two API versions the cluster serves; the second where it serves neither. */}}
{{- define "gitlab.apiVersion" -}}
{{- ternary .first .second (.root.Capabilities.APIVersions.Has .first) -}}
{{- end -}}
