//! How is the upstream connected to? The one HTTP client, and what it may do.
//!
//! Guarantees: at most three redirects, only 307 and 308, only within the upstream's origin, so
//! that a credential never leaves it; no request is repeated behind the caller's back; no answer
//! is decompressed. Never takes a forward proxy from the environment: the environment is read by
//! the settings alone, and a forward proxy would see the callers' credentials.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use url::Url;

use crate::upstream::config::Config;

/// The configuration cannot make a client.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The URL is neither http nor https, or carries user name and password.
    #[error("the upstream's URL must be http or https, without a user name or password")]
    Url,
    /// The extra roots are no PEM certificates.
    #[error("the CA bundle holds no certificate")]
    Roots,
    /// The TLS library refused its configuration.
    #[error("failed to configure TLS")]
    Tls(#[source] rustls::Error),
    /// The HTTP client refused its configuration.
    #[error("failed to build the HTTP client")]
    Client(#[source] reqwest::Error),
    /// The metrics are registered already: one upstream a registry.
    #[error("failed to register the upstream's metrics")]
    Metrics(#[source] prometheus::Error),
}

/// Below the five seconds after which common servers close an idle connection: a request that
/// meets a closing connection may have been sent, and a write could then not be repeated.
const POOL_IDLE: Duration = Duration::from_secs(4);

/// The client of the upstream. Timeouts other than the connection's are the exchange's own.
pub(super) fn build(config: &Config) -> Result<reqwest::Client, BuildError> {
    if !is_plain(&config.url) {
        return Err(BuildError::Url);
    }
    // Redirects stay within the origin, so an http upstream never meets a certificate.
    let system = config.url.scheme() == "https";
    let tls = tls(system, config.extra_roots.as_deref())?;
    limited(tls, config.connect_timeout)
}

/// A client with the same limits, which trusts the system's roots and these (PEM).
///
/// # Errors
/// See [`BuildError`].
pub fn http_client(
    extra_roots: Option<&[u8]>,
    connect_timeout: Duration,
) -> Result<reqwest::Client, BuildError> {
    limited(tls(true, extra_roots)?, connect_timeout)
}

fn limited(tls: ClientConfig, connect_timeout: Duration) -> Result<reqwest::Client, BuildError> {
    reqwest::Client::builder()
        .user_agent(concat!(
            env!("CARGO_PKG_NAME"),
            "/",
            env!("CARGO_PKG_VERSION")
        ))
        .tls_backend_preconfigured(tls)
        .connect_timeout(connect_timeout)
        .pool_idle_timeout(POOL_IDLE)
        .http2_keep_alive_interval(Duration::from_secs(20))
        .http2_keep_alive_timeout(Duration::from_secs(10))
        .redirect(Policy::custom(redirect))
        .referer(false)
        .retry(reqwest::retry::never())
        .no_proxy()
        .build()
        .map_err(BuildError::Client)
}

fn is_plain(url: &Url) -> bool {
    let bare = url.username().is_empty() && url.password().is_none();
    matches!(url.scheme(), "http" | "https") && url.has_host() && bare
}

fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    let target = attempt.url();
    let same_origin = attempt
        .previous()
        .first()
        .is_some_and(|first| first.origin() == target.origin());
    if keeps_method && same_origin && is_plain(target) && attempt.previous().len() <= 3 {
        attempt.follow()
    } else {
        // The redirect itself becomes the answer, and is reported as a status.
        attempt.stop()
    }
}

/// rustls with the ring provider, named here because the process has no default provider.
fn tls(system: bool, extra: Option<&[u8]>) -> Result<ClientConfig, BuildError> {
    let mut roots = RootCertStore::empty();
    // A minimal image may have no roots at all: then only the extra ones count.
    if system {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    if let Some(pem) = extra {
        let extra = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| BuildError::Roots)?;
        let (added, _) = roots.add_parsable_certificates(extra);
        if added == 0 {
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
