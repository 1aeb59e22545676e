//! Figures.

use crate::again::refused;
use crate::columns::{Columns, Kind, of_csv};
use crate::results::write;
use flyball::report::reproduction::figure::Scale;
use flyball::report::reproduction::{self, svg, table};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// A figure: a drawing, and the numbers in it.
#[pyclass(frozen, module = "flyball")]
#[derive(Clone)]
pub(crate) struct Figure(pub(crate) reproduction::Figure);

#[pymethods]
impl Figure {
    /// Its short name, as in names of files.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What it is called.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// What is to be seen.
    #[getter]
    fn caption(&self) -> &str {
        &self.0.caption
    }

    /// The drawing as SVG, which needs nothing else.
    fn svg(&self) -> String {
        svg::file(&self.0)
    }

    /// All points, one row each: `panel`, `series`, `role`, `x` (a text, where the axis has categories), `y`.
    #[getter]
    fn points(&self) -> PyResult<Columns> {
        let has_names = matches!(self.0.x.scale, Scale::Categories(_));
        of_csv(&table::figure(&self.0), |name| match name {
            "y" => Kind::Decimal,
            "x" if !has_names => Kind::Decimal,
            _ => Kind::Text,
        })
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __reduce__(&self) -> PyResult<String> {
        refused(
            &self.__repr__(),
            "it is a drawing of results; pickle its `points` or its `svg()`",
        )
    }

    fn __repr__(&self) -> String {
        format!("<Figure {:?}: {}>", self.0.name, self.0.title)
    }
}

/// Writes files into a folder, which is made if it is not there.
pub(crate) fn write_all(folder: &Path, files: Vec<(String, Vec<u8>)>) -> PyResult<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        write(&path, &bytes)?;
        paths.push(path);
    }
    Ok(paths)
}
