{{- define "siphon.pod" -}}
{{- $values := .root.Values }}
{{- $deployment := .deployment }}
{{- $split := eq $deployment.configMode "split" }}
{{- $image := mergeOverwrite (deepCopy $values.image) ($deployment.image | default dict) }}
{{- $tag := required "image.tag is required: the chart has no application version" $image.tag }}
metadata:
  labels:
    app: {{ .name }}
    {{- with .labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if $split }}
  annotations:
    checksum/config: {{ toYaml (list $values.siphonConnectionConfigMap.data $values.siphonLayoutConfigMap.data) | sha256sum }}
  {{- end }}
spec:
  serviceAccountName: {{ .name }}-sa
  automountServiceAccountToken: false
  [%- if since "1.18.0" %]
  {{- with $deployment.priorityClassName | default $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  [%- end %]
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
  {{- if and $split $values.waitForMigrations.enabled }}
  initContainers:
    - name: wait-for-migrations
      image: {{ required "waitForMigrations.image is required while waitForMigrations.enabled is true" $values.waitForMigrations.image }}
  {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ printf "%s:%s" $image.repository $tag }}
      imagePullPolicy: {{ $image.pullPolicy }}
      {{- with $deployment.command }}
      command:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if or $deployment.args $split }}
      args:
        {{- if $deployment.args }}
        {{- toYaml $deployment.args | nindent 8 }}
        {{- else }}
        - {{ $deployment.split.role }}
        - --connection=/etc/siphon/connection/connection.yaml
        - --layout=/etc/siphon/layout/layout.yaml
        - --tables={{ $values.tables.mountPath }}
        {{- end }}
      {{- end }}
      {{- include "siphon.env" $deployment | nindent 6 }}
      ports:
        - name: metrics
          containerPort: {{ ($deployment.metrics | default dict).port | default $values.metrics.port | int }}
      readinessProbe:
        httpGet:
          path: /metrics
          port: metrics
      resources:
        {{- toYaml ($deployment.resources | default $values.resources) | nindent 8 }}
      volumeMounts:
        {{- if $split }}
        - {name: siphon-connection, mountPath: /etc/siphon/connection}
        - {name: siphon-layout, mountPath: /etc/siphon/layout}
        - {name: siphon-tables, mountPath: {{ $values.tables.mountPath }}, readOnly: true}
        {{- else }}
        - {name: config, mountPath: /etc/siphon/config}
        {{- end }}
        {{- if $deployment.natsClientCertsSecretName }}
        - {name: nats-certs, mountPath: /etc/ssl/certs/custom, readOnly: true}
        {{- end }}
        {{- with $deployment.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- include "siphon.volumes" . | nindent 4 }}
  {{- range $key, $value := mergeOverwrite (deepCopy $values.podSpec) ($deployment.podSpec | default dict) }}
  {{- with $value }}
  {{ $key }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end }}

{{- define "siphon.env" -}}
{{- if or .env .envFromSecrets }}
env:
  {{- range .env }}
  - name: {{ .name }}
    value: {{ .value | quote }}
  {{- end }}
  {{- range .envFromSecrets }}
  - name: {{ .name }}
    valueFrom:
      secretKeyRef:
        name: {{ .secretName }}
        key: {{ .secretKey }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "siphon.volumes" -}}
{{- if eq .deployment.configMode "split" }}
- name: siphon-connection
  configMap:
    name: {{ .root.Values.siphonConnectionConfigMap.name }}
- name: siphon-layout
  configMap:
    name: {{ .root.Values.siphonLayoutConfigMap.name }}
- name: siphon-tables
  image:
    reference: {{ include "siphon.tablesImage" .root }}
    pullPolicy: {{ .root.Values.tables.image.pullPolicy }}
{{- else }}
- name: config
  configMap:
    name: {{ .name }}-config
{{- end }}
{{- with .deployment.natsClientCertsSecretName }}
- name: nats-certs
  secret:
    secretName: {{ . }}
{{- end }}
{{- with .deployment.volumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
