{{/* Names, labels, and the environment that nodes and the migration share. */}}

{{- define "waymark.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "waymark.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "waymark.labels" -}}
{{ include "waymark.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "waymark.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "waymark.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "waymark.image" -}}
{{- $repository := required "image.repository: the registry and name of the image that you built" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Each node opens DATABASE_CONNECTIONS and 4 more (src/settings/database-settings.ts). One node more is there during a rolling
upgrade, and the migration before it. */}}
{{- define "waymark.requireConnections" -}}
{{- $nodes := ternary .Values.autoscaling.maxReplicas .Values.replicas .Values.autoscaling.enabled | int -}}
{{- $each := add (int .Values.database.connections) 4 -}}
{{- $all := mul (add $nodes 1) $each -}}
{{- if gt $all (int64 .Values.database.maxConnections) -}}
{{- fail (printf "%d nodes and one more may open %d connections to PostgreSQL, %d each, but database.maxConnections is %d: lower database.connections or the number of replicas, or raise max_connections of PostgreSQL and then database.maxConnections" $nodes $all $each (int .Values.database.maxConnections)) -}}
{{- end -}}
{{- end -}}

{{- define "waymark.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "waymark.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end -}}

{{- define "waymark.environment" -}}
- name: PUBLIC_URL
  value: {{ required "publicUrl: where people reach the service" .Values.publicUrl | quote }}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "database.existingSecret: a secret that holds DATABASE_URL" .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
- name: DATABASE_CONNECTIONS
  value: {{ .Values.database.connections | quote }}
- name: BLOB_URL
  value: {{ required "blobs.url: s3://bucket?endpoint=…" .Values.blobs.url | quote }}
- name: SECRET_FILE
  value: /run/secrets/waymark/secret
- name: DATA_DIR
  value: /data
- name: TRUST_PROXY
  value: {{ .Values.trustProxy | quote }}
- name: METRICS_ALLOW
  value: {{ .Values.metricsAllow | quote }}
- name: STOP_GRACE
  value: {{ .Values.stopGraceSeconds | quote }}
{{- if .Values.blobs.existingSecret }}
- name: AWS_ACCESS_KEY_ID
  valueFrom:
    secretKeyRef:
      name: {{ .Values.blobs.existingSecret }}
      key: AWS_ACCESS_KEY_ID
- name: AWS_SECRET_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.blobs.existingSecret }}
      key: AWS_SECRET_ACCESS_KEY
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  {{- /* Helm would print a number from a million on as 1e+06. */}}
  value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "waymark.mounts" -}}
- name: scratch
  mountPath: /data
- name: tmp
  mountPath: /tmp
- name: secret
  mountPath: /run/secrets/waymark
  readOnly: true
{{- end -}}

{{- define "waymark.volumes" -}}
- name: scratch
  emptyDir:
    sizeLimit: {{ .Values.scratch.sizeLimit }}
- name: tmp
  emptyDir:
    sizeLimit: 512Mi
- name: secret
  secret:
    secretName: {{ required "secret.existingSecret: a secret that holds Waymark's own" .Values.secret.existingSecret }}
    # fsGroup makes it readable only for the group of the server.
    defaultMode: 0400
    items:
      - key: {{ .Values.secret.key }}
        path: secret
{{- end -}}
