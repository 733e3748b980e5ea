# SPDX-License-Identifier: Apache-2.0
import pydoc
import re
from importlib import metadata
from pathlib import Path

import atoll

ROOT = Path(__file__).parents[2]


def test_package_and_library_have_one_version():
    assert atoll.__version__ == metadata.version("atoll")


def test_texts_install_extras_from_a_checkout():
    """We publish no package, so `pip install atoll` would install somebody else's."""
    project = (ROOT / "pyproject.toml").read_text()
    extras = set(re.findall(r"(?m)^(\w+) = ", project.split("optional-dependencies]")[1].split("[project.scripts]")[0]))
    named = set()
    for folder in ("bench", "cmake", "cpp", "docs", "drivers", "python", "scripts", "README.md", "Makefile"):
        for file in [ROOT / folder, *(ROOT / folder).rglob("*")]:
            if file.suffix in (".py", ".md", ".cpp", ".hpp", ".h", ".cmake", ".rst", "") and file.is_file():
                text = re.sub(r"[\"'`\s]+", " ", file.read_text())
                assert not re.search(r"pip install (-\S+ )*atoll\b", text), file
                named.update(re.findall(r"pip install \.\[(\w+)\]", text))
    assert named <= extras and "networkx" in named


def test_dir_has_public_names_only_and_the_docstring_all():
    assert set(dir(atoll)) == {*atoll.__all__, "apsp", "datasets", "plot"}
    assert all(hasattr(atoll, name) for name in dir(atoll))
    text = atoll.__doc__
    table = re.sub(r"(?m)^\w+ {2,}", "", text.split("\n\n")[2])  # without the headings
    named = [name for name in re.findall(r"\w+", table) if name in atoll.__all__]
    assert sorted(named) == sorted({*atoll.__all__} - {"__version__"}), "each public name stands there once"
    assert len(text.splitlines()) <= 3 * 24


def test_the_first_three_screens_of_help_are_the_overview():
    """pydoc goes on with every member of `__all__` in full, as it does for pandas."""
    screens = "\n".join(pydoc.plaintext.document(atoll).splitlines()[: 3 * 24])
    overview, _, _ = screens.partition("PACKAGE CONTENTS")
    assert overview.startswith("NAME\n    atoll - ")
    assert [name for name in atoll.__all__ if not re.search(rf"\b{name}\b", overview)] == ["__version__"]
    assert "q leaves it" in overview
