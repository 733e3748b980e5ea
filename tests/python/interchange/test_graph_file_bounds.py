# SPDX-License-Identifier: Apache-2.0
"""Files that are damaged, or made to fill the memory: each is a graph, or an error of Atoll's that names the file."""

import bz2
import gzip
import io
import json
import random
import re
import resource
import time

import atoll
import pytest
from graph_content import content, read, told

networkx = pytest.importorskip("networkx")

GML = 'graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1 ] ]'
AB = told(False, "ab", [("a", "b")])


@pytest.mark.parametrize("name", ["a.gml.gz", "a.gml.bz2", "a.gml"])
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_packed_files_are_told_by_their_bytes(tmp_path, name, pack):
    assert content(read(tmp_path, name, pack(GML.encode()))) == AB
    assert content(read(tmp_path, name, pack(GML[:20].encode()) + pack(GML[20:].encode()))) == AB


def test_zeros_behind_gzip_are_nothing(tmp_path):
    assert content(read(tmp_path, "a.gml.gz", gzip.compress(GML.encode()) + bytes(512))) == AB


def of_blanks(megabytes, pack):
    """A packed file that expands a thousand times: a megabyte of blanks, again and again."""
    return pack(b" " * (1 << 20)) * megabytes


@pytest.mark.parametrize("ending", ["graphml", "gexf", "gml", "net", "json"])
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_what_expands_without_end_is_refused_early(tmp_path, ending, pack):
    path = tmp_path / f"a.{ending}.gz"
    path.write_bytes(of_blanks(600, pack))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(atoll.InputError, match=rf"a.{ending}.gz: expands from \d+ to more than \d+ bytes"):
        atoll.Graph(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10  # KiB


def test_what_expands_a_little_is_read(tmp_path):
    assert content(read(tmp_path, "a.gml.gz", gzip.compress(GML.encode()) + of_blanks(30, gzip.compress))) == AB


@pytest.mark.parametrize(
    "bytes_, said",
    [
        (gzip.compress(GML.encode())[:-12], "gzip cannot read it as packed .*Was it cut off"),
        (gzip.compress(GML.encode())[:-8] + b"12345678", "gzip cannot read it as packed .*CRC"),
        (gzip.compress(GML.encode()) + b"more", "gzip cannot read it as packed .*Not a gzipped file"),
        (bz2.compress(GML.encode())[:-12], "bz2 cannot read it as packed .*Was it cut off"),
    ],
)
def test_a_damaged_packing_is_named(tmp_path, bytes_, said):
    with pytest.raises(atoll.InputError, match=said) as raised:
        read(tmp_path, "a.gml.gz", bytes_)
    assert ("cut off" in str(raised.value)) == ("cut off" in said)


BILLION = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))
BILLION = f'<?xml version="1.0"?><!DOCTYPE graphml [<!ENTITY e0 "ha">{BILLION}]>'

TOO_DEEP = {
    "entities.graphml": (f'{BILLION}<graphml><graph><node id="&e11;"/></graph></graphml>', "declares the entity 'e0'"),
    "entities.gexf": (f'{BILLION}<gexf><graph><nodes><node id="&e11;"/></nodes></graph></gexf>', "declares the entity"),
    "outside.graphml": (
        '<!DOCTYPE g [<!ENTITY f SYSTEM "file:///etc/hostname">]><graphml>&f;</graphml>',
        "declares the entity 'f'",
    ),
    "deep.graphml": ("<graphml>" + "<graph><node id='a'>" * 100000, "elements are in one another"),
    "deep.gexf": ("<gexf>" + "<a>" * 1000000, "elements are in one another"),
    "deep.json": ("[" * 1000000, "json cannot read it as JSON .RecursionError"),
    "deeper.json": ('{"nodes": ' * 100000, "json cannot read it as JSON .RecursionError"),
    "id.json": ('{"nodes": [{"id": %s}], "links": []}' % ("[" * 900 + "]" * 900), "id.json"),
    "deep.gml": ("graph [ " * 1000000, "records are in one another"),
    "number.json": ('{"nodes": [{"id": %s}], "links": []}' % ("1" * 100000), "json cannot read it as JSON"),
    "number.graphml": (
        '<graphml><key id="w" attr.type="int"><default>%s</default></key><graph><node id="a"/></graph></graphml>'
        % ("1" * 100000),
        "its key says int",
    ),
    "many.net": ("*Vertices 1000000000\n*Edges\n1 2\n", "a file of this size has at most"),
    "matrix.net": ("*Vertices 1000000\n*Matrix\n1\n", "the matrix has 1 numbers"),
}


@pytest.mark.parametrize("name", TOO_DEEP)
def test_what_would_fill_memory_or_stack_is_refused(tmp_path, name):
    text, said = TOO_DEEP[name]
    start = time.monotonic()
    try:
        read(tmp_path, name, text)
    except atoll.InputError as e:
        assert re.search(said, str(e)), e
        assert str(tmp_path / name) in str(e)
    else:
        assert name == "id.json"
    assert time.monotonic() - start < 20


def test_long_texts_take_linear_time(tmp_path):
    long = "x&lt;\n" * 400000
    text = f'<graphml><key id="k"/><graph><node id="a"><data key="k">{long}</data></node></graph></graphml>'
    start = time.monotonic()
    assert len(read(tmp_path, "a.graphml", text).vertex_attributes["k"][0]) == 3 * 400000
    assert read(tmp_path, "a.gml", f'graph [ node [ id 0 k "{long}" ] ]').n == 1
    with pytest.raises(atoll.InputError, match="a quote within a word"):
        read(tmp_path, "a.net", "*Vertices 1\n1 " + '"x' * 400001)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("name, library", [("a.gml", "graph"), ("a.json", "JSON"), ("a.net", "net")])
def test_missing_files_and_folders_are_the_machines_matter(tmp_path, name, library):
    with pytest.raises(atoll.IoError, match=f"{name}: cannot be read .No such file"):
        atoll.Graph(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(atoll.IoError, match=f"{name}: cannot be read .Is a directory"):
        atoll.Graph(tmp_path / name, format={"gml": "gml", "json": "json", "net": "pajek"}[name[2:]])


def valid_files():
    """A small valid file of each format."""
    G = networkx.gnp_random_graph(8, 0.3, seed=3, directed=True)
    G = networkx.relabel_nodes(G, {node: f"n {node}ü" for node in G})
    for k, (_, _, data) in enumerate(G.edges(data=True)):
        data.update(weight=k + 0.25, kind="road")

    def written(write):
        file = io.BytesIO()
        write(G, file)
        return file.getvalue()

    edges = [{"source": u, "target": v, "metadata": data} for u, v, data in G.edges(data=True)]
    project = b'*Network x\n*Vertices 4 2\n1 "a" 0.1 0.2\n2 "b"\n*Matrix\n1 2\n0 2.5\n\n'
    project += b"*Partition p\n*Vertices 4\n1\n1\n2\n2\n"
    relations = b'*Vertices 3\n1 "a b" 0.1 0.2 ellipse ic Red\n*Arcs :1 "likes"\n1 2 3 l "x y"\n'
    relations += b"*Edgeslist\n1 2 3\n*Arcs\n2: 1 3 4\n"
    return {
        "a.graphml": written(networkx.write_graphml),
        "a.gexf": written(networkx.write_gexf),
        "a.gml": written(networkx.write_gml),
        "b.gml.gz": gzip.compress(written(networkx.write_gml)),
        "a.net": written(networkx.write_pajek),
        "b.net": relations,
        "a.paj": project,
        "a.json": json.dumps(networkx.node_link_data(G, edges="links")).encode(),
        "b.json": json.dumps(networkx.adjacency_data(G)).encode(),
        "c.json": json.dumps(networkx.cytoscape_data(G)).encode(),
        "d.json": json.dumps({"graph": {"nodes": {node: {} for node in G}, "edges": edges}}).encode(),
    }


VALID = valid_files()


def damaged(data, rng):
    """The bytes with some flipped, cut off, left out, or with a line more or less."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randrange(len(data))
        separator = b"\n" if b"\n" in data else b"}"
        lines = data.split(separator)
        line = rng.randrange(len(lines))
        change = rng.randrange(6)
        if change == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif change == 1:
            data[at] = rng.randrange(256)
        elif change == 2:
            del data[max(at, 1) :]
        elif change == 3:
            del data[max(at, 1) : at + rng.randrange(1, 30)]
        else:
            lines[line : line + 1] = [] if change == 4 and len(lines) > 1 else [lines[line]] * 2
            data = bytearray(separator.join(lines)) or bytearray(b"x")
    return bytes(data)


@pytest.mark.parametrize("name", VALID)
def test_a_damaged_file_is_a_graph_or_an_error_that_names_it(tmp_path, name):
    assert read(tmp_path, name, VALID[name]).n > 2
    for seed in range(60):
        changed = damaged(VALID[name], random.Random(f"{name} {seed}"))
        try:
            read(tmp_path, name, changed)
        except atoll.errors.Error as e:
            assert str(tmp_path / name) in str(e), (seed, e)
        except Exception as e:
            pytest.fail(f"seed {seed}: {type(e).__name__}: {e}: {changed[:200]!r}")
