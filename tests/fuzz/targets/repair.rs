//! Any bytes into what `properties/repair.rs` says of them.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolsearch_fuzz::properties::repair::hold(data));
