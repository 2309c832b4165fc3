//! Mistakes are all reported; what a spec leaves out is completed.
