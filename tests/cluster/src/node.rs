//! How does a node come up, and how is it lost?

mod files;

use std::fs;

use crate::cgroups;
use crate::control::tail;
use crate::error::Error;
use crate::network::{self, Seat};
use crate::place::Place;
use crate::sandbox::Sandbox;
use crate::wait::until;

/// Seconds for containerd, and for the node to be ready.
const PATIENCE: u64 = 120;
const SOCKET: &str = "/run/containerd/containerd.sock";

/// Starts a node up to its kubelet and kube-proxy, with images imported before the first pod.
pub(crate) fn start(
    control: &Sandbox,
    seat: Seat,
    seats: &[Seat],
    images: &[std::path::PathBuf],
) -> Result<Sandbox, Error> {
    let name = seat.name();
    files::write(seat)?;
    cgroups::make(&name)?;
    let node = control.inner(&name, &init(seat)?)?;
    network::connect_node(control, &node, seat, seats)?;
    let folder = Place::node(&name);
    let file = |file: &str| folder.join(file).display().to_string();
    node.background(
        &log(&name, "containerd"),
        &["containerd", "--config", &file("containerd.toml")],
    )?;
    until(&format!("containerd on {name}"), PATIENCE, || {
        let asked = node.call(&["ctr", "--address", SOCKET, "version"]);
        asked.map(drop).map_err(|_| tail(&log(&name, "containerd")))
    })?;
    for image in images {
        load(&node, image)?;
    }
    node.background(
        &log(&name, "kubelet"),
        &[
            "kubelet",
            &format!("--config={}", file("kubelet.yaml")),
            &format!("--kubeconfig={}", Place::kubeconfig(&name)),
            &format!("--hostname-override={name}"),
            &format!("--node-ip={}", seat.address()),
        ],
    )?;
    node.background(
        &log(&name, "kube-proxy"),
        &[
            "kube-proxy",
            &format!("--config={}", file("kube-proxy.yaml")),
        ],
    )?;
    Ok(node)
}

/// When a node last said that it is ready; empty before it was there, or while it says that it is not.
pub(crate) fn last_sign(control: &Sandbox, name: &str) -> String {
    let config = Place::kubeconfig("admin");
    let ready =
        "-o=jsonpath={.status.conditions[?(@.type==\"Ready\")]['status','lastHeartbeatTime']}";
    let ask = [
        "kubectl",
        "--kubeconfig",
        &config,
        "get",
        "node",
        name,
        ready,
    ];
    let said = control.call(&ask).unwrap_or_default();
    said.strip_prefix("True ").unwrap_or_default().to_owned()
}

/// Waits for the Node object to be ready, then starts what enforces policies: it would end
/// without the object. One that comes back is called ready for the most of a minute while it is
/// not, so a sign later than `before` is waited for.
pub(crate) fn settle(control: &Sandbox, node: &Sandbox, before: &str) -> Result<(), Error> {
    let name = &node.name;
    until(&format!("node {name}"), PATIENCE, || {
        let sign = last_sign(control, name);
        if sign.is_empty() || sign == before {
            Err(tail(&log(name, "kubelet")))
        } else {
            Ok(())
        }
    })?;
    node.background(
        &log(name, "kube-router"),
        &[
            "kube-router",
            &format!("--kubeconfig={}", Place::kubeconfig("kube-router")),
            &format!("--hostname-override={name}"),
            "--run-firewall=true",
            "--run-router=false",
            "--run-service-proxy=false",
            "--enable-cni=false",
            &format!("--service-cluster-ip-range={}", network::SERVICES),
            "--health-port=20244",
            "--v=1",
        ],
    )
}

/// Gives an image of the node's store a second name, such as one by digest.
pub(crate) fn tag(node: &Sandbox, name: &str, other: &str) -> Result<(), Error> {
    let words = [
        "ctr",
        "--address",
        SOCKET,
        "--namespace",
        "k8s.io",
        "images",
        "tag",
        "--force",
        name,
        other,
    ];
    node.call(&words).map(drop)
}

/// Imports an archive into the node's own store.
pub(crate) fn load(node: &Sandbox, archive: &std::path::Path) -> Result<(), Error> {
    // The node sees a file system of its own below /var and /run, so the archive goes to where both see.
    let place = Place::file("import").join(&node.name);
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
    }
    if fs::hard_link(archive, &place).is_err() {
        fs::copy(archive, &place).map_err(Error::file("copy", archive))?;
    }
    let inside = place.display().to_string();
    let import = [
        "ctr",
        "--address",
        SOCKET,
        "--namespace",
        "k8s.io",
        "images",
        "import",
        &inside,
    ];
    let done = node.call(&import).map(drop);
    fs::remove_file(&place).map_err(Error::file("remove", &place))?;
    done
}

fn log(node: &str, program: &str) -> String {
    format!("{node}.{program}.log")
}

/// What a node's namespaces are furnished with: a `/var` and a `/run` of its own, so that everything
/// in it keeps its usual paths, and files in place of the machine's settings that a kubelet writes.
fn init(seat: Seat) -> Result<String, Error> {
    let folder = Place::node(&seat.name());
    let at = folder.display().to_string();
    let mut script = format!(
        "mkdir -p {at}/var/lib/kubelet {at}/var/log {at}/var/tmp {at}/cni {at}/settings\n\
         ln -sfn /run {at}/var/run\n\
         mount --make-rprivate /\n\
         mount --bind {at}/var /var\n\
         mount -t tmpfs -o mode=755 tmpfs /run\n"
    );
    for (setting, value) in SETTINGS {
        let file = setting.replace('/', ".");
        Place::write(
            &format!("nodes/{}/settings/{file}", seat.name()),
            &format!("{value}\n"),
        )?;
        script.push_str(&format!(
            "mount --bind {at}/settings/{file} /proc/sys/{setting}\n"
        ));
    }
    script.push_str(
        "mount --make-rshared /\nip link set lo up\necho 1 > /proc/sys/net/ipv4/ip_forward\n",
    );
    Ok(script)
}

/// Settings of the whole machine, and the values that a kubelet wants to see in them.
const SETTINGS: [(&str, &str); 5] = [
    ("vm/overcommit_memory", "1"),
    ("kernel/panic", "10"),
    ("kernel/panic_on_oops", "1"),
    ("kernel/keys/root_maxkeys", "1000000"),
    ("kernel/keys/root_maxbytes", "25000000"),
];
