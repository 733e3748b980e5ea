# SPDX-License-Identifier: Apache-2.0
"""Modules of the Python package form no circle of imports: no function imports what would not load at the top."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "atoll"


def modules(package):
    """Name -> file of every module."""
    found = {}
    for file in sorted(package.rglob("*.py")):
        parts = [package.name, *file.relative_to(package).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def for_types_only(tree):
    """Nodes under `if TYPE_CHECKING:`."""
    blocks = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.dump(n.test)]
    return {id(node) for block in blocks for node in ast.walk(block)}


def imports(name, file, known):
    """Modules of the package that this one imports, in functions too."""
    tree = ast.parse(file.read_text())
    skipped = for_types_only(tree)
    home = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or id(node) in skipped:
            continue
        base = home[: len(home) - node.level + 1] if node.level else []
        source = ".".join([*base, *([node.module] if node.module else [])])
        for alias in node.names:
            if alias.name != "_core":  # compiled, and imports nothing of the package
                found = f"{source}.{alias.name}" if f"{source}.{alias.name}" in known else source
                if found in known and found != name:
                    yield found


def order(package):
    """The modules, each behind what it imports. A package's own name is left out: its __init__ imports everything."""
    known = modules(package)
    uses = {name: set(imports(name, file, known)) - {name.rpartition(".")[0]} for name, file in known.items()}
    return list(TopologicalSorter(uses).static_order())


def test_no_circle():
    assert "atoll.graph" in order(PACKAGE)


def test_a_circle_is_found(tmp_path):
    package = tmp_path / "toy"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("from .b import f\n")
    (package / "b.py").write_text("def f():\n    from .a import g\n")
    with pytest.raises(CycleError):
        order(package)
