{{/* Names, labels and images: what more than one template needs. */}}

{{- define "toolsearch.name" -}}
{{- default .Chart.Name .Values.nameOverride -}}
{{- end -}}

{{/*
The name of the release's objects: a DNS label of at most 52 characters, so that suffixes fit. What
has to be cut or holds a dot gets a hash, so that two releases never end up with one name.
*/}}
{{- define "toolsearch.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := include "toolsearch.name" . -}}
{{- /* Only a release of the chart's very name goes without the suffix: another one that merely ends in it would meet the release of its beginning. */ -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (eq $name .Release.Name) -}}
{{- if or (gt (len $full) 52) (contains "." $full) (regexMatch "^[0-9]" $full) -}}
{{- $label := regexReplaceAll "^[0-9]" (replace "." "-" $full) "r" -}}
{{- printf "%s-%s" ($label | trunc 43 | trimSuffix "-") (sha256sum $full | trunc 8) -}}
{{- else -}}
{{- $full -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "toolsearch.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end -}}

{{/* Cluster-scoped names, and names in watched namespaces: no namespace holds a dot, so no two pairs meet. */}}
{{- define "toolsearch.clusterName" -}}
{{- printf "%s.%s" (include "toolsearch.fullname" .) (include "toolsearch.namespace" .) -}}
{{- end -}}

{{/* The name of an object in a namespace that may be shared: (dict "context" $ "namespace" … "suffix" …). */}}
{{- define "toolsearch.nameIn" -}}
{{- $own := eq .namespace (include "toolsearch.namespace" .context) -}}
{{- include (ternary "toolsearch.fullname" "toolsearch.clusterName" $own) .context }}{{ .suffix }}
{{- end -}}

{{- define "toolsearch.serviceAccountName" -}}
{{- default (include "toolsearch.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "toolsearch.leaseName" -}}
{{- default (include "toolsearch.fullname" .) .Values.leaderElection.leaseName -}}
{{- end -}}

{{- define "toolsearch.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Selectors are immutable: these two and never another. */}}
{{- define "toolsearch.selectorLabels" -}}
app.kubernetes.io/name: {{ include "toolsearch.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{/* Labels of one object; a user's labels give way to the chart's own. */}}
{{- define "toolsearch.labels" -}}
{{- $own := dict
  "helm.sh/chart" (include "toolsearch.chart" .)
  "app.kubernetes.io/name" (include "toolsearch.name" .)
  "app.kubernetes.io/instance" (.Release.Name | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/version" (.Chart.AppVersion | replace "+" "_" | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/component" "operator"
  "app.kubernetes.io/part-of" "toolsearch"
  "app.kubernetes.io/managed-by" .Release.Service
-}}
{{- toYaml (mergeOverwrite (deepCopy .Values.commonLabels) $own) -}}
{{- end -}}

{{/*
The head of an object: (dict "context" $ "name" … "namespace" … "labels" … "annotations" …). Without
"namespace" it is the operator's; with an empty one there is none. "labels" give way to the chart's
own, "override" wins over them.
*/}}
{{- define "toolsearch.metadata" -}}
{{- $labels := mergeOverwrite (deepCopy (default dict .labels)) (include "toolsearch.labels" .context | fromYaml) (default dict .override) -}}
{{- $annotations := mergeOverwrite (deepCopy .context.Values.commonAnnotations) (default dict .annotations) -}}
metadata:
  name: {{ .name }}
  {{- if not (hasKey . "namespace") }}
  namespace: {{ include "toolsearch.namespace" .context }}
  {{- else if .namespace }}
  namespace: {{ .namespace }}
  {{- end }}
  labels:
    {{- toYaml $labels | nindent 4 }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* registry/repository:tag@digest of (dict "context" $ "registry" … "repository" … "tag" … "digest" …). */}}
{{- define "toolsearch.reference" -}}
{{- $registry := default .registry .context.Values.global.imageRegistry -}}
{{- with $registry }}{{ . }}/{{ end -}}
{{- .repository -}}:{{ .tag }}
{{- with .digest }}@{{ . }}{{ end -}}
{{- end -}}

{{- define "toolsearch.image" -}}
{{- $image := .Values.image -}}
{{- include "toolsearch.reference" (dict "context" . "registry" $image.registry "repository" $image.repository "tag" (default .Chart.AppVersion $image.tag) "digest" $image.digest) -}}
{{- end -}}

{{/* The proxies' image: another repository brings its own tag and digest, the same one shares them. */}}
{{- define "toolsearch.proxyImage" -}}
{{- $image := .Values.image -}}
{{- $proxy := .Values.proxyImage -}}
{{- $same := not (or $proxy.repository $proxy.tag $proxy.digest) -}}
{{- include "toolsearch.reference" (dict
  "context" .
  "registry" (default $image.registry $proxy.registry)
  "repository" (default $image.repository $proxy.repository)
  "tag" ($proxy.tag | default (ternary $image.tag "" $same) | default .Chart.AppVersion)
  "digest" ($proxy.digest | default (ternary $image.digest "" $same))
) -}}
{{- end -}}

{{/* Names of pull secrets, comma-separated, each once: a list of lists of names or of objects. */}}
{{- define "toolsearch.secretNames" -}}
{{- $names := list -}}
{{- range . -}}
{{- range . -}}
{{- if kindIs "map" . -}}
{{- $names = append $names .name -}}
{{- else -}}
{{- $names = append $names . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $names | uniq | join "," -}}
{{- end -}}

{{- define "toolsearch.operatorPullSecrets" -}}
{{- include "toolsearch.secretNames" (list .Values.global.imagePullSecrets .Values.imagePullSecrets) -}}
{{- end -}}

{{- define "toolsearch.proxyPullSecrets" -}}
{{- include "toolsearch.secretNames" (list .Values.global.imagePullSecrets (default .Values.imagePullSecrets .Values.proxyImage.pullSecrets)) -}}
{{- end -}}

{{/* imagePullSecrets of a pod of the chart. */}}
{{- define "toolsearch.podPullSecrets" -}}
{{- with include "toolsearch.operatorPullSecrets" . }}
imagePullSecrets:
  {{- range splitList "," . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Rules on what belongs to a ToolSearchProxy: granted in the cluster, or in each watched namespace. */}}
{{- define "toolsearch.rules" -}}
- apiGroups: [toolsearch.dev]
  resources: [toolsearchproxies]
  verbs: [list, watch]
- apiGroups: [toolsearch.dev]
  resources: [toolsearchproxies/status]
  verbs: [patch]
# Owner references that block deletion need it where OwnerReferencesPermissionEnforcement is on.
- apiGroups: [toolsearch.dev]
  resources: [toolsearchproxies/finalizers]
  verbs: [update]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get, list, watch, create, patch, delete]
# ConfigMaps: copies of certificates that upstream.caBundle names, and those named ones themselves.
- apiGroups: [""]
  resources: [services, serviceaccounts, configmaps]
  verbs: [get, list, watch, create, patch, delete]
# Only those that a ToolSearchProxy names, read one by one.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get]
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get]
# What an init container says when it fails.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [monitoring.coreos.com]
  resources: [servicemonitors]
  verbs: [get, list, create, patch, delete]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}
