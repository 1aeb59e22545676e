//! What `shake` is told.

use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args, Debug)]
pub(crate) struct ShakeArgs {
    /// The program (ELF): linked with flyball.specs, or one for another policy
    pub(crate) file: PathBuf,

    /// The words of its command line
    #[arg(last = true)]
    pub(crate) words: Vec<String>,

    /// How often it is run
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,

    /// The seed of the first run; each run has the next one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) seed: u32,

    /// How many run at a time, instead of one on each core; 1 for programs that write files
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,

    /// A run that takes longer than so many seconds does not end, it is said. Otherwise that is twenty
    /// times as long as the run that is not shaken takes, and ten seconds at least
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) limit: Option<Duration>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &u64| seconds > 0);
    let seconds = seconds.ok_or("expected a whole number of seconds, from 1")?;
    Ok(Duration::from_secs(seconds))
}
