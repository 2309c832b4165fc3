//! How is a mirror connected to? An HTTP client that follows nothing by itself.
//!
//! Unlike the upstream's client it takes a forward proxy from the environment, as downloads in
//! closed networks need, except for a server on this machine. Sends no credential by itself.

use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// No client can be made.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The extra roots are no PEM certificates.
    #[error("the CA bundle holds no certificate")]
    Roots,
    /// The TLS library refused its configuration.
    #[error("failed to configure TLS")]
    Tls(#[source] rustls::Error),
    /// The HTTP client refused its configuration.
    #[error("failed to build the HTTP client")]
    Client(#[source] reqwest::Error),
}

/// A client that trusts the system's roots and these.
pub(crate) fn build(
    extra_roots: Option<&[u8]>,
    connect_timeout: Duration,
    local: bool,
) -> Result<reqwest::Client, BuildError> {
    let builder = reqwest::Client::builder()
        .user_agent(concat!(
            env!("CARGO_PKG_NAME"),
            "/",
            env!("CARGO_PKG_VERSION")
        ))
        .tls_backend_preconfigured(tls(extra_roots)?)
        .connect_timeout(connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never());
    let builder = if local { builder.no_proxy() } else { builder };
    builder.build().map_err(BuildError::Client)
}

/// rustls with the ring provider, named here because the process has no default provider.
fn tls(extra_roots: Option<&[u8]>) -> Result<ClientConfig, BuildError> {
    let mut roots = RootCertStore::empty();
    // A minimal image may have no roots at all: then only the extra ones count.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(pem) = extra_roots {
        let extra = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| BuildError::Roots)?;
        if roots.add_parsable_certificates(extra).0 == 0 {
            return Err(BuildError::Roots);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(BuildError::Tls)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tls)
}
