{{/* The Job of this component: a dict with root, suffix, args, and the labels of the Job and its pods. */}}
{{- define "migrations.job" -}}
{{- $root := .root -}}
{{- with $root -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "gitlab.fullname" . | trunc 45 | trimSuffix "-" }}-{{ $.suffix }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "gitlab.labels" . | nindent 4 }}
    {{- with $.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    {{- with .Values.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  backoffLimit: {{ .Values.backoffLimit }}
  activeDeadlineSeconds: {{ .Values.activeDeadlineSeconds }}
  ttlSecondsAfterFinished: {{ .Values.ttlSecondsAfterFinished }}
  template:
    metadata:
      labels:
        {{- include "gitlab.selector" . | nindent 8 }}
        {{- with $.labels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      restartPolicy: OnFailure
      containers:
        - name: migrations
          image: {{ include "gitlab.image" (dict "root" . "name" "toolbox") }}
          args: {{ toJson $.args }}
          env:
            {{- include "gitlab.env" . | nindent 12 }}
          volumeMounts:
            - name: init-secrets
              mountPath: /etc/gitlab/secrets
              readOnly: true
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
      volumes:
        {{- include "gitlab.secretsVolume" . | nindent 8 }}
{{- end -}}
{{- end -}}
