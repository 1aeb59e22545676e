"""The reference is the one of this package: `python python/tests/reference.py > docs/python-reference.md` makes it anew."""

import pathlib

import flyball
import reference

ROOT = pathlib.Path(__file__).parents[2]


def test_the_page_is_up_to_date():
    assert (ROOT / "docs" / "python-reference.md").read_text() == reference.text()


def test_all_names_are_there_with_words():
    names = set(flyball.__all__) - {"__version__"}
    assert names <= reference.definitions().keys()
    page = reference.text()
    for name in names:
        assert f"\n## {name}\n" in page
        assert getattr(flyball, name).__doc__, name
