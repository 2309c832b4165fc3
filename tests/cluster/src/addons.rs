//! What runs in every cluster besides Kubernetes itself, and when is it there?

use std::fs;

use crate::error::Error;
use crate::network::Seat;
use crate::place::Place;
use crate::sandbox::Sandbox;
use crate::wait::until;

const ROUTER: &str = include_str!("../manifests/kube-router.yaml");
const MANIFESTS: &str = include_str!("../manifests/addons.yaml");
/// Seconds for pods to become ready, and for metrics to have been read for the first time.
const PATIENCE: u64 = 120;

/// Gives kube-router its rights, before the nodes start it.
pub(crate) fn allow_router(control: &Sandbox) -> Result<(), Error> {
    // The API server is ready a moment before everything is there that objects are checked against.
    until("the first objects", PATIENCE, || {
        apply_text(control, ROUTER)
            .map(drop)
            .map_err(|error| error.to_string())
    })
}

/// Creates names (`CoreDNS`) and figures (metrics-server). When the nodes are there, or the scheduler
/// would take the first that comes and not the one they prefer.
pub(crate) fn apply(control: &Sandbox) -> Result<(), Error> {
    until("the first pods' objects", PATIENCE, || {
        apply_text(control, MANIFESTS)
            .map(drop)
            .map_err(|error| error.to_string())
    })
}

/// Applies a manifest through a file that both sides see.
pub(crate) fn apply_text(control: &Sandbox, manifest: &str) -> Result<String, Error> {
    let name = format!("manifest-{:?}.yaml", std::thread::current().id());
    Place::write(&name, manifest)?;
    let path = Place::file(&name);
    let file = path.display().to_string();
    let done = kubectl(control, &["apply", "-f", &file]);
    fs::remove_file(&path).map_err(Error::file("remove", &path))?;
    done
}

/// Waits until a pod can be made, found by name and measured, and policies are enforced.
pub(crate) fn wait(control: &Sandbox, seats: &[Seat]) -> Result<(), Error> {
    for name in ["coredns", "metrics-server"] {
        let what = format!("deployment/{name}");
        let patience = format!("--timeout={PATIENCE}s");
        let wait = [
            "rollout",
            "status",
            &what,
            "--namespace=kube-system",
            &patience,
        ];
        kubectl(control, &wait)?;
    }
    let account = ["get", "serviceaccount", "default", "--namespace=default"];
    until("the default account", PATIENCE, || asked(control, &account))?;
    let group = [
        "wait",
        "--for=condition=Available",
        "--timeout=1s",
        "apiservice/v1beta1.metrics.k8s.io",
    ];
    until("the metrics API", PATIENCE, || asked(control, &group))?;
    for seat in seats {
        let address = seat.address();
        until(&format!("kube-router on {}", seat.name()), PATIENCE, || {
            healthy(&address)
        })?;
    }
    Ok(())
}

fn asked(control: &Sandbox, arguments: &[&str]) -> Result<(), String> {
    kubectl(control, arguments)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Asks kube-router how it is: a few bytes of HTTP, for which no client is needed.
fn healthy(address: &str) -> Result<(), String> {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::Duration;

    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect((address, 20244))?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    match ask() {
        Ok(answer) if answer.split(' ').nth(1) == Some("200") => Ok(()),
        Ok(answer) => Err(answer),
        Err(error) => Err(error.to_string()),
    }
}

fn kubectl(control: &Sandbox, arguments: &[&str]) -> Result<String, Error> {
    let config = Place::kubeconfig("admin");
    let mut words = vec!["kubectl", "--kubeconfig", &config];
    words.extend(arguments);
    control.call(&words)
}
