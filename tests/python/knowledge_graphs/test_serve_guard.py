# SPDX-License-Identifier: Apache-2.0
"""Who may ask a server, what stands in every answer, and how its process starts and ends."""

import concurrent.futures
import json
import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

for module in ("duckdb", "fastapi", "httpx"):
    pytest.importorskip(module)

from atoll import kg  # noqa: E402
from atoll.serve.application import application  # noqa: E402
from atoll.serve.limits import Limits  # noqa: E402
from atoll.serve.loaded_graph import LoadedGraph  # noqa: E402
from atoll.serve.mapped_memory import MappedMemory  # noqa: E402
from serve_client import get, served_folder, server  # noqa: E402
from starlette.testclient import TestClient  # noqa: E402

TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return served_folder(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def loaded(folder):
    return LoadedGraph(folder)


def test_another_host_is_refused(loaded):
    client = TestClient(application(loaded, hosts=["localhost", "[::1]"]))
    for host in ("localhost", "LOCALHOST:8750", "[::1]:1"):
        assert client.get("/health", headers={"host": host}).status_code == 200
    for host in ("evil.example", "localhost.evil.example", "evil.example:8750", "", "localhost@evil.example", "[::1]x"):
        answer = client.get("/health", headers={"host": host})
        assert answer.status_code == 421 and "Host" in answer.json()["detail"]
        assert client.get("/", headers={"host": host}).status_code == 421


def test_a_token_is_asked_for_everywhere_but_for_the_page(loaded):
    client = TestClient(application(loaded, hosts=["testserver"], token=TOKEN))
    for address in ("/health", "/path?from=L0&to=L1", "/openapi.json", "/nothing"):
        for value in (None, TOKEN, f"Basic {TOKEN}", "Bearer ", f"Bearer {TOKEN}0", "Bearer é"):
            headers = {} if value is None else {"authorization": value.encode()}
            answer = client.get(address, headers=headers)
            assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
    assert client.get("/health", headers={"authorization": f"bearer {TOKEN}"}).status_code == 200
    assert client.get("/").status_code == 200
    document = client.get("/openapi.json", headers={"authorization": f"Bearer {TOKEN}"}).json()
    assert document["security"] == [{"token": []}] and "401" in document["paths"]["/path"]["get"]["responses"]


def test_every_answer_has_the_headers_of_security(loaded):
    client = TestClient(application(loaded, hosts=["testserver"]))
    answers = [client.get(a) for a in ("/", "/health", "/nothing", "/path?from=x&to=y")]
    answers += [client.get("/health", headers={"host": "x"}), client.post("/bulk", json={"pairs": []})]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


def test_a_request_too_many_is_told_so(loaded):
    client = TestClient(application(loaded, hosts=["testserver"], limits=Limits(requests=0)))
    assert client.get("/health").status_code == 503


def refused(folder, *words, environment=None):
    done = subprocess.run(
        [sys.executable, "-m", "atoll.serve.command_line", str(folder), "--port", "0", *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**{k: v for k, v in os.environ.items() if k != "ATOLL_SERVE_TOKEN"}, **(environment or {})},
    )
    return done.returncode, done.stderr


def test_another_address_needs_a_token(folder):
    for address in ("0.0.0.0", "::", "192.0.2.1", "my-machine"):
        code, text = refused(folder, "--address", address)
        assert code == 2 and "ATOLL_SERVE_TOKEN" in text
    code, text = refused(folder, "--token", "short")
    assert code == 2 and "5 characters" in text
    with server(folder, "--address", "0.0.0.0", environment={"ATOLL_SERVE_TOKEN": TOKEN}) as (address, _):
        address = address.replace("0.0.0.0", "127.0.0.1")
        assert get(f"{address}/health")[0] == 401
        assert get(f"{address}/health", {"Authorization": f"Bearer {TOKEN}"})[0] == 200


@pytest.mark.nightly
def test_a_folder_that_cannot_be_served_is_an_error(folder, tmp_path):
    code, text = refused(tmp_path)
    assert code == 3 and "atoll kg import" in text
    code, text = refused(folder, "--graph", "curated")
    assert code == 3 and "atoll kg build" in text
    assert refused(folder, "--graph", "../literature")[0] in (2, 3)
    assert refused(folder, "--slow", "0")[0] == refused(folder, "--port", "70000")[0] == 2
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, text = refused(folder, "--port", str(taken.getsockname()[1]))
    assert code == 3 and "Choose another --port" in text


def test_without_fastapi_the_command_says_what_to_install(folder, tmp_path):
    (tmp_path / "fastapi.py").write_text("raise ImportError(name='fastapi')")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    code, text = refused(folder, environment={"PYTHONPATH": path})
    assert code == 2 and "pip install '.[kg]'" in text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_within_a_second_whatever_is_under_way(folder, number):
    with server(folder) as (address, process):
        host, port = address[7:].split(":")
        idle = socket.create_connection((host, int(port)))
        half = socket.create_connection((host, int(port)))
        half.sendall(b"POST /bulk HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999\r\n\r\n{")
        assert get(f"{address}/health")[0] == 200
        began = time.monotonic()
        process.send_signal(number)
        process.wait(10)
        # A second; under load two of them.
        assert time.monotonic() - began < 1 + os.getloadavg()[0] / os.cpu_count()
        assert process.returncode == -number
        idle.close(), half.close()


def test_what_is_no_http_leaves_the_server_up(folder):
    with server(folder) as (address, process):
        host, port = address[7:].split(":")
        for text in (
            b"\0\1\2\3\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: 127.0.0.1\r\n\r\n",
            b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"POST /bulk HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
            b"POST /bulk HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        ):
            with socket.create_connection((host, int(port)), timeout=30) as peer:
                peer.sendall(text)
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65536):
                    pass
        assert process.poll() is None and get(f"{address}/health")[0] == 200


def test_many_clients_at_once_get_their_own_answers(folder):
    with server(folder) as (address, _):

        def ask(i):
            a, b = i % 4, i // 4 % 4
            one = json.loads(get(f"{address}/path?from=L{a}&to=L{b}")[2])
            several = json.loads(get(f"{address}/paths?from=L{a}&to=L{b}&k=2")[2])
            assert (one["from"]["id"], one["to"]["id"]) == (f"L{a}", f"L{b}")
            return one["path"] == several["paths"][0]

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, range(128)))


def test_an_id_comes_before_a_name_and_folders_of_sources_are_not_told(tmp_path):
    served_folder(tmp_path)
    with kg.Store.writing(tmp_path) as store:
        store.sql("update concepts set name = 'L2' where graph = 'literature' and concept = 5")
        store.sql("update sources set path = '/home/someone/secret/edges.csv'")
    client = TestClient(application(LoadedGraph(tmp_path), hosts=["testserver"]))
    answer = client.get("/path?from=L0&to=L2")
    assert answer.json()["to"]["concept"] == 2
    assert answer.json()["path"]["steps"][0]["sources"][0]["file"] == "edges.csv" and "someone" not in answer.text


def test_mapped_pages_are_given_back_and_read_the_same_again(tmp_path):
    file = tmp_path / "matrix.npy"
    np.save(file, np.arange(4 << 20, dtype=np.int64).reshape(1024, -1))
    matrix = np.load(file, mmap_mode="r")
    memory = MappedMemory(str(file), most_bytes=8 << 20)
    before = matrix.sum()  # maps 32 MB
    assert memory.trim() and not memory.trim()
    assert matrix.sum() == before
    assert [memory.trim_at_times() for _ in range(4)] == [False, False, False, True]
