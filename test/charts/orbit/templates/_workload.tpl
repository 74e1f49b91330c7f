{{/* A Deployment. Call with (dict "root" $ "component" name "name" object "settings" map "keys" credentials "ports" map),
"replicas" unless something else owns the number, and "pool" for an indexer. */}}
{{- define "orbit.workload" -}}
{{- $values := .root.Values }}
{{- $tls := and (eq .component "webserver") $values.tls.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "orbit.labels" . | nindent 4 }}
  {{- with $values.deploymentAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if hasKey . "replicas" }}
  replicas: {{ .replicas | int }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "orbit.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "orbit.selector" . | nindent 8 }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/config: {{ .text | sha256sum }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "orbit.serviceAccount" .root }}
      automountServiceAccountToken: false
      {{- with $values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext: {runAsNonRoot: true, runAsUser: 65532, fsGroup: 65532}
      containers:
        - name: orbit-{{ .component }}
          image: {{ include "orbit.image" .root }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          args: ["--mode={{ .component }}"]
          ports:
            {{- range $name, $port := .ports }}
            - {name: {{ $name }}, containerPort: {{ int $port }}}
            {{- end }}
            {{- if $values.metrics.prometheus.enabled }}
            - {name: metrics, containerPort: {{ int $values.metrics.prometheus.port }}}
            {{- end }}
          volumeMounts:
            - {name: config, mountPath: /etc/orbit/config, readOnly: true}
            {{- if $tls }}
            - {name: tls, mountPath: /etc/orbit/tls, readOnly: true}
            {{- end }}
            {{- include "orbit.secretMounts" . | nindent 12 }}
          resources:
            {{- toYaml .settings.resources | nindent 12 }}
      volumes:
        - name: config
          configMap:
            name: {{ .name }}-config
        {{- if $tls }}
        - name: tls
          secret:
            secretName: {{ required "tls.existingSecret is required while tls.enabled is true" $values.tls.existingSecret }}
            defaultMode: 0440
        {{- end }}
        {{- include "orbit.secretVolumes" . | nindent 8 }}
      {{- range $field := list "nodeSelector" "tolerations" "affinity" }}
      {{- with index $.settings $field }}
      {{ $field }}:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
{{- end }}

{{/* A PodDisruptionBudget. Call as orbit.workload. */}}
{{- define "orbit.pdb" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "orbit.labels" . | nindent 4 }}
spec:
  {{- include "orbit.threshold" .settings.pdb | nindent 2 }}
  selector:
    matchLabels:
      {{- include "orbit.selector" . | nindent 6 }}
{{- end }}
