//! Does the client get on with real servers? Hand-written JSON over sockets on port 0.

mod calls;
mod deadlines;
mod eras;
mod faults;
mod listings;
mod resumption;
mod sessions;
mod stage;
