//! What can be done with a cluster?

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::addons;
use crate::audit::{self, Write};
use crate::call::call;
use crate::claim;
use crate::error::Error;
use crate::host;
use crate::network::{self, Seat};
use crate::node;
use crate::place::{Lock, Place};
use crate::processes::Process;
use crate::sandbox::{Lease, Sandbox};
use crate::say::say;
use crate::start::{self, Begun, Options};
use crate::state::State;
use crate::wait::Stopwatch;

/// A running cluster. One that was started ends when it is dropped, or with its process, however
/// that ends; one that was found runs on.
#[derive(Debug)]
pub struct Cluster {
    state: State,
    held: Option<(Lock, Lease)>,
}

impl Cluster {
    /// Starts a cluster and waits until everything in it is ready.
    ///
    /// # Errors
    /// [`Error::Unsupported`] and [`Error::Busy`] before anything is started; any other after what
    /// was started is gone again.
    pub fn up(options: &Options) -> Result<Self, Error> {
        let seats = Seat::first(options.nodes)?;
        for image in &options.images {
            std::fs::metadata(image).map_err(Error::file("read", image))?;
        }
        host::install_for_running();
        host::ready_to_run()?;
        let Begun { state, lock, lease } = start::begin(options)?;
        let watch = Stopwatch::start();
        let mut cluster = Self {
            state,
            held: Some((lock, lease)),
        };
        match start::furnish(&cluster.state, options, &seats) {
            Ok(()) => {
                say(&format!("ready after {:.1} s", watch.seconds()));
                Ok(cluster)
            }
            Err(error) => {
                if options.keep {
                    say("the start failed; what stands is left, `tests/cluster/down` removes it");
                    cluster.leave()?;
                }
                Err(error)
            }
        }
    }

    /// The cluster that is running here.
    ///
    /// # Errors
    /// [`Error::Absent`] when there is none.
    pub fn found() -> Result<Self, Error> {
        let state = State::read().filter(|state| state.control.holder.is_alive());
        let state = state.ok_or(Error::Absent)?;
        Ok(Self { state, held: None })
    }

    /// Lets the cluster run on after this process.
    ///
    /// # Errors
    /// When it has ended in the meantime.
    pub fn leave(&mut self) -> Result<(), Error> {
        if let Some((_, lease)) = self.held.take() {
            lease.give_up()?;
            self.state.owner = None;
            self.state.write()?;
        }
        Ok(())
    }

    /// Ends the cluster and removes everything of it; what dropping does, with an answer.
    ///
    /// # Errors
    /// When something is left.
    pub fn down(mut self) -> Result<(), Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        let Some((lock, lease)) = self.held.take() else {
            return Ok(());
        };
        lease.end();
        claim::release(lock)
    }

    /// Where the kubeconfig of the administrator lies; it works on the machine itself too.
    #[must_use]
    pub fn kubeconfig(&self) -> PathBuf {
        PathBuf::from(Place::kubeconfig("admin"))
    }

    /// The folder with kubectl, helm and all the others.
    #[must_use]
    pub fn programs(&self) -> &Path {
        &self.state.programs
    }

    /// The names of the nodes.
    #[must_use]
    pub fn nodes(&self) -> Vec<String> {
        let seats = Seat::first(self.state.nodes).unwrap_or_default();
        seats.into_iter().map(Seat::name).collect()
    }

    /// A command in the control plane's network, with KUBECONFIG and the cluster's programs in its
    /// path, in the folder where the caller is. It ends with the cluster, and at once when the
    /// process that was spawned is killed; the caches of kubectl and helm end with the cluster too.
    #[must_use]
    pub fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
        let here = here.to_string_lossy();
        // What is killed by its handle is the one who entered: what runs inside must follow it.
        // Entering a mount namespace leads to its root; the shell goes back.
        let mut words = vec!["setpriv", "--pdeathsig", "KILL", "sh", "-c"];
        words.extend(["cd \"$1\" && shift && exec \"$@\"", "exec", &here, program]);
        words.extend(arguments);
        let mut command = self.state.control.command(&words);
        command.env("KUBECONFIG", Place::kubeconfig("admin"));
        for name in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
            command.env(name, Place::file("helm").join(name));
        }
        command
    }

    /// Runs kubectl and gives what it printed.
    ///
    /// # Errors
    /// [`Error::Command`] with kubectl's words when it fails.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String, Error> {
        call(&mut self.command("kubectl", arguments))
    }

    /// Runs helm and gives what it printed.
    ///
    /// # Errors
    /// [`Error::Command`] with helm's words when it fails.
    pub fn helm(&self, arguments: &[&str]) -> Result<String, Error> {
        call(&mut self.command("helm", arguments))
    }

    /// Applies a manifest that is given as text.
    ///
    /// # Errors
    /// [`Error::Command`] with kubectl's words when it fails.
    pub fn apply(&self, manifest: &str) -> Result<String, Error> {
        addons::apply_text(&self.state.control, manifest)
    }

    /// Gives an image a second name in every node that is up, such as one by digest.
    ///
    /// # Errors
    /// When a node has no such image.
    pub fn tag(&self, name: &str, other: &str) -> Result<(), Error> {
        let nodes = self.nodes();
        let running = nodes.iter().filter_map(|name| Sandbox::running(name));
        running
            .into_iter()
            .try_for_each(|node| node::tag(&node, name, other))
    }

    /// Imports an image archive into every node that is up.
    ///
    /// # Errors
    /// When a node refuses it.
    pub fn load(&self, archive: &Path) -> Result<(), Error> {
        let nodes = self.nodes();
        let running = nodes.iter().filter_map(|name| Sandbox::running(name));
        running
            .into_iter()
            .try_for_each(|node| node::load(&node, archive))
    }

    /// Every process of a node, its pods' among them, as seen from the machine.
    ///
    /// # Errors
    /// When the node is unknown or not up.
    pub fn node_pids(&self, name: &str) -> Result<Vec<Process>, Error> {
        Ok(self.node(name)?.1.holder.family())
    }

    /// Ends a node at once, as a power cut would.
    ///
    /// # Errors
    /// When the node is unknown or not up.
    pub fn node_kill(&self, name: &str) -> Result<(), Error> {
        self.node(name)?.1.kill()
    }

    /// Starts a node that was killed; its disk is as it was. Waits until it is ready.
    ///
    /// # Errors
    /// When it is up already or does not become ready.
    pub fn node_up(&self, name: &str) -> Result<(), Error> {
        let seat = Seat::named(name, self.state.nodes)?;
        if Sandbox::running(&seat.name()).is_some() {
            return Err(Error::Invalid(format!("{name} is up")));
        }
        let seats = Seat::first(self.state.nodes)?;
        let control = &self.state.control;
        let before = node::last_sign(control, &seat.name());
        let node = node::start(control, seat, &seats, &[])?;
        node::settle(control, &node, &before)
    }

    /// Cuts a node off the network, or connects it again.
    ///
    /// # Errors
    /// When the node is unknown or not up.
    pub fn link(&self, name: &str, up: bool) -> Result<(), Error> {
        let (seat, _) = self.node(name)?;
        network::set_link(&self.state.control, seat, up)
    }

    /// Every write to the API server since the start.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn audit_writes(&self) -> Result<Vec<Write>, Error> {
        audit::writes()
    }

    fn node(&self, name: &str) -> Result<(Seat, Sandbox), Error> {
        let seat = Seat::named(name, self.state.nodes)?;
        let sandbox = Sandbox::running(&seat.name());
        let sandbox = sandbox.ok_or_else(|| Error::Invalid(format!("{name} is not up")))?;
        Ok((seat, sandbox))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            say(&format!(
                "not everything of the cluster could be removed: {error}"
            ));
        }
    }
}
