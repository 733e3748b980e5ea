# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document: its own examples work, and what schemathesis makes of it is answered as it says."""

import pytest

for module in ("duckdb", "fastapi", "httpx"):
    pytest.importorskip(module)
schemathesis = pytest.importorskip("schemathesis")

from atoll.serve.application import application  # noqa: E402
from atoll.serve.loaded_graph import LoadedGraph  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from schemathesis.specs.openapi.checks import positive_data_acceptance  # noqa: E402
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


def test_questions_of_any_kind_are_answered_as_the_document_says(app):
    for found in schemathesis.openapi.from_asgi("/openapi.json", app).get_all_operations():

        @settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(case=found.ok().as_strategy())
        def ask(case):
            # What a graph does not have is refused too, which no schema can say.
            case.call_and_validate(excluded_checks=[positive_data_acceptance])

        ask()
