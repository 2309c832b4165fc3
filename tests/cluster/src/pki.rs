//! Who is who in the cluster? One authority, three certificates, and a static token for each user.
//!
//! For tests only: the tokens are fixed words, and one authority signs for everything.

use std::process::Command;

use crate::call::call;
use crate::error::Error;
use crate::network::CONTROL;
use crate::place::Place;

/// Token, user and groups, in the order of the file.
const USERS: [(&str, &str); 5] = [
    ("admin", "system:masters"),
    ("system:kube-controller-manager", ""),
    ("system:kube-scheduler", ""),
    ("system:kube-proxy", ""),
    ("kube-router", ""),
];

/// Makes everything below `pki/` and a kubeconfig for every user.
pub(crate) fn make(nodes: &[String]) -> Result<(), Error> {
    Place::write(
        "pki/apiserver.ext",
        &format!(
            "subjectAltName=DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,IP:127.0.0.1,IP:{CONTROL},IP:10.96.0.1\nextendedKeyUsage=serverAuth\n"
        ),
    )?;
    Place::write("pki/client.ext", "extendedKeyUsage=clientAuth\n")?;
    openssl(&format!(
        "{NEW_KEY} -x509 -days 30 -subj /CN=toolsearch-cluster -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign -keyout ca.key -out ca.crt"
    ))?;
    certificate("apiserver", "/CN=kube-apiserver", "apiserver.ext")?;
    certificate(
        "kubelet-client",
        "/O=system:masters/CN=apiserver-kubelet-client",
        "client.ext",
    )?;
    certificate("front-proxy", "/CN=front-proxy", "client.ext")?;
    openssl("genrsa -out sa.key 2048")?;
    openssl("rsa -in sa.key -pubout -out sa.pub")?;
    users(nodes)
}

const NEW_KEY: &str = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

fn certificate(name: &str, subject: &str, extensions: &str) -> Result<(), Error> {
    openssl(&format!(
        "{NEW_KEY} -subj {subject} -keyout {name}.key -out {name}.csr"
    ))?;
    openssl(&format!(
        "x509 -req -in {name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile {extensions} -out {name}.crt"
    ))
}

fn openssl(arguments: &str) -> Result<(), Error> {
    let mut openssl = Command::new("openssl");
    openssl
        .args(arguments.split(' '))
        .current_dir(Place::file("pki"));
    call(&mut openssl).map(drop)
}

fn users(nodes: &[String]) -> Result<(), Error> {
    let nodes: Vec<String> = nodes
        .iter()
        .map(|node| format!("system:node:{node}"))
        .collect();
    let nodes = nodes.iter().map(|user| (user.as_str(), "system:nodes"));
    let mut tokens = String::new();
    for (user, groups) in USERS.into_iter().chain(nodes) {
        let token = format!("token-{}", user.replace(':', "-"));
        tokens.push_str(&format!("{token},{user},{user},\"{groups}\"\n"));
        // The file is named by the last word of the user: admin, kube-proxy, node-a.
        let file = user.rsplit(':').next().unwrap_or(user);
        Place::write(&format!("kubeconfig/{file}"), &kubeconfig(user, &token)?)?;
    }
    Place::write("pki/tokens.csv", &tokens)
}

/// The authority is written into it, so that the one file is enough.
fn kubeconfig(user: &str, token: &str) -> Result<String, Error> {
    let path = Place::file("pki/ca.crt");
    let encoded = call(
        Command::new("openssl")
            .args(["base64", "-A", "-in"])
            .arg(&path),
    )?;
    let encoded = encoded.trim();
    Ok(format!(
        "apiVersion: v1
kind: Config
current-context: toolsearch
clusters:
- name: toolsearch
  cluster: {{server: \"https://{CONTROL}:6443\", certificate-authority-data: {encoded}}}
users:
- name: \"{user}\"
  user: {{token: {token}}}
contexts:
- name: toolsearch
  context: {{cluster: toolsearch, user: \"{user}\"}}
"
    ))
}
