{{/* Made by "npm run generate" of k8s/base, overlays/production and components: change these. */ -}}
{{- define "agp.data.maintain" }}
DATABASE_URL_FILE: "/run/secrets/agp/database-url"
RETENTION_DAYS: {{ .Values.retention.days | int64 | quote }}
{{- if .Values.privateCa.enabled }}
NODE_EXTRA_CA_CERTS: "/etc/agp-ca/ca.crt"
{{- end }}
{{- end }}
{{- define "agp.data.management" }}
{{- if .Values.ingress.host }}
CONSOLE_PROXY_ADDRESS: "https://{{ .Values.ingress.host }}"
{{- end }}
DATABASE_URL_FILE: "/run/secrets/agp/database-url"
DRAIN_DELAY_SECONDS: "10"
MANAGEMENT_API_KEY_FILE: "/run/secrets/agp/management-api-key"
NATS_URL_FILE: "/run/secrets/agp/nats-url"
PROVIDERS_FILE: "/etc/agp/providers.json"
REDIS_URL_FILE: "/run/secrets/agp/redis-url"
SHUTDOWN_GRACE_SECONDS: "10"
TRUST_PROXY: "1"
{{- if .Values.privateCa.enabled }}
NATS_CA_FILE: "/etc/agp-ca/ca.crt"
NODE_EXTRA_CA_CERTS: "/etc/agp-ca/ca.crt"
REDIS_CA_FILE: "/etc/agp-ca/ca.crt"
{{- end }}
{{- end }}
{{- define "agp.data.proxy" }}
AGENT_IDENTITY: "token"
DATABASE_URL_FILE: "/run/secrets/agp/database-url"
DRAIN_DELAY_SECONDS: "10"
MAX_BUFFERED_BYTES: "268435456"
NATS_URL_FILE: "/run/secrets/agp/nats-url"
PROVIDERS_FILE: "/etc/agp/providers.json"
REDIS_URL_FILE: "/run/secrets/agp/redis-url"
SHUTDOWN_GRACE_SECONDS: "300"
{{- if .Values.inClusterAgents.enabled }}
TRUST_PROXY: "0"
{{- else }}
TRUST_PROXY: "1"
{{- end }}
{{- if .Values.privateCa.enabled }}
NATS_CA_FILE: "/etc/agp-ca/ca.crt"
NODE_EXTRA_CA_CERTS: "/etc/agp-ca/ca.crt"
REDIS_CA_FILE: "/etc/agp-ca/ca.crt"
{{- end }}
{{- if .Values.tracing.enabled }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .Values.tracing.endpoint | quote }}
{{- end }}
{{- end }}
{{- define "agp.data.proxy-files" }}
providers.json: "[]\n"
{{- end }}
{{- define "agp.data.writer" }}
DATABASE_URL_FILE: "/run/secrets/agp/database-url"
EVENT_STREAM_REPLICAS: "3"
NATS_URL_FILE: "/run/secrets/agp/nats-url"
REDIS_URL_FILE: "/run/secrets/agp/redis-url"
SHUTDOWN_GRACE_SECONDS: "20"
{{- if .Values.privateCa.enabled }}
NATS_CA_FILE: "/etc/agp-ca/ca.crt"
NODE_EXTRA_CA_CERTS: "/etc/agp-ca/ca.crt"
REDIS_CA_FILE: "/etc/agp-ca/ca.crt"
{{- end }}
{{- end }}
{{- define "agp.data.egress-proxy" }}
HTTP_PROXY: {{ .Values.egressProxy.url | quote }}
HTTPS_PROXY: {{ .Values.egressProxy.url | quote }}
NO_PROXY: {{ .Values.egressProxy.noProxy | quote }}
{{- end }}
