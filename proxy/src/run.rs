//! How do the parts come together? Settings in, a running proxy out, in the order in which each
//! part can serve.

use std::net::SocketAddr;
use std::time::Duration;

use globset::{Glob, GlobSet};
use prometheus::Registry;
use tokio::net::TcpListener;
use toolsearch_search::Embedder;
use toolsearch_settings::{EmbedderChoice, Settings, UpstreamProtocol};
use toolsearch_telemetry::{Lifecycle, Phase, diagnostics};

use crate::caller::Callers;
use crate::catalog::{self, Catalogs};
use crate::endpoint::{self, Endpoint};
use crate::reach;
use crate::server::{self, Server};
use crate::task::finished;
use crate::tools::Limits;
use crate::upstream::{self, BuildError, Protocol, Upstream};

/// A proxy that listens and does not serve yet.
#[derive(Debug)]
pub struct Proxy {
    settings: Settings,
    listener: TcpListener,
    diagnostics: TcpListener,
    registry: Registry,
    lifecycle: Lifecycle,
}

/// The proxy cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address cannot be listened on.
    #[error(
        "cannot listen on {address} (--{flag}): is another process using it? choose another with --{flag}"
    )]
    Listen {
        /// Which.
        address: SocketAddr,
        /// The setting that names it.
        flag: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// The certificate authorities cannot be read.
    #[error("cannot read the certificate authorities of --upstream-ca {}", path.display())]
    Roots {
        /// Which file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The upstream's client cannot be built.
    #[error("cannot talk to the upstream")]
    Upstream(#[from] BuildError),
    /// The model cannot be loaded.
    #[error("cannot load the model; get one with fetch-model, or use --embedder builtin")]
    Model(#[from] toolsearch_search::Error),
    /// A glob cannot be compiled.
    #[error("cannot use a glob of --write-tools, --read-tools or --tool-timeouts")]
    Globs(#[from] globset::Error),
    /// A metric is registered twice.
    #[error("cannot register the metrics")]
    Metrics(#[from] prometheus::Error),
    /// No randomness for the secret that callers are keyed by.
    #[error("the operating system gives no randomness")]
    Randomness(#[from] getrandom::Error),
    /// A listener failed, or a task ended that never should.
    #[error("the diagnostics listener failed")]
    Diagnostics(#[source] std::io::Error),
}

/// How long a verdict about the upstream's era stands.
const ERA_TTL: Duration = Duration::from_secs(600);
/// The least time between two listings of one caller.
const REFRESH_PAUSE: Duration = Duration::from_secs(5);

impl Proxy {
    /// Takes both addresses; nothing is served yet.
    ///
    /// # Errors
    /// [`StartError::Listen`].
    pub async fn bind(settings: Settings) -> Result<Self, StartError> {
        let listener = listen(settings.listen, "listen").await?;
        let diagnostics = listen(settings.diagnostics, "diagnostics").await?;
        let (registry, lifecycle) = (Registry::new(), Lifecycle::default());
        Ok(Self {
            settings,
            listener,
            diagnostics,
            registry,
            lifecycle,
        })
    }

    /// Where clients connect.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.settings.listen)
    }

    /// Where probes and metrics are served.
    #[must_use]
    pub fn diagnostics_address(&self) -> SocketAddr {
        self.diagnostics
            .local_addr()
            .unwrap_or(self.settings.diagnostics)
    }

    /// The phase of this proxy: advance it to drain.
    #[must_use]
    pub fn lifecycle(&self) -> Lifecycle {
        self.lifecycle.clone()
    }

    /// The registry of this proxy's metrics.
    #[must_use]
    pub fn registry(&self) -> Registry {
        self.registry.clone()
    }

    /// Serves until the lifecycle says to drain, and drains.
    ///
    /// Probes answer from the first moment; the model is loaded beside them.
    ///
    /// # Errors
    /// Everything in [`StartError`] that is not about listening.
    pub async fn run(self) -> Result<(), StartError> {
        let Self {
            settings,
            listener,
            diagnostics,
            registry,
            lifecycle,
        } = self;
        diagnostics::register(&registry, env!("CARGO_PKG_VERSION"), &lifecycle)?;
        let config = upstream_config(&settings)?;
        let asked = reach::route(
            &config.url,
            config.extra_roots.as_deref(),
            config.connect_timeout,
        )?;
        let probes = diagnostics::serve(diagnostics, lifecycle.clone(), registry.clone(), asked);
        let serving = async {
            let (server, upstream) = assemble(&settings, &registry).await?;
            lifecycle.advance(Phase::Ready);
            tracing::info!(version = env!("CARGO_PKG_VERSION"), listen = %settings.listen, "ready");
            server
                .serve(
                    listener,
                    lifecycle.reached(Phase::Draining),
                    lifecycle.reached(Phase::Hurrying),
                )
                .await;
            drop(upstream);
            tracing::info!("drained");
            Ok(())
        };
        tokio::select! {
            ended = serving => ended,
            failed = probes => failed.map_err(StartError::Diagnostics),
        }
    }
}

/// Builds everything between the settings and the server.
async fn assemble(
    settings: &Settings,
    registry: &Registry,
) -> Result<(Server, Upstream), StartError> {
    let upstream = Upstream::new(upstream_config(settings)?, registry)?;
    let embedder = embedder(settings.embedder, settings.model_dir.as_deref()).await?;
    let catalogs = Catalogs::new(
        catalog_config(settings)?,
        upstream.clone(),
        embedder,
        registry,
    )?;
    let limits = Limits {
        search_schemas: settings.search_schemas,
        max_answer_tokens: settings.max_answer_tokens,
        max_answer_bytes: settings.max_answer,
        max_result_tokens: settings.max_result_tokens,
    };
    let config = endpoint::Config {
        max_instructions: settings.max_instructions,
        limits,
        max_calls: settings.max_calls_per_caller,
        max_lists: settings.max_lists_per_caller,
        resource: endpoint::Resource::new(
            settings.public_url.as_ref(),
            &settings.upstream,
            server::PATH,
        ),
    };
    let endpoint = Endpoint::new(config, catalogs, upstream.clone(), registry)?;
    Ok((
        Server::new(server_config(settings), endpoint, Callers::new()?),
        upstream,
    ))
}

/// The model that the settings ask for, loaded off the async threads.
///
/// # Errors
/// The model's folder cannot be read, or holds none.
pub async fn embedder(
    choice: EmbedderChoice,
    folder: Option<&std::path::Path>,
) -> Result<Option<Embedder>, toolsearch_search::Error> {
    let folder = folder.map(std::path::Path::to_owned);
    let loading = tokio::task::spawn_blocking(move || match (choice, folder) {
        (EmbedderChoice::None, _) => Ok(None),
        (EmbedderChoice::Auto | EmbedderChoice::Dir, Some(folder)) => {
            Embedder::open(&folder).map(Some)
        }
        (EmbedderChoice::Auto | EmbedderChoice::Builtin | EmbedderChoice::Dir, _) => {
            Embedder::builtin().map(Some)
        }
    });
    finished(loading).await
}

async fn listen(address: SocketAddr, flag: &'static str) -> Result<TcpListener, StartError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| StartError::Listen {
            address,
            flag,
            source,
        })
}

/// The upstream as the settings describe it.
pub(crate) fn upstream_config(settings: &Settings) -> Result<upstream::Config, StartError> {
    let extra_roots = settings.upstream_ca.as_ref().map(|path| {
        std::fs::read(path).map_err(|source| StartError::Roots {
            path: path.clone(),
            source,
        })
    });
    Ok(upstream::Config {
        url: settings.upstream.clone(),
        protocol: match settings.upstream_protocol {
            UpstreamProtocol::Auto => Protocol::Auto,
            UpstreamProtocol::Modern => Protocol::Modern,
            UpstreamProtocol::Legacy => Protocol::Legacy,
        },
        extra_roots: extra_roots.transpose()?,
        connect_timeout: settings.upstream_connect_timeout,
        first_byte_timeout: settings.upstream_first_byte_timeout,
        idle_timeout: settings.upstream_idle_timeout,
        total_timeout: settings.upstream_total_timeout,
        tool_timeouts: tool_timeouts(settings)?,
        breaker_failures: settings.breaker_failures,
        breaker_pause: settings.breaker_pause,
        era_ttl: ERA_TTL,
        limits: upstream::Limits {
            pages: settings.max_pages,
            tools: settings.max_tools,
            bytes: settings.max_list_bytes,
        },
        max_result_bytes: settings.max_result,
        max_sessions: settings.max_sessions,
    })
}

fn tool_timeouts(settings: &Settings) -> Result<upstream::ToolTimeouts, globset::Error> {
    let compiled = settings.tool_timeouts.iter().map(|one| {
        let glob = Glob::new(&one.tools)?;
        Ok((glob.compile_matcher(), one.timeout))
    });
    compiled
        .collect::<Result<_, _>>()
        .map(upstream::ToolTimeouts)
}

fn catalog_config(settings: &Settings) -> Result<catalog::Config, StartError> {
    let globs = |patterns: &[String]| -> Result<GlobSet, globset::Error> {
        let mut set = GlobSet::builder();
        for pattern in patterns {
            set.add(Glob::new(pattern)?);
        }
        set.build()
    };
    Ok(catalog::Config {
        ttl: settings.catalog_ttl,
        max_callers: settings.max_callers,
        max_lists: settings.max_lists,
        max_concurrent_lists: settings.max_concurrent_lists,
        refresh_pause: REFRESH_PAUSE.min(settings.catalog_ttl),
        policy: catalog::Policy {
            write_tools: globs(&settings.write_tools)?,
            read_tools: globs(&settings.read_tools)?,
            trust_hints: settings.trust_hints,
        },
    })
}

fn server_config(settings: &Settings) -> server::Config {
    server::Config {
        policy: server::Policy::new(
            settings.listen,
            &settings.allowed_hosts,
            &settings.allowed_origins,
        ),
        max_body: settings.max_body,
        max_connections: settings.max_connections,
        max_requests: settings.max_requests,
        drain_delay: settings.drain_delay,
        drain_timeout: settings.drain_timeout,
    }
}
