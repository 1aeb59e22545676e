//! The whole flyball command, with a policy of one's own among the others.
//! Try it: `cargo run -p my-policy -- study examples/cnc.toml`
use flyball::{Entry, Registry, catalogue::Origin};

fn main() -> std::process::ExitCode {
    let mine = Entry::new::<my_policy::MyScheduler>("Shortest job first", "not preempted")
        // With this, `run` and `compare` boot it.
        .with_origin(Origin::Crate {
            folder: env!("CARGO_MANIFEST_DIR"),
            package: env!("CARGO_PKG_NAME"),
            path: "my_policy::MyScheduler",
        });
    flyball::main_with(&Registry::standard().with(mine))
}
