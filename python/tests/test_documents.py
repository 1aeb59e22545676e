"""What the documents show works: their Python is run, block after block."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("document", ["README.md", "docs/python.md", "python/README.md"])
def test_the_code_runs(document, tmp_path, monkeypatch):
    for library in ("polars", "pandas", "pyarrow", "duckdb"):
        pytest.importorskip(library)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, document, "exec"), names)
    if document == "docs/python.md":
        assert (tmp_path / "report.html").exists() and (tmp_path / "out.pftrace").exists()
