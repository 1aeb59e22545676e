//! The arguments of all commands that write figures.

#[cfg(feature = "png")]
use flyball_raster::Scale;

/// Which files a figure becomes, beside SVG and CSV.
#[derive(clap::Args, Debug)]
pub(crate) struct PictureArgs {
    /// Write each figure as PNG, too: in light colours on white
    #[cfg(feature = "png")]
    #[arg(long)]
    pub(crate) png: bool,

    /// How many times larger than the SVG, which is 880 pixels wide, a PNG is (0.5 to 8)
    #[cfg(feature = "png")]
    #[arg(long, value_name = "X", default_value_t, requires = "png")]
    pub(crate) scale: Scale,
}
