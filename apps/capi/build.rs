//! Chooses the policy: `FLYBALL_POLICY` is its name, as on the command line; without it, fixed
//! priorities with time slices among equals. On a machine with several CPUs it is one for all of them.

use flyball_catalogue::Shape;
use flyball_catalogue::list::{find, path};
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FLYBALL_POLICY");
    let has_several_cpus =
        env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|target| target == "riscv64");
    let usual = if has_several_cpus { "g-fp-rr" } else { "fp-rr" };
    let name = env::var("FLYBALL_POLICY").unwrap_or_else(|_| usual.into());
    let entry = find(&name).ok_or_else(|| format!("there is no policy {name}"))?;
    let shape = entry.placement.shape();
    if has_several_cpus && shape != Shape::Several {
        return Err(format!("policy {name} is not one for all CPUs"));
    }
    let path = path(entry.scheduler, shape).ok_or_else(|| format!("policy {name} has no type"))?;
    let folder = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let text = format!(
        "/// The scheduler of this image.\npub(crate) type Chosen = {path};\n\
         /// Its name.\npub(crate) const NAME: &core::ffi::CStr = c\"{name}\";\n"
    );
    fs::write(PathBuf::from(folder).join("policy.rs"), text).map_err(|error| error.to_string())
}
