# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document: its own examples work, and what schemathesis makes of it is answered as it says."""

import pytest

for module in ("duckdb", "fastapi", "httpx"):
    pytest.importorskip(module)
schemathesis = pytest.importorskip("schemathesis")

from atoll.serve.application import application  # noqa: E402
from atoll.serve.loaded_graph import LoadedGraph  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from schemathesis import GenerationMode  # noqa: E402
from serve_client import served_folder  # noqa: E402
from starlette.testclient import TestClient  # noqa: E402

ADDRESSES = ["/bulk", "/concepts", "/distance", "/health", "/neighbours", "/path", "/paths", "/scenario"]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return application(LoadedGraph(served_folder(tmp_path_factory.mktemp("served"))), hosts=["localhost", "testserver"])


def test_the_document_has_every_address_with_its_errors(app):
    found = TestClient(app).get("/openapi.json").json()
    assert sorted(found["paths"]) == ADDRESSES
    for methods in found["paths"].values():
        for operation in methods.values():
            assert operation["summary"] and {"200", "421", "503"} <= set(operation["responses"])
            for status, response in operation["responses"].items():
                assert status == "200" or "application/problem+json" in response["content"]
            for parameter in operation.get("parameters", ()):
                assert parameter["description"]
    assert "HTTPValidationError" not in str(found)


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("address", ADDRESSES)
def test_questions_of_any_kind_are_answered_as_the_document_says(app, address, mode):
    operation = schemathesis.openapi.from_asgi("/openapi.json", app)[address]["POST" if address == "/bulk" else "GET"]
    if mode is GenerationMode.NEGATIVE and address == "/health":
        return  # it has no parameter that could be wrong

    @given(operation.as_strategy(generation_mode=mode))
    @settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def answered(case):
        case.call_and_validate()

    answered()
