//! Any bytes into what `properties/jsonrpc.rs` says of them.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolsearch_fuzz::properties::jsonrpc::hold(data));
