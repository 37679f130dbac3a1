{{/* All that is missing or contradicts itself in the values, at once; `npm run check:deploy -- VALUES` finds more. */}}
{{- define "agp.faults" -}}
{{- $v := .Values }}{{ $faults := list }}
{{- $way := or $v.ingress.enabled $v.gateway.enabled }}
{{- $own := or $v.management.ingress.enabled $v.management.gateway.enabled }}
{{- $needed := dict "image.repository" $v.image.repository }}
{{- range $name := list "postgres" "nats" "redis" }}
{{- $server := index $v $name }}
{{- $_ := set $needed (printf "%s.network" $name) (or $server.network $server.extraPeers) }}
{{- end }}
{{- if $way }}{{ $_ := set $needed "ingress.host" $v.ingress.host }}{{ end }}
{{- if $v.ingress.enabled }}{{ $_ := set $needed "ingress.className" $v.ingress.className }}{{ end }}
{{- if $own }}{{ $_ := set $needed "management.ingress.host" $v.management.ingress.host }}{{ end }}
{{- if $v.management.ingress.enabled }}{{ $_ := set $needed "management.ingress.className" $v.management.ingress.className }}{{ end }}
{{- if $v.keda.enabled }}{{ $_ := set $needed "keda.natsMonitoring" $v.keda.natsMonitoring }}{{ end }}
{{- if $v.egressProxy.enabled }}{{ $_ := set $needed "egressProxy.url" $v.egressProxy.url }}{{ $_ := set $needed "egressProxy.network" $v.egressProxy.network }}{{ end }}
{{- range $name, $value := $needed }}
{{- if not $value }}{{ $faults = append $faults (printf "%s: is not set" $name) }}{{ end }}
{{- end }}
{{- if and $v.ingress.enabled $v.gateway.enabled }}{{ $faults = append $faults "ingress.enabled, gateway.enabled: one of the two" }}{{ end }}
{{- if and $v.management.ingress.enabled $v.management.gateway.enabled }}{{ $faults = append $faults "management.ingress.enabled, management.gateway.enabled: one of the two" }}{{ end }}
{{- if and $v.inClusterAgents.enabled $way (not (contains "/" (toString $v.proxy.config.TRUST_PROXY))) }}{{ $faults = append $faults "proxy.config.TRUST_PROXY: with inClusterAgents beside an ingress it must be the networks of the controller's pods" }}{{ end }}
{{- if and (eq $v.retention.requiredBy "eu-ai-act") (gt (int64 $v.retention.days) 0) (lt (int64 $v.retention.days) 183) }}{{ $faults = append $faults "retention.days: eu-ai-act asks for 183 days at least" }}{{ end }}
{{- if $faults }}{{ fail (printf "\n%s" (join "\n" $faults)) }}{{ end }}
{{- end }}
