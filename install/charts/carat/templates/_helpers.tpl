{{/* Beginning of every name. */}}
{{- define "carat.name" -}}
{{- if contains "carat" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-carat" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* Labels by which pods of a part are found: list of root and part. They can never change. */}}
{{- define "carat.selector" -}}
app.kubernetes.io/name: carat-{{ index . 1 }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
{{- end }}

{{- define "carat.labels" -}}
{{ include "carat.selector" . }}
app.kubernetes.io/part-of: carat
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{/* Variables of a container: list of root, the chart's own variables, which config may replace, and names of secrets. */}}
{{- define "carat.env" -}}
{{- $values := (index . 0).Values -}}
{{- range $name, $value := merge (dict) $values.config $values.env (index . 1) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name := index . 2 }}
{{- with get $values.secrets $name }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ .name }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- end }}

{{/* Fields that the pods of all parts have: list of root and the values of the part. */}}
{{- define "carat.pod" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
serviceAccountName: {{ $root.Values.serviceAccountName }}
automountServiceAccountToken: false
# The variables of a Service "carat-api" would be taken for Carat's own.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $part.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $part.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $part.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Replicas of a part go to different machines where they can: list of root and part. */}}
{{- define "carat.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "carat.selector" . | nindent 8 }}
{{- end }}

{{/* Fields that all containers have: list of root and the values of the part. */}}
{{- define "carat.container" -}}
{{- $root := index . 0 -}}
image: {{ printf "%s:%s" $root.Values.image.repository (default $root.Chart.AppVersion $root.Values.image.tag) | quote }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
resources:
  {{- toYaml (index . 1).resources | nindent 2 }}
{{- end }}

{{/* Files of api and worker. */}}
{{- define "carat.mounts" -}}
- name: tmp
  mountPath: /tmp
{{- if .Values.temporalFiles }}
- name: temporal
  mountPath: /temporal
  readOnly: true
{{- end }}
{{- end }}

{{- define "carat.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 256Mi
{{- with .Values.temporalFiles }}
- name: temporal
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end }}
