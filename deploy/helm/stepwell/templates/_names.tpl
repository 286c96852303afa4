{{- define "stepwell.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "stepwell.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains (include "stepwell.name" .) .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "stepwell.name" .) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "stepwell.selector" -}}
app.kubernetes.io/name: {{ include "stepwell.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "stepwell.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "stepwell.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- /* The name of the secret with credentials; empty where the server makes its own. */ -}}
{{- define "stepwell.secret" -}}
{{- if .Values.credentials.existingSecret -}}
{{- if .Values.credentials.values -}}
{{- fail "credentials.existingSecret and credentials.values are given: use one of them" -}}
{{- end -}}
{{- .Values.credentials.existingSecret -}}
{{- else if .Values.credentials.values -}}
{{- include "stepwell.fullname" . -}}
{{- end -}}
{{- end -}}

{{- /* A claim of the stateful set: (dict "name" "data" "claim" .Values.persistence). */ -}}
{{- define "stepwell.claim" -}}
- metadata:
    name: {{ .name }}
    {{- with .claim.annotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    accessModes: [ReadWriteOnce]
    {{- if .claim.storageClass }}
    storageClassName: {{ .claim.storageClass | quote }}
    {{- end }}
    resources:
      requests:
        storage: {{ .claim.size | quote }}
{{- end -}}
