//! The `flyball` command, with the policies that come with it.

use std::process::ExitCode;

fn main() -> ExitCode {
    flyball::main_with(&flyball::Registry::standard())
}
