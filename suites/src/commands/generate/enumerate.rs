//! Lists the small programs.
