//! How the upstream is reached: certificates that are right and wrong, and addresses of version 6.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use toolsearch_tests::fake::{self, Fake};
use toolsearch_tests::{Reply, Running};

const TOOLS: &str = r#"[{"name":"look","inputSchema":{},"annotations":{"readOnlyHint":true}}]"#;

async fn plain() -> (Fake, SocketAddr) {
    let fake = Fake::modern(TOOLS, |_| fake::text("done")).await;
    let address = fake.url["http://".len()..].trim_end_matches("/mcp");
    let address = address.parse().expect("an address");
    (fake, address)
}

/// Made by `tests/fixtures/tls/make`, valid for decades.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/tls")
        .join(name)
}

fn acceptor(certificate: &str) -> TlsAcceptor {
    let chain = vec![CertificateDer::from_pem_file(fixture(certificate)).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(fixture("key.pem")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a key that fits");
    TlsAcceptor::from(Arc::new(config))
}

async fn join(mut from: impl AsyncRead + AsyncWrite + Unpin, to: SocketAddr) {
    let mut onward = TcpStream::connect(to).await.expect("the upstream");
    let _ended = tokio::io::copy_bidirectional(&mut from, &mut onward).await;
}

/// Ends TLS with this certificate in front of a plain upstream; the port.
async fn terminate(certificate: &str, to: SocketAddr) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let acceptor = acceptor(certificate);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // Whoever does not trust the certificate goes away.
                if let Ok(stream) = acceptor.accept(stream).await {
                    join(stream, to).await;
                }
            });
        }
    });
    port
}

async fn call(running: &Running) -> Reply {
    let client = running.client().with_token("secret");
    client.call("call_read_tool", json!({"name": "look"})).await
}

/// Fault: a certificate of a private authority, told with `--upstream-ca`, by name and by address.
/// Seen: the answer.
#[tokio::test]
async fn a_private_authority_that_was_told_is_trusted() {
    let (_fake, address) = plain().await;
    let port = terminate("good.pem", address).await;
    let authority = fixture("authority.pem").display().to_string();
    for host in ["localhost", "127.0.0.1"] {
        let url = format!("https://{host}:{port}/mcp");
        let running = Running::start(&url, &["--upstream-ca", &authority]).await;
        assert_eq!(call(&running).await.text(), "done", "{host}");
    }
}

/// Fault: the certificate is expired, of another name, or of an authority nobody told.
/// Seen: the server cannot be reached; no request and no credential is sent; the metric says `tls`.
#[tokio::test]
async fn a_certificate_that_is_wrong_is_sent_nothing() {
    let (fake, address) = plain().await;
    let authority = fixture("authority.pem").display().to_string();
    let told: &[&str] = &["--upstream-ca", &authority];
    for (certificate, flags) in [
        ("expired.pem", told),
        ("other.pem", told),
        ("good.pem", &[]),
    ] {
        let port = terminate(certificate, address).await;
        let running = Running::start(&format!("https://localhost:{port}/mcp"), flags).await;
        let reply = call(&running).await;
        assert!(
            reply.is_error() && reply.text().contains("down or cannot be reached"),
            "{certificate}: {}",
            reply.body
        );
        let metrics = running.metrics().await;
        assert!(
            metrics.contains(r#"outcome="tls""#),
            "{certificate}: {metrics}"
        );
    }
    assert!(fake.seen().is_empty());
}

/// Fault: the upstream is at an address of version 6.
/// Seen: the answer.
#[tokio::test]
async fn an_upstream_at_an_address_of_version_six_is_reached() {
    let listener = TcpListener::bind("[::1]:0").await;
    let listener = listener.expect("a loopback address of version 6, which this test needs");
    let (_fake, address) = plain().await;
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(join(stream, address));
        }
    });
    let running = Running::start(&format!("http://[::1]:{port}/mcp"), &[]).await;
    assert_eq!(call(&running).await.text(), "done");
}
