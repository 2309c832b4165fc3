//! How is the control plane started? etcd, API server, controller manager and scheduler.

use crate::error::Error;
use crate::network::{CONTROL, PODS, SERVICES};
use crate::place::Place;
use crate::sandbox::Sandbox;
use crate::wait::until;

const AUDIT_POLICY: &str = include_str!("../manifests/audit-policy.yaml");
/// Seconds until the API server answers; it takes five on two idle cores.
const PATIENCE: u64 = 120;

/// Starts all four and waits for the API server; the others find it when it is there.
pub(crate) fn start(control: &Sandbox) -> Result<(), Error> {
    Place::write("audit-policy.yaml", AUDIT_POLICY)?;
    control.background("etcd.log", &etcd())?;
    control.background("kube-apiserver.log", &apiserver())?;
    let config = Place::kubeconfig("admin");
    until("the API server", PATIENCE, || {
        let ready = ["kubectl", "--kubeconfig", &config, "get", "--raw=/readyz"];
        control
            .call(&ready)
            .map(drop)
            .map_err(|error| format!("{error}\n{}", tail("kube-apiserver.log")))
    })?;
    control.background("kube-controller-manager.log", &controllers())?;
    control.background("kube-scheduler.log", &scheduler())
}

/// The last lines of a log, for an error that should say why.
pub(crate) fn tail(log: &str) -> String {
    let text = std::fs::read_to_string(Place::log(log)).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}

fn etcd() -> Vec<String> {
    let data = Place::file("etcd");
    words(&format!(
        "etcd --data-dir={} --log-level=warn --unsafe-no-fsync
         --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379
         --listen-peer-urls=http://127.0.0.1:2380 --initial-advertise-peer-urls=http://127.0.0.1:2380
         --initial-cluster=default=http://127.0.0.1:2380",
        data.display()
    ))
}

fn apiserver() -> Vec<String> {
    let pki = Place::pki("");
    let root = Place::root().display();
    // Aggregated APIs and webhooks are reached by pod address: no kube-proxy runs beside it.
    words(&format!(
        "kube-apiserver --etcd-servers=http://127.0.0.1:2379
         --bind-address={CONTROL} --advertise-address={CONTROL} --secure-port=6443
         --tls-cert-file={pki}apiserver.crt --tls-private-key-file={pki}apiserver.key
         --client-ca-file={pki}ca.crt --token-auth-file={pki}tokens.csv
         --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true
         --service-account-issuer=https://kubernetes.default.svc.cluster.local
         --service-account-key-file={pki}sa.pub --service-account-signing-key-file={pki}sa.key
         --service-cluster-ip-range={SERVICES}
         --kubelet-client-certificate={pki}kubelet-client.crt --kubelet-client-key={pki}kubelet-client.key
         --kubelet-preferred-address-types=InternalIP --enable-aggregator-routing=true
         --requestheader-client-ca-file={pki}ca.crt --requestheader-allowed-names=front-proxy
         --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-group-headers=X-Remote-Group
         --requestheader-username-headers=X-Remote-User
         --proxy-client-cert-file={pki}front-proxy.crt --proxy-client-key-file={pki}front-proxy.key
         --audit-policy-file={root}/audit-policy.yaml --audit-log-path={root}/audit.log --audit-log-mode=blocking
         --shutdown-delay-duration=0s --cert-dir={root}/apiserver"
    ))
}

fn controllers() -> Vec<String> {
    let pki = Place::pki("");
    let config = Place::kubeconfig("kube-controller-manager");
    let certificates = Place::file("controllers");
    // Pod ranges are fixed by the routes, so no controller hands them out.
    words(&format!(
        "kube-controller-manager --kubeconfig={config}
         --authentication-kubeconfig={config} --authorization-kubeconfig={config} --bind-address=127.0.0.1
         --service-account-private-key-file={pki}sa.key --root-ca-file={pki}ca.crt
         --cluster-signing-cert-file={pki}ca.crt --cluster-signing-key-file={pki}ca.key
         --use-service-account-credentials --leader-elect=false
         --allocate-node-cidrs=false --cluster-cidr={PODS}
         --horizontal-pod-autoscaler-sync-period=5s --cert-dir={}",
        certificates.display()
    ))
}

fn scheduler() -> Vec<String> {
    let config = Place::kubeconfig("kube-scheduler");
    let certificates = Place::file("scheduler");
    words(&format!(
        "kube-scheduler --kubeconfig={config}
         --authentication-kubeconfig={config} --authorization-kubeconfig={config}
         --bind-address=127.0.0.1 --leader-elect=false --cert-dir={}",
        certificates.display()
    ))
}

/// None of our values holds a blank.
fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
