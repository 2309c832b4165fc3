//! Who may use the one place there is, and how is it left empty?

use crate::cgroups;
use crate::error::Error;
use crate::network;
use crate::place::{Lock, Place};
use crate::processes::Process;
use crate::sandbox::Sandbox;
use crate::state::State;
use crate::wait::until;

/// Seconds that a killed cluster may take to be gone, before one that is there counts as alive.
const DYING: u64 = 3;
/// Seconds that ending may take.
const END: u64 = 30;
/// The control plane's sandbox.
pub(crate) const CONTROL: &str = "control";

/// The right to start a cluster here, what an earlier one left removed.
pub(crate) fn claim() -> Result<Lock, Error> {
    let lock = lock_within(DYING)?.ok_or_else(busy)?;
    match sweep() {
        Ok(()) => Ok(lock),
        Err(error) => {
            // Whatever could not be removed is what there is to tell.
            let _ = lock.remove_place();
            Err(error)
        }
    }
}

/// Gives the right back; called when nothing runs here any more.
pub(crate) fn release(lock: Lock) -> Result<(), Error> {
    sweep()?;
    lock.remove_place()
}

/// Ends whatever runs or lies here, and removes every trace of it.
///
/// # Errors
/// [`Error::Busy`] when it belongs to a test that is running, unless `force` is set.
pub fn down(force: bool) -> Result<bool, Error> {
    let state = State::read();
    let owner = state.as_ref().and_then(|state| state.owner.as_ref());
    if owner.is_some_and(Process::is_alive) && !force {
        return Err(busy());
    }
    if let Some(state) = state {
        state.control.holder.kill();
    }
    let lock = lock_within(END)?.ok_or_else(busy)?;
    let found = State::read().is_some() || !cgroups::left().is_empty();
    release(lock)?;
    Ok(found)
}

/// The lock, waited for: a cluster that was just killed holds it until its last process is gone.
fn lock_within(seconds: u64) -> Result<Option<Lock>, Error> {
    let mut taken = Ok(None);
    let waited = until("the lock", seconds, || {
        taken = Lock::take();
        match &taken {
            Ok(None) => Err(String::new()),
            Ok(Some(_)) | Err(_) => Ok(()),
        }
    });
    waited.map_or(Ok(None), |()| taken)
}

/// Removes what a cluster that has ended leaves; called with the lock held.
fn sweep() -> Result<(), Error> {
    if let Some(sandbox) = Sandbox::running(CONTROL) {
        sandbox.kill()?;
    }
    if let Some(state) = State::read() {
        state.control.kill()?;
    }
    network::disconnect_machine();
    cgroups::remove_all()?;
    Place::empty()
}

fn busy() -> Error {
    // What is written may be of an earlier one, whose remains are being removed right now.
    let state = State::read().filter(|state| state.control.holder.is_alive());
    Error::Busy(match state.map(|state| state.owner) {
        Some(Some(owner)) => format!("of process {}: {}", owner.pid, owner.arguments.join(" ")),
        Some(None) => "left running for a person".to_owned(),
        None => "being started or ended right now".to_owned(),
    })
}
