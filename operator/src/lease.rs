//! Who writes? The process that holds the lease, and only while it knows that it does.
//!
//! Renewal is the library's. That the lease is really ours, and fresh, is looked up besides: when
//! the API server cannot be reached, nobody tells us that somebody else took over.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease as Object;
use k8s_openapi::jiff::Timestamp;
use kube::{Api, Client};
use kube_lease_manager::{LeaseManager, LeaseManagerBuilder, LeaseManagerError};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::options::Lease;

/// The longest that one look may take.
const LOOK: Duration = Duration::from_secs(5);

/// The lease, as long as it is held or waited for.
pub(crate) struct Held {
    client: Client,
    options: Lease,
    leading: watch::Receiver<bool>,
    task: JoinHandle<Result<LeaseManager, LeaseManagerError>>,
}

impl Held {
    /// Begins to wait for it.
    pub(crate) async fn new(client: Client, options: Lease) -> Result<Self, LeaseManagerError> {
        let seconds = options.duration.as_secs().max(3);
        let manager = LeaseManagerBuilder::new(client.clone(), &options.name)
            .with_namespace(&options.namespace)
            .with_identity(&options.identity)
            .with_duration(seconds)
            // Renewed after a third of its time.
            .with_grace(seconds * 2 / 3)
            .with_field_manager(format!("toolsearch-operator-{}", options.identity))
            .build()
            .await?;
        let (leading, task) = manager.watch().await;
        Ok(Self {
            client,
            options,
            leading,
            task,
        })
    }

    /// Resolves when the lease is ours.
    pub(crate) async fn acquired(&mut self) {
        // The sender ends only when this receiver does.
        let _closed = self.leading.wait_for(|leading| *leading).await;
    }

    /// Resolves when it is not ours any more, or when that cannot be ruled out.
    pub(crate) async fn lost(&self) {
        let patience = self.options.duration * 2 / 3;
        let mut known = Instant::now();
        loop {
            if let Ok(Some(age)) = timeout(LOOK, self.age()).await
                && let Some(then) = Instant::now().checked_sub(age)
            {
                known = known.max(then);
            }
            if known.elapsed() > patience || !*self.leading.borrow() {
                return;
            }
            sleep(self.options.duration / 6).await;
        }
    }

    /// Gives it back, so that another need not wait for its end.
    pub(crate) async fn release(self) {
        drop(self.leading);
        // That it cannot be given back costs the others a wait, no more.
        let _ended = timeout(LOOK, self.task).await;
    }

    /// How long ago we renewed it, where it is ours.
    async fn age(&self) -> Option<Duration> {
        let api: Api<Object> = Api::namespaced(self.client.clone(), &self.options.namespace);
        let spec = api.get(&self.options.name).await.ok()?.spec?;
        (spec.holder_identity.as_deref() == Some(&self.options.identity)).then_some(())?;
        let renewed = spec.renew_time?.0;
        let age = Timestamp::now().duration_since(renewed);
        Some(age.try_into().unwrap_or_default())
    }
}
