# SPDX-License-Identifier: Apache-2.0
"""Every example in a docstring runs; every public function has an example and a description."""

import doctest
import importlib
import importlib.util
import inspect
import pkgutil

import atoll
import numpy as np
import pytest

NETWORKX = importlib.util.find_spec("networkx") is not None
H5PY = importlib.util.find_spec("h5py") is not None
PLOTLY = importlib.util.find_spec("plotly") is not None
# Without networkx, importing atoll.networkx is an error: skip its folder.
MODULES = ["_nx_atoll", "atoll"]
DUCKDB = importlib.util.find_spec("duckdb") is not None
KG = ["atoll.kg", "atoll.kg.inputs"] if DUCKDB else []
KG += ["atoll.serve"] if DUCKDB and importlib.util.find_spec("fastapi") is not None else []
for folder in ["atoll", "atoll.report", "atoll.smpi", "atoll.tune", *KG] + (["atoll.networkx"] if NETWORKX else []):
    package = importlib.import_module(folder)
    names = [module.name for module in pkgutil.iter_modules(package.__path__, package.__name__ + ".")]
    absent = {"atoll._core", "atoll.torch"} | (set() if NETWORKX else {"atoll.networkx"})  # tests/torch has atoll.torch
    absent |= set() if DUCKDB else {"atoll.kg", "atoll.serve"}
    absent |= set() if H5PY else {"atoll.hdf5"}
    absent |= set() if PLOTLY else {"atoll.report.document", "atoll.report.page", "atoll.tune.pages"}
    MODULES += [name for name in names if name not in absent]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(name)
    if name == "atoll.vertices" and np.lib.NumpyVersion(np.__version__) < "2.0.0":
        pytest.skip("the examples show what numpy 2 prints")
    found = doctest.testmod(
        module,
        extraglobs={"atoll": atoll},
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL,
    )
    assert found.failed == 0


@pytest.mark.parametrize("name", [n for n in atoll.__all__ if inspect.isfunction(getattr(atoll, n))])
def test_functions_have_an_example_and_types(name):
    function = getattr(atoll, name)
    assert ">>> " in function.__doc__
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values())


def test_a_star_import_brings_no_modules():
    names = {}
    exec("from atoll import *", names)
    assert "pagerank" in names
    assert [name for name, value in names.items() if inspect.ismodule(value)] == []


def test_package_is_typed():
    from pathlib import Path

    folder = Path(atoll.__file__).parent
    assert (folder / "py.typed").exists()
    stub = folder / "_core.pyi"
    if not stub.exists():
        pytest.skip("no stub was made (before Python 3.11 that needs typing_extensions)")
    text = stub.read_text()
    for name in dir(atoll._core):
        if not name.startswith("__"):
            assert name in text
