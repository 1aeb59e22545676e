"""Runs notebooks in folders of their own, and makes a page of each.

    python notebooks.py NOTEBOOKS OUT
"""

import pathlib
import shutil
import sys
import tempfile

import nbconvert
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def run(path, out):
    # Notebooks find the examples from where they are, and leave nothing there.
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder) / "docs" / "notebooks"
        here.mkdir(parents=True)
        (pathlib.Path(folder) / "examples").symlink_to(path.resolve().parents[2] / "examples")
        notebook = nbformat.read(path, as_version=4)
        client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(here)}})
        client.extra_arguments = ["--log-level=ERROR"]
        client.execute()
    nbformat.write(notebook, out / path.name)
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    (out / path.with_suffix(".html").name).write_text(page)


def main():
    notebooks, out = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    failed = False
    for path in sorted(notebooks.glob("*.ipynb")):
        try:
            run(path, out)
            print(f"{path.name}: ok", flush=True)
        except CellExecutionError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
