# SPDX-License-Identifier: Apache-2.0
"""Pictures of graphs: what is drawn, where, in which colours, and the files."""

import subprocess
import sys
import xml.etree.ElementTree as xml

import atoll
import numpy as np
import pytest
from atoll.drawing.layout import places_by_forces

SVG = "{http://www.w3.org/2000/svg}"


def parts(picture, tag):
    return xml.fromstring(picture.svg).findall(f".//{SVG}{tag}")


def two_cliques(size=8):
    pairs = [(u, v) for u in range(size) for v in range(u)]
    pairs += [(u + size, v + size) for u, v in pairs] + [(0, size)]
    return atoll.Graph.from_edges(*map(list, zip(*pairs)), directed=False)


def test_every_vertex_and_edge_is_drawn_within_the_picture():
    picture = atoll.draw(two_cliques(), width=300, height=200)
    assert len(parts(picture, "circle")) == 16 and len(parts(picture, "line")) == 57
    for circle in parts(picture, "circle"):
        assert 0 < float(circle.get("cx")) < 300 and 0 < float(circle.get("cy")) < 200
    assert repr(picture) == "<atoll.Picture: edges: 16 vertices, 57 edges>"


def test_forces_put_neighbours_near_each_other_and_are_the_same_for_the_same_seed():
    graph = two_cliques()
    source, target = graph.edges.arrays()
    place = places_by_forces(16, source, target, seed=3)
    assert np.isfinite(place).all() and (place == places_by_forces(16, source, target, seed=3)).all()
    apart = np.hypot(*(place[:, None] - place[None]).transpose(2, 0, 1))
    assert apart[:8, :8].mean() < apart[:8, 8:].mean() / 2
    assert abs(place.mean()) < 1e-9


@pytest.mark.parametrize("text", ["path:1", "path:2", "star:50", "ring:40", "complete:30"])
def test_forces_end_at_places_that_differ(text):
    graph = atoll.Graph(text) if text != "path:1" else atoll.Graph.from_edges([3], [3])
    picture = atoll.draw(graph)
    assert np.isfinite(picture.place).all() and len(np.unique(picture.place, axis=0)) == graph.n


def test_colours_by_group_and_by_number_and_sizes():
    graph = two_cliques()
    lone = graph.add_edges([100], [101])
    groups = atoll.draw(lone, color=atoll.connected_components(lone).component)
    assert len(set(groups.colors)) == 2 and groups.colors[0] != groups.colors[-1]
    scores = atoll.pagerank(graph).score
    ramp = atoll.draw(graph, color=scores, size=scores)
    assert ramp.radii.argmax() in (0, 8) and ramp.radii.min() == pytest.approx(4)
    assert ramp.colors[0] == "#5a0000" and "pagerank" in ramp.tips[0]
    assert set(atoll.draw(graph, color="red").colors) == {"red"}


def test_a_part_of_a_large_graph_says_which():
    picture = atoll.draw(atoll.Graph("kron:10"), most=50)
    assert len(picture.keys) == 50 and "50 of 1024 vertices, those of highest degree" in picture.note
    path = atoll.Graph("path:30")
    near = atoll.draw(path, around=10, hops=2)
    assert near.keys == [8, 9, 10, 11, 12] and "at most 2 edges from 10" in near.note
    star = atoll.draw(atoll.Graph("star:30"), around=7, hops=2, most=3)
    assert 7 in star.keys and 0 in star.keys and "of these those of highest degree" in star.note


def test_names_labels_and_given_places():
    graph = atoll.Graph.from_edges(["Ann", "Bob"], ["Bob", "<Cid>"])
    picture = atoll.draw(graph, labels=True, place=np.array([[0, 0], [1, 0], [2, 1]]))
    assert [text.text for text in parts(picture, "text")] == ["<Cid>", "Ann", "Bob"]
    x, y = picture.place.T
    assert x[0] < x[1] < x[2] and y[0] == y[1] > y[2]  # upwards in the plane is upwards in the picture
    assert len(parts(picture, "marker")) == 1  # arrows
    assert not parts(atoll.draw(graph, labels=False), "text")
    assert atoll.draw(graph, around="Bob").keys == ["<Cid>", "Ann", "Bob"]


def test_results_and_dicts_do_for_arrays():
    graph = atoll.Graph.from_edges(["Ann", "Bob", "Bob"], ["Bob", "Cid", "Bob"], directed=False)
    scores = atoll.pagerank(graph)
    assert atoll.draw(graph, size=scores).radii.tolist() == atoll.draw(graph, size=scores.score).radii.tolist()
    picture = atoll.draw(graph, color=atoll.connected_components(graph), labels={"Ann": 1, "Bob": 2, "Cid": 3})
    assert picture.tips[0] == "Ann\ncomponent Ann" and picture.labels == ["1", "2", "3"]
    assert atoll.draw(graph, place={"Ann": (0, 0), "Bob": (1, 1), "Cid": (2, 0)}).place[1, 1] < 300
    assert len(parts(picture, "line")) == 2 and len(parts(picture, "circle")) == 4  # a loop is a circle, too
    assert "<script>" not in atoll.draw(graph, color='"/><script>').svg


def test_files(tmp_path):
    picture = atoll.draw(two_cliques(3))
    for name in ("a.svg", "a.html"):
        picture.save(tmp_path / name)
    assert xml.parse(tmp_path / "a.svg").getroot().tag == SVG + "svg"
    page = (tmp_path / "a.html").read_text()
    assert page.startswith("<!doctype html>") and "const edges = [[" in page and "addEventListener" in page
    with pytest.raises(atoll.UsageError, match="no picture's"):
        picture.save(tmp_path / "a.pdf")
    assert "<svg" in picture._repr_html_()


def test_png_by_cairosvg_or_a_word_about_it(tmp_path):
    picture = atoll.draw(two_cliques(3))
    try:
        import cairosvg  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pip install cairosvg"):
            picture.save(tmp_path / "a.png")
    else:
        picture.save(tmp_path / "a.png")
        assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"


def test_wrong_arguments():
    graph = atoll.Graph("ring:5")
    other = atoll.pagerank(atoll.Graph("ring:6")).score
    nan = np.full((5, 2), np.nan)
    wrong = [{"size": [1, 2]}, {"color": other}, {"around": 9}, {"most": 0}, {"most": 10**6}, {"place": [[0, 0]]}]
    for options in [*wrong, {"place": nan}, {"size": list("abcde")}, {"labels": {0: "a"}}, {"place": {0: (0, 0)}}]:
        with pytest.raises(atoll.InputError):
            atoll.draw(graph, **options)


def test_a_graph_over_ranks_is_refused():
    program = (
        "import atoll\n"
        "def draw(world):\n"
        "    try:\n"
        "        atoll.draw(atoll.Graph('ring:5', comm=world))\n"
        "    except TypeError as error:\n"
        "        assert 'spread over 2 ranks' in str(error)\n"
        "        return 1\n"
        "assert atoll.run_ranks(2, draw) == [1, 1]\n"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
