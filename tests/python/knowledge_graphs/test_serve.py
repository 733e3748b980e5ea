# SPDX-License-Identifier: Apache-2.0
"""`atoll serve` answers as the package's own functions do, with errors that say what to do."""

import csv
import io
import json
import threading

import numpy as np
import pytest

for module in ("duckdb", "fastapi", "httpx"):
    pytest.importorskip(module)

from atoll import kg  # noqa: E402
from atoll.kg.scenarios import SCENARIOS  # noqa: E402
from atoll.serve.application import application  # noqa: E402
from atoll.serve.limits import Limits  # noqa: E402
from atoll.serve.loaded_graph import LoadedGraph  # noqa: E402
from serve_client import MAPPINGS, NAMES, served_folder  # noqa: E402
from starlette.testclient import TestClient  # noqa: E402

PATHS = {"from": "L0", "to": "L2"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return served_folder(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def client(folder):
    app = application(LoadedGraph(folder), hosts=["testserver"], limits=Limits(pairs=2000, body_bytes=100_000))
    return TestClient(app, raise_server_exceptions=False)


def problem(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found = answer.json()
    assert found["status"] == status and found["detail"].endswith((".", "?"))
    return found


def test_paths_and_distances_are_those_of_the_package(client, folder):
    with kg.BuiltGraph(folder) as graph:
        for a in range(6):
            for b in range(6):
                ends = {"from": f"L{a}", "to": f"L{b}"}
                expected = kg.find_paths(graph, f"L{a}", f"L{b}").to_json()
                for path in expected["paths"]:
                    for step in path["steps"]:
                        assert step["sources"]
                found = client.get("/path", params=ends).json()
                assert found["path"] == (expected["paths"][0] if expected["paths"] else None)
                weight = client.get("/distance", params=ends).json()["distance"]
                assert weight == (found["path"]["weight"] if found["path"] else None)
                several = client.get("/paths", params={**ends, "k": 4}).json()
                assert several == kg.find_paths(graph, f"L{a}", f"L{b}", k=4).to_json()


def test_constraints_are_kept(client):
    def ways(**constraints):
        found = client.get("/paths", params={**PATHS, "k": 5, **constraints}).json()["paths"]
        return [[concept["id"] for concept in path["concepts"]] for path in found]

    assert ways() == [["L0", "L1", "L2"], ["L0", "L3", "L2"]]
    assert ways(avoid="gene") == ways(**{"pass": "L3"}) == [["L0", "L3", "L2"]]
    assert ways(max_hops=1) == ways(avoid=["gene", "L3"]) == []
    problem(client.get("/paths", params={**PATHS, "pass": "L0"}), 422)


def test_concepts_are_found_by_parts_of_names_and_synonyms_best_first(client):
    def found(**ask):
        return [concept["id"] for concept in client.get("/concepts", params=ask).json()["concepts"]]

    assert found(q="SCLEROSIS") == ["L0"] and found(q="failure heart") == ["L1"]
    assert found(q="ms") == ["L0"]
    assert found(q="twin") == ["L1", "L3", "L5"]  # whole synonyms, the one with more edges first; then inside a name
    assert found(q="l") == [f"L{i}" for i in (0, 1, 2, 3, 4, 5)]
    assert found(type="GENE") == ["L1", "L4"]
    missed = client.get("/concepts", params={"q": "sklerosis"}).json()
    assert missed["total"] == 0 and missed["nearest"][0]["id"] == "L0"
    assert "gene" in problem(client.get("/concepts", params={"type": "planet"}), 404)["detail"]


def test_pages_join_to_the_whole_list(client):
    for address, key in (("/concepts?limit=2&q=l", "concepts"), ("/neighbours?limit=1&of=L0", "neighbours")):
        whole = client.get(address.replace("limit=2", "limit=50").replace("limit=1", "limit=50")).json()[key]
        entries = []
        while address:
            page = client.get(address).json()
            assert page["total"] == len(whole)
            entries += page[key]
            address = page["next"]
        assert entries == whole and len(whole) > 1


def test_neighbours_are_those_of_the_edges_nearest_first(client):
    found = client.get("/neighbours", params={"of": "L2"}).json()["neighbours"]
    assert [(near["id"], near["count"]) for near in found] == [("L1", 7), ("L3", 2)]
    assert found[0]["weight"] < found[1]["weight"] and found[0]["sources"][0]["file"] == "literature.csv"
    assert [near["id"] for near in client.get("/neighbours?of=L2&type=disease").json()["neighbours"]] == ["L3"]


@pytest.mark.parametrize("reading", ["edge", "shortest"])
def test_scenarios_are_those_of_all_pairs(client, folder, reading):
    with kg.BuiltGraph(folder) as graph:
        [table] = kg.classify(graph, kg.CuratedSide(graph, "curated"), readings=(reading,))
    for a, b, code in zip(*table.pairs(), table.code):
        for source, target in ((a, b), (b, a)):
            found = client.get(
                "/scenario", params={"from": f"L{source}", "to": f"L{target}", "reading": reading}
            ).json()
            assert found["scenario"] == SCENARIOS[code] and found["from"]["id"] == f"L{source}"
            if found["path"]:
                assert [found["path"][0]["id"], found["path"][-1]["id"]] == [f"L{source}", f"L{target}"]
                assert all(step["from"] != step["to"] for step in found["steps"])
    curated = client.get("/scenario?from=L2&to=L0").json()
    assert [concept["id"] for concept in curated["curated"]] == ["C2", "C1", "C0"]
    assert curated["path"][0]["counterparts"] == ["C2"] and {a for a, _ in MAPPINGS} == {0, 1, 2, 4}
    assert "no counterpart" in problem(client.get("/scenario?from=L0&to=L3"), 409)["detail"]
    problem(client.get("/scenario?from=L0&to=L0"), 422)


def bulk(client, pairs, **rest):
    return client.post("/bulk", json={"pairs": pairs, **rest})


def test_bulk_answers_have_a_row_for_each_pair_in_order(client):
    pairs = [(f"L{a}", f"L{b}") for a in range(6) for b in range(6)] * 50
    for what in ("distances", "paths"):
        answer = bulk(client, pairs, what=what)
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        assert [(row["from"], row["to"]) for row in rows] == pairs
        for row in rows[:36]:
            found = client.get("/path", params={"from": row["from"], "to": row["to"]}).json()["path"]
            assert row["distance"] == (str(found["weight"]) if found else "")
            if what == "paths":
                assert row["path"] == ("|".join(c["id"] for c in found["concepts"]) if found else "")


def test_bulk_answers_as_arrow_hold_the_same(client):
    ipc = pytest.importorskip("pyarrow.ipc")
    pairs = [("L0", "L2"), ("L0", "L4")] * 300
    answer = bulk(client, pairs, what="paths", form="arrow")
    table = ipc.open_stream(io.BytesIO(answer.content)).read_all()
    rows = list(csv.DictReader(io.StringIO(bulk(client, pairs, what="paths").text)))
    assert table["path"].to_pylist() == [row["path"] or None for row in rows]
    assert table["distance"].to_pylist() == [float(row["distance"]) if row["distance"] else None for row in rows]


def test_an_unknown_concept_is_404_with_the_nearest_names(client):
    for address in (
        "/path?from=L0&to=hart failure",
        "/distance?from=hart failure&to=L0",
        "/neighbours?of=hart failure",
    ):
        assert problem(client.get(address), 404)["nearest"][0]["name"] == NAMES[1]
    found = problem(bulk(client, [("L0", "L1"), ("L0", "hart failure")]), 404)
    assert found["detail"].startswith("pairs[1]: 'hart failure' is no concept")


def test_a_name_of_two_concepts_is_409_with_both(client):
    assert [c["id"] for c in problem(client.get("/path?from=twin&to=L0"), 409)["candidates"]] == ["L1", "L3"]


@pytest.mark.parametrize(
    "text",
    [
        "' or 1=1 --",
        "'; drop table concepts; --",
        "../../../../etc/passwd",
        "<script>alert(1)</script>",
        "${jndi:ldap://x}",
        "\0",
        "\ud800".encode("utf-8", "surrogatepass"),
        "%",
        "_",
        "(a+)+$",
        "\n",
        " ",
        "é" * 300,
    ],
)
def test_injections_are_names_that_nobody_has(client, text):
    for ask in ({"from": text, "to": "L0"}, {"from": "L0", "to": text}):
        for address in ("/path", "/distance", "/paths", "/scenario"):
            assert client.get(address, params=ask).status_code in (404, 422)
    assert client.get("/concepts", params={"q": text, "type": text}).status_code in (404, 422)
    assert client.get("/concepts", params={"q": text}).status_code == 200
    assert client.get("/health").json()["concepts"] == 6


@pytest.mark.parametrize(
    "address",
    [
        "/../serve/limits.py",
        "/%2e%2e/limits.py",
        "/page.js/../../middleware.py",
        "//etc/passwd",
        "/page.js%00.html",
        "/.env",
    ],
)
def test_no_file_beside_the_page_is_given(client, address):
    assert problem(client.get(address), 404)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"pairs": 1}', b'{"pairs": [["L0"]]}', b'{"pairs": [["L0", "L1", "L2"]]}']
    + [b'{"pairs": [["L0", 7]]}', b"[" * 50_000, b"\xff\xfe", b'{"pairs": [], "sql": "drop"}', b'{"what": "all"}'],
)
def test_a_malformed_body_is_refused_with_a_reason(client, body):
    answer = client.post("/bulk", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    problem(answer, answer.status_code)
    assert client.get("/path", params=PATHS).status_code == 200


def test_a_giant_bulk_request_is_refused(client):
    assert "2,001 pairs" in problem(bulk(client, [("L0", "L1")] * 2001), 413)["detail"]
    assert "100,000 bytes" in problem(client.post("/bulk", content=b" " * 100_001), 413)["detail"]
    parts = (b" " * 10_000 for _ in range(1000))  # without a length
    problem(client.post("/bulk", content=parts, headers={"content-type": "application/json"}), 413)


@pytest.mark.parametrize("parameter", ["k=0", "k=51", "limit=0", "limit=nan", "max_hops=0", "k=x", "from=L1", "sql=1"])
def test_a_wrong_parameter_is_named(client, parameter):
    answer = client.get(f"/paths?from=L0&to=L2&{parameter}")
    assert parameter.split("=")[0] in problem(answer, 422)["detail"]


def test_only_reading_is_possible(client):
    for method in ("PUT", "PATCH", "DELETE", "POST"):
        answer = client.request(method, "/path", params=PATHS)
        problem(answer, 405)
        assert answer.headers["allow"] == "GET"


def test_too_many_slow_questions_are_told_to_come_again(folder):
    graph = LoadedGraph(folder)
    entered, go_on = threading.Semaphore(0), threading.Event()

    def search(text, kind):
        entered.release()
        go_on.wait(60)
        return np.zeros(0, int)

    graph.search = search
    limits = Limits(slow=1, waiting=0, query_seconds=0.2)
    with TestClient(application(graph, hosts=["testserver"], limits=limits)) as client:
        answers = []
        first = threading.Thread(target=lambda: answers.append(client.get("/concepts?q=a")))
        first.start()
        entered.acquire()
        busy = client.get("/concepts?q=b")
        assert "limit" in problem(busy, 503)["detail"] and busy.headers["retry-after"] == "1"
        assert client.get("/path", params=PATHS).status_code == 200  # quick ones go on
        first.join()
        assert "0.2 s" in problem(answers[0], 504)["detail"]
        problem(client.get("/concepts?q=c"), 503)  # its thread is not free yet
        go_on.set()
        while client.get("/concepts?q=d").status_code == 503:
            pass


def test_a_search_that_ran_out_of_time_says_what_it_found(client, monkeypatch):
    from atoll.kg import path_search

    monkeypatch.setattr(path_search.PathSearch, "_look", lambda self: (_ for _ in ()).throw(path_search.TimeIsUp))
    assert problem(client.get("/paths", params={**PATHS, "k": 9}), 504)["found"] == []


def test_an_error_of_the_server_tells_nothing_of_it(client, monkeypatch):
    monkeypatch.setattr(LoadedGraph, "neighbours", lambda *_: 1 / 0)
    answer = client.get("/neighbours?of=L0")
    assert "division" not in problem(answer, 500)["detail"]


def test_health_says_when_the_graph_was_built_anew(tmp_path):
    served_folder(tmp_path)
    client = TestClient(application(LoadedGraph(tmp_path), hosts=["testserver"]))
    before = client.get("/health").json()
    assert before["status"] == "ok" and not before["replaced"] and before["curated"] == 4
    old = client.get("/path", params=PATHS).json()
    kg.build(tmp_path, weights="unit")
    assert client.get("/health").json()["replaced"] and client.get("/path", params=PATHS).json() == old


def test_without_a_curated_graph_there_are_paths_but_no_scenarios(tmp_path):
    served_folder(tmp_path)
    with kg.Store.writing(tmp_path) as store:
        store.sql("delete from mappings")
    client = TestClient(application(LoadedGraph(tmp_path), hosts=["testserver"]))
    assert client.get("/path", params=PATHS).status_code == 200 and client.get("/health").json()["curated"] is None
    assert "atoll kg map" in problem(client.get("/scenario", params=PATHS), 409)["detail"]


def test_a_part_of_the_types_is_served_by_itself(tmp_path):
    served_folder(tmp_path)
    kg.build(tmp_path, types=["disease", "drug"])
    client = TestClient(application(LoadedGraph(tmp_path), hosts=["testserver"]))
    ways = client.get("/path", params=PATHS).json()["path"]["concepts"]
    assert [concept["id"] for concept in ways] == ["L0", "L3", "L2"]
    assert "not among the types" in problem(client.get("/distance?from=L1&to=L0"), 422)["detail"]
    json.dumps(client.get("/scenario", params=PATHS).json(), allow_nan=False)
