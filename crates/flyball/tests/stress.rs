//! Tokens that go round among threads on many emulated CPUs (`apps/stress`): none is lost, no
//! thread runs in two places, nothing that a mutex protects is overwritten; and none runs where it
//! may not, if it may run on some CPUs only. On an emulator that runs one CPU after the other, the
//! same each time, and on one that runs them at once, which meets in other orders each time.
//!
//! `SOAK=100` passes tokens on a hundred times as often.

use crate::common;

use common::has_riscv;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// How many times a token is passed on.
const ROUNDS: u64 = 20_000;

/// Builds the images, once, and returns their folder.
fn build(audit: bool) -> &'static Path {
    static BUILT: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
    BUILT[usize::from(audit)].get_or_init(|| {
        let apps = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps");
        let (target, features) = if audit {
            ("target/audit", "flyball-kernel/audit")
        } else {
            ("target", "")
        };
        let triple = "riscv64gc-unknown-none-elf";
        let built = Command::new("cargo")
            .args(["build", "--release", "--quiet"])
            .args(["--package", "flyball-stress", "--features", features])
            .args(["--target", triple, "--target-dir", target])
            .current_dir(&apps)
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .status();
        assert!(built.is_ok_and(|status| status.success()));
        apps.join(target).join(triple).join("release")
    })
}

fn soak() -> u64 {
    let soak = std::env::var("SOAK").ok().and_then(|n| n.parse().ok());
    soak.unwrap_or(1)
}

/// What the image has counted when tokens have gone round, by name.
fn stress(image: &str, cpus: u64, seed: u64, flags: &[&str]) -> impl Fn(&str) -> u64 {
    let rounds = ROUNDS * soak();
    let count = run(&build(false).join(image), [cpus, rounds, seed], flags);
    assert!(count("wake-ups") >= rounds);
    count
}

/// What an image has counted on so many CPUs, by name; it is told three numbers, of which that is
/// the first.
fn run(image: &Path, words: [u64; 3], flags: &[&str]) -> impl Fn(&str) -> u64 + use<> {
    let cpus = words[0];
    let folder = tempfile::tempdir().expect("a folder");
    let words = words.map(u64::to_le_bytes).concat();
    std::fs::write(folder.path().join("words.bin"), words).expect("a file");
    let child = Command::new("qemu-system-riscv64")
        .args(["-M", "virt", "-m", "512M", "-bios", "none", "-nodefaults"])
        .args([
            "-display", "none", "-monitor", "none", "-serial", "none", "-nic", "none",
        ])
        .args(["-semihosting-config", "enable=on,target=native"])
        .args([
            "-device",
            "loader,file=words.bin,addr=0x90000000,force-raw=on",
        ])
        .args(["-smp", &cpus.to_string(), "-kernel"])
        .arg(image)
        .args(flags)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the emulator starts");
    // A thread that loses a wake-up waits for ever.
    let patience = Duration::from_secs(120 * soak());
    let id = child.id().to_string();
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        if is_done.recv_timeout(patience).is_err() {
            // What it has ended meanwhile cannot be killed.
            let _ = Command::new("kill").args(["-KILL", &id]).status();
        }
    });
    let output = child.wait_with_output().expect("the emulator ends");
    // The guard is there until it is told, or has given up.
    let _ = done.send(());
    guard.join().expect("the guard does not panic");
    assert!(output.status.success(), "{cpus} CPUs: {output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    eprintln!("{cpus} CPUs: {}", said.trim());
    let counts: Vec<(String, u64)> = said
        .split_whitespace()
        .collect::<Vec<_>>()
        .chunks(2)
        .map(|pair| (pair[0].to_owned(), pair[1].parse().expect("a number")))
        .collect();
    move |name| {
        let count = counts.iter().find(|(other, _)| other == name);
        count.map_or(0, |(_, count)| *count)
    }
}

/// One CPU after the other, by the instruction.
const IN_TURN: [&str; 2] = ["-icount", "shift=0,sleep=off"];
/// All at once, each a thread of the host.
const AT_ONCE: [&str; 2] = ["-accel", "tcg,thread=multi"];

#[test]
fn eight_cpus_in_turn() {
    if has_riscv() {
        let count = stress("stress", 8, 1, &IN_TURN);
        assert!(count("migrations") * 4 > count("wake-ups"));
        assert!(count("waits") > 0 && count("interrupts") > 0 && count("spared") > 0);
    }
}

#[test]
fn sixty_four_cpus_in_turn() {
    if has_riscv() {
        let count = stress("stress", 64, 2, &IN_TURN);
        assert!(count("migrations") * 4 > count("wake-ups"));
    }
}

#[test]
fn eight_cpus_at_once() {
    if has_riscv() {
        let count = stress("stress", 8, 3, &AT_ONCE);
        assert!(count("migrations") * 4 > count("wake-ups"));
    }
}

/// Most threads may run on three CPUs, or on one.
#[test]
fn affinities_on_eight_cpus_in_turn() {
    if has_riscv() {
        let count = stress("stress-affine", 8, 4, &IN_TURN);
        assert!(count("migrations") * 8 > count("wake-ups"));
        assert!(count("waits") > 0 && count("interrupts") > 0 && count("spared") > 0);
    }
}

#[test]
fn affinities_on_eight_cpus_at_once() {
    if has_riscv() {
        let count = stress("stress-affine", 8, 5, &AT_ONCE);
        assert!(count("migrations") * 8 > count("wake-ups"));
    }
}

/// Each kernel entry ends with a check of all invariants. In soak runs only, as that is another
/// image.
#[test]
fn invariants_hold_after_every_entry() {
    if soak() > 1 && has_riscv() {
        for (image, seed) in [("stress", 6), ("stress-affine", 7)] {
            let image = build(true).join(image);
            let count = run(&image, [8, ROUNDS, seed], &IN_TURN);
            assert!(count("wake-ups") >= ROUNDS);
        }
    }
}

/// A split thread that owns a mutex cannot go to another CPU when it has had its part of one, and
/// has it all the same.
#[test]
fn a_thread_that_cannot_go_is_not_interrupted_again_and_again() {
    if has_riscv() {
        let count = run(&build(false).join("bound"), [2, 0, 0], &IN_TURN);
        let (before, after) = (count("before"), count("after"));
        assert!(
            before > 1_000 && after * 10 > before * 9,
            "{before} {after}"
        );
        assert_eq!(count("gone"), 5);
    }
}
