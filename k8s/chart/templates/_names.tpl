{{/* What stands before the names of a second installation in a namespace. */}}
{{- define "agp.prefix" -}}
{{- if ne .Values.instance "agp" }}{{ .Values.instance }}-{{ end }}
{{- end }}

{{/* An image, by its own name: (list . "proxy"). */}}
{{- define "agp.image" -}}
{{- $root := index . 0 }}{{ $name := index . 1 -}}
{{ $root.Values.image.repository }}/{{ $name }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}
{{- with index $root.Values.image.digests $name }}@{{ . }}{{ end }}
{{- end }}

{{/* A Secret by the folder that `npm run secrets` makes it of: (list . "proxy"). */}}
{{- define "agp.secretName" -}}
{{- $root := index . 0 }}{{ $folder := index . 1 }}{{ $v := $root.Values }}
{{- $named := dict "proxy" $v.proxy.existingSecret "writer" $v.writer.existingSecret "management" $v.management.existingSecret "migrator" $v.migrate.existingSecret "admin" $v.createRoles.existingSecret "provider-keys" $v.proxy.existingProviderKeys "proxy-tls" $v.ingress.existingSecret "management-tls" $v.management.ingress.existingSecret }}
{{- index $named $folder | default (printf "%s-%s" $v.instance $folder) }}
{{- end }}

{{/* The data of a ConfigMap as JSON, with what the values add to it: (list . "proxy"). */}}
{{- define "agp.configData" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}{{ $v := $root.Values }}
{{- $data := include (printf "agp.data.%s" $name) $root | fromYaml }}
{{- $added := index (dict "proxy" $v.proxy.config "proxy-files" $v.proxy.files "writer" $v.writer.config "management" $v.management.config) $name }}
{{- range $key, $value := $added }}
{{- $isWhole := and (kindIs "float64" $value) (eq (floor $value) $value) }}
{{- $_ := set $data $key (ternary (int64 $value | toString) (toString $value) $isWhole) }}
{{- end }}
{{- toJson $data }}
{{- end }}

{{/* Its name, which ends in a hash of its data as kustomize makes it, so that a change of configuration rolls the pods. */}}
{{- define "agp.configMapName" -}}
{{- $root := index . 0 }}{{ $name := printf "%s%s" (include "agp.prefix" $root) (index . 1) }}
{{- $hash := dict "kind" "ConfigMap" "name" "" "data" (include "agp.configData" . | fromJson) | toJson | sha256sum | trunc 10 }}
{{- $hash = $hash | replace "0" "g" | replace "1" "h" | replace "3" "k" | replace "a" "m" | replace "e" "t" }}
{{- printf "%s-%s" $name $hash }}
{{- end }}
