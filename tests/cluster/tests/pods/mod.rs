//! Two small workloads: something that answers, and somebody who asks.
//!
//! Both are the machine's own bash with the libraries it needs: no compiler, no registry.

use std::path::{Path, PathBuf};

use toolsearch_cluster::{Cluster, Image};

/// Looks before it counts as failed, half a second apart.
const LOOKS: u32 = 120;

pub(crate) const MANIFEST: &str = r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: server}
spec:
  replicas: 2
  selector: {matchLabels: {app: server}}
  template:
    metadata: {labels: {app: server}}
    spec:
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: server}}}
      terminationGracePeriodSeconds: 1
      containers:
      # CoreDNS without a question answers "OK" about its own health: an HTTP server that is there.
      - name: server
        image: localhost/toolsearch-coredns:1
        imagePullPolicy: Never
        args: [-conf, /config/Corefile]
        readinessProbe: {httpGet: {path: /health, port: 8080}, periodSeconds: 1}
        volumeMounts: [{name: config, mountPath: /config}]
        securityContext: {runAsUser: 65532}
      volumes: [{name: config, configMap: {name: server}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: server}
data: {Corefile: ".:5353 {\n  health :8080\n}\n"}
---
apiVersion: v1
kind: Service
metadata: {name: server}
spec:
  selector: {app: server}
  ports: [{port: 80, targetPort: 8080}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: client}
spec:
  selector: {matchLabels: {app: client}}
  template:
    metadata: {labels: {app: client}}
    spec:
      nodeName: node-a
      terminationGracePeriodSeconds: 1
      containers:
      - name: client
        image: localhost/bash:dev
        imagePullPolicy: Never
        args: [-c, "trap exit TERM; while :; do read -t 1 <> <(:) || :; done"]
"#;

pub(crate) const DENY: &str = r#"
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: nobody}
spec: {podSelector: {matchLabels: {app: server}}, policyTypes: [Ingress]}
"#;

/// The machine's bash as an image.
pub(crate) fn image(folder: &Path) -> PathBuf {
    let mut image = Image::new("localhost/bash:dev");
    let bash = Path::new("/bin/bash");
    image.program(bash, "/bin/bash").unwrap();
    image.entrypoint = vec!["/bin/bash".to_owned()];
    let out = folder.join("bash.tar");
    image.write(&out).unwrap();
    out
}

/// Whether the client's request is answered.
pub(crate) fn ask(cluster: &Cluster, host: &str) -> bool {
    let script = format!(
        "exec 3<>/dev/tcp/{host}/80 && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && read -t 3 -r line <&3 && echo \"$line\""
    );
    let exec = [
        "exec",
        "deployment/client",
        "--",
        "/bin/bash",
        "-c",
        &script,
    ];
    cluster
        .kubectl(&exec)
        .is_ok_and(|text| text.contains(" 200 "))
}

/// Whether a process with this command line, each word ended by a zero, is on the machine.
pub(crate) fn running(line: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|found| found == line.as_bytes())
}

/// Looks again and again; what was expected is said when it never comes.
pub(crate) fn eventually(what: &str, mut look: impl FnMut() -> bool) {
    for _ in 0..LOOKS {
        if look() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    panic!("never seen: {what}");
}
