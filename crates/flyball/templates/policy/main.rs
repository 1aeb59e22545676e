//! The whole `flyball` command, with this policy among the others.
use flyball::catalogue::{Origin, Rule};
use flyball::{Entry, Registry};
use my_policy::MyPolicy;

fn main() -> std::process::ExitCode {
    let mine = Entry::new::<MyPolicy>(MyPolicy::TITLE, MyPolicy::ABOUT)
        // Where the source is, so that `run` and `compare` can boot it on the emulated machines.
        .with_origin(Origin::Crate {
            folder: env!("CARGO_MANIFEST_DIR"),
            package: env!("CARGO_PKG_NAME"),
            path: "my_policy::MyPolicy",
        });
    flyball::main_with(&Registry::standard().with(mine))
}
