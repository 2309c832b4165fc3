"""Who may do what? The operator's rights, exactly."""

import helm

WRITTEN = ["get", "list", "watch", "create", "patch", "delete"]
# What is granted, as a table to read. That the operator's code uses all of it and nothing else is
# the unit test p1_ of operator/src/controller/tests/rights.rs, which reads the rendered role.
NEEDED = {
    ("toolsearch.dev", "toolsearchproxies"): ["list", "watch"],
    ("toolsearch.dev", "toolsearchproxies/status"): ["patch"],
    ("toolsearch.dev", "toolsearchproxies/finalizers"): ["update"],
    ("apps", "deployments"): WRITTEN,
    ("", "services"): WRITTEN,
    ("", "serviceaccounts"): WRITTEN,
    ("", "configmaps"): WRITTEN,
    ("", "secrets"): ["get"],
    ("", "persistentvolumeclaims"): ["get"],
    ("", "pods"): ["list", "watch"],
    ("autoscaling", "horizontalpodautoscalers"): WRITTEN,
    ("policy", "poddisruptionbudgets"): WRITTEN,
    ("networking.k8s.io", "networkpolicies"): WRITTEN,
    ("monitoring.coreos.com", "servicemonitors"): ["get", "list", "create", "patch", "delete"],
    ("events.k8s.io", "events"): ["create", "patch"],
}
LEASES = {("coordination.k8s.io", "leases"): ["create", "get", "patch", "update"]}
FORBIDDEN_VERBS = {"*", "escalate", "bind", "impersonate"}
FORBIDDEN_RESOURCES = {"*", "pods/exec", "pods/attach", "pods/portforward", "nodes", "namespaces"}


def granted(role):
    """Verbs by group and resource."""
    found = {}
    for rule in role["rules"]:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                found.setdefault((group, resource), set()).update(rule["verbs"])
    return found


def compare(role, needed):
    """What a role has too much or too little."""
    has = granted(role)
    for key in sorted(has.keys() | needed.keys()):
        extra = has.get(key, set()) - set(needed.get(key, []))
        missing = set(needed.get(key, [])) - has.get(key, set())
        if extra or missing:
            yield f"{role['kind']} {role['metadata']['name']}: {key}: too much {sorted(extra)}, missing {sorted(missing)}"


def exact():
    """The operator's roles in both modes."""
    for values, kind in [([], "ClusterRole"), (["--set", "watchNamespaces={a,b}"], "Role")]:
        found = helm.objects(helm.template(*helm.NO_CRDS, *values))
        roles = [one for one in found if one["kind"] in ("Role", "ClusterRole")]
        lease = [role for role in roles if role["metadata"]["name"].endswith("-lease")]
        others = [role for role in roles if role not in lease]
        if len(lease) != 1 or lease[0]["metadata"]["namespace"] != "toolsearch-system":
            yield f"{values}: one Role for the Lease, in the operator's namespace"
        for role in lease:
            yield from compare(role, LEASES)
            for rule in role["rules"]:
                if rule["verbs"] != ["create"] and not rule.get("resourceNames"):
                    yield f"{values}: the Lease rule is not held to a name"
        if not others or any(role["kind"] != kind for role in others):
            yield f"{values}: rights are given by something else than {kind}"
        for role in others:
            yield from compare(role, NEEDED)
        if kind == "Role":
            for one in found:
                if one["kind"].startswith("ClusterRole"):
                    yield f"{values}: {one['kind']} in namespaced mode"
            where = sorted(role["metadata"]["namespace"] for role in others)
            if where != ["a", "b"]:
                yield f"{values}: rights in {where}"


def never():
    """What no role of any case may hold."""
    for case in helm.cases():
        for one in helm.objects(helm.template(*helm.NO_CRDS, "-f", case)):
            for rule in one.get("rules") or [] if one["kind"].endswith("Role") else []:
                bad = FORBIDDEN_VERBS & set(rule["verbs"])
                bad |= FORBIDDEN_RESOURCES & set(rule["resources"])
                bad |= {"*"} & set(rule["apiGroups"])
                if "rbac.authorization.k8s.io" in rule["apiGroups"]:
                    bad.add("roles")
                if "secrets" in rule["resources"] and set(rule["verbs"]) != {"get"}:
                    bad.add("secrets beyond get")
                if bad:
                    yield f"{case.name}: {one['metadata']['name']}: {sorted(bad)}"
