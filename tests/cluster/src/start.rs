//! How does a cluster come up, step by step?

use std::path::PathBuf;

use crate::addons;
use crate::claim::{self, CONTROL};
use crate::control;
use crate::error::Error;
use crate::images;
use crate::network::{self, Seat};
use crate::node;
use crate::pki;
use crate::place::{Lock, Place};
use crate::processes::Process;
use crate::programs;
use crate::sandbox::{Lease, Sandbox};
use crate::say::say;
use crate::state::State;

/// What a cluster should be like.
#[derive(Debug, Clone)]
pub struct Options {
    /// 1 to 9.
    pub nodes: u8,
    /// Archives that every node imports before its first pod.
    pub images: Vec<PathBuf>,
    /// Leave what stands when the start fails, for a look at its logs.
    pub keep: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            nodes: 2,
            images: Vec::new(),
            keep: false,
        }
    }
}

/// A cluster whose outermost sandbox is there; dropped, it ends.
pub(crate) struct Begun {
    pub(crate) state: State,
    pub(crate) lock: Lock,
    pub(crate) lease: Lease,
}

/// The programs, the outermost sandbox and, meanwhile, the keys; after a failure nothing is left.
pub(crate) fn begin(options: &Options) -> Result<Begun, Error> {
    let lock = claim::claim()?;
    let begun = network::unused()
        .and_then(|()| programs::provide())
        .and_then(|programs| sandbox(&lock, options, programs));
    match begun {
        Ok((state, lease)) => Ok(Begun { state, lock, lease }),
        Err(error) => {
            claim::release(lock)?;
            Err(error)
        }
    }
}

fn sandbox(lock: &Lock, options: &Options, programs: PathBuf) -> Result<(State, Lease), Error> {
    let nodes = Seat::first(options.nodes)?;
    let nodes: Vec<String> = nodes.into_iter().map(Seat::name).collect();
    let keys = std::thread::spawn(move || pki::make(&nodes));
    let bin = Place::bin().display().to_string();
    let init = network::init(&programs.display().to_string(), &bin);
    let started = Sandbox::outermost(CONTROL, &init, lock);
    // Waited for in any case: nobody may write below a place that is given back.
    let made = keys
        .join()
        .map_err(|_| Error::Invalid("making the certificates ended early".to_owned()));
    let (control, lease) = started?;
    let state = State {
        control,
        nodes: options.nodes,
        owner: Process::of(rustix::process::getpid().as_raw_nonzero().get()),
        programs,
    };
    match made.and_then(|made| made).and_then(|()| state.write()) {
        Ok(()) => Ok((state, lease)),
        Err(error) => {
            lease.end();
            Err(error)
        }
    }
}

/// Everything inside, until all of it is ready.
pub(crate) fn furnish(state: &State, options: &Options, seats: &[Seat]) -> Result<(), Error> {
    let control = &state.control;
    network::connect_machine(control, seats)?;
    say("starting the control plane");
    let programs = state.programs.clone();
    let mut archives = std::thread::scope(|scope| {
        let own = scope.spawn(|| images::own(&programs));
        control::start(control)?;
        own.join()
            .map_err(|_| Error::Invalid("packing the images ended early".to_owned()))?
    })?;
    archives.extend(options.images.iter().cloned());
    say("starting the nodes");
    addons::allow_router(control)?;
    // Two at once: each waits for its own programs most of the time.
    std::thread::scope(|scope| {
        let begun: Vec<_> = seats
            .iter()
            .map(|seat| {
                scope.spawn(|| {
                    let node = node::start(control, *seat, seats, &archives)?;
                    node::settle(control, &node, "")
                })
            })
            .collect();
        begun.into_iter().try_for_each(|node| {
            node.join()
                .map_err(|_| Error::Invalid("starting a node ended early".to_owned()))?
        })
    })?;
    say("waiting for names and figures");
    addons::apply(control)?;
    addons::wait(control, seats)
}
