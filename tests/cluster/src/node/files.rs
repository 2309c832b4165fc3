//! What are a node's programs told? The files of kubelet, kube-proxy, containerd and its network.

use crate::cgroups;
use crate::error::Error;
use crate::images::PAUSE;
use crate::network::{DNS, PODS, Seat};
use crate::place::Place;

/// Writes all of them into the node's folder.
pub(crate) fn write(seat: Seat) -> Result<(), Error> {
    let name = seat.name();
    let write = |file: &str, text: &str| Place::write(&format!("nodes/{name}/{file}"), text);
    write("kubelet.yaml", &kubelet(seat))?;
    write("kube-proxy.yaml", &proxy(seat))?;
    write("containerd.toml", &containerd(&name))?;
    write("cni/10-toolsearch.conflist", &plugins(seat))?;
    // No name server: what pods ask for outside of the cluster is not there.
    write("resolv.conf", "options ndots:1\n")
}

fn kubelet(seat: Seat) -> String {
    let ca = Place::pki("ca.crt");
    let address = seat.address();
    let group = cgroups::name(&seat.name());
    let folder = Place::node(&seat.name());
    let folder = folder.display();
    format!(
        "apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /{group}
enforceNodeAllocatable: []
authentication: {{anonymous: {{enabled: false}}, webhook: {{enabled: true}}, x509: {{clientCAFile: {ca}}}}}
authorization: {{mode: Webhook}}
address: {address}
healthzBindAddress: 127.0.0.1
readOnlyPort: 0
failSwapOn: false
clusterDomain: cluster.local
clusterDNS: [{DNS}]
resolvConf: {folder}/resolv.conf
evictionHard: {{memory.available: 50Mi, nodefs.available: '1%', imagefs.available: '1%'}}
imageGCHighThresholdPercent: 100
imageMinimumGCAge: 720h
imageMaximumGCAge: 0s
serializeImagePulls: false
maxPods: 60
oomScoreAdj: 0
nodeStatusUpdateFrequency: 5s
syncFrequency: 10s
"
    )
}

/// In iptables mode, for kube-router's rules for policies expect it; endpoints apply at once.
fn proxy(seat: Seat) -> String {
    let (name, address) = (seat.name(), seat.address());
    let config = Place::kubeconfig("kube-proxy");
    format!(
        "apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
clientConnection: {{kubeconfig: {config}}}
clusterCIDR: {PODS}
detectLocalMode: ClusterCIDR
hostnameOverride: {name}
bindAddress: {address}
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
conntrack: {{maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}}
iptables: {{minSyncPeriod: 0s}}
"
    )
}

fn containerd(name: &str) -> String {
    let bin = Place::bin();
    let bin = bin.display();
    let folder = Place::node(name);
    let folder = folder.display();
    // restrict_oom_score_adj: in a container, root may not lower the score of a process.
    format!(
        r#"version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.nri.v1.nri", "io.containerd.snapshotter.v1.blockfile", "io.containerd.snapshotter.v1.erofs", "io.containerd.differ.v1.erofs", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "{PAUSE}"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["{bin}/cni"]
    conf_dir = "{folder}/cni"
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
        BinaryName = "{bin}/runc"
        SystemdCgroup = false
"#
    )
}

/// `hairpinMode` lets a pod call itself through its own Service.
fn plugins(seat: Seat) -> String {
    let pods = seat.pods();
    format!(
        r#"{{"cniVersion": "1.0.0", "name": "toolsearch", "plugins": [
  {{"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
    "ipam": {{"type": "host-local", "ranges": [[{{"subnet": "{pods}"}}]], "routes": [{{"dst": "0.0.0.0/0"}}]}}}},
  {{"type": "portmap", "capabilities": {{"portMappings": true}}}}
]}}
"#
    )
}
