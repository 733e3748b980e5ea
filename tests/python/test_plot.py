# SPDX-License-Identifier: Apache-2.0
"""Notebook output of results: valid XML, of bounded size."""

import xml.etree.ElementTree as xml

import atoll
import numpy as np
import pytest
from atoll.plot import histogram

SVG = "{http://www.w3.org/2000/svg}"
ROWS = {
    "none": [],
    "one": [3.5],
    "equal": [7, 7, 7],
    "bools": [True, False],
    "not finite": [np.nan, np.inf, -np.inf],
    "some not finite": [np.nan, 1.0, 5.0],
    "negative": [-3, 0, 12],
    "floats": np.random.default_rng(1).pareto(1, 200_000).astype(np.float32),
    "extreme ints": [np.iinfo(np.int64).min, np.iinfo(np.int64).max],
    "extreme floats": [-1.7e308, 1.7e308],
    "tiny": [5e-324, 1e300],
    "neighbours": [1.0, np.nextafter(1.0, 2)],
}


@pytest.mark.parametrize("row", ROWS)
def test_histograms_are_valid_bounded_and_count_every_finite_value(row):
    values = np.asarray(ROWS[row])
    text = histogram(values, "a < b & 'c'")
    root = xml.fromstring(text)
    assert len(text) < 8192
    bars = root.findall(f"{SVG}rect")
    assert len(bars) <= 24
    counts = [int(bar.find(f"{SVG}title").text.replace(",", "")) for bar in bars]
    assert sum(counts) == np.isfinite(values).sum()
    for bar in bars:
        numbers = [float(bar.get(key)) for key in ("x", "y", "width", "height")]
        assert np.all(np.isfinite(numbers)) and min(numbers) >= 0


def test_results_show_themselves_in_a_notebook():
    graph = atoll.Graph("kron:12")
    found = atoll.bfs(graph, int(graph.ids[0]))
    for values in (
        atoll.pagerank(graph).score,
        atoll.core_number(graph).core,
        atoll.connected_components(graph).component,
        found.depth,
        found.parent,
    ):
        page = values._repr_html_()
        xml.fromstring(page)
        assert len(page) < 9000 and values.name in page
    for result in (found, atoll.pagerank(graph), atoll.clustering(graph), atoll.label_propagation(graph)):
        xml.fromstring(result._repr_html_())
        assert result._repr_html_().count("<svg") in (1, 2)
    assert f"{found.reached:,} values" in found.depth._repr_html_()


def test_the_picture_of_a_rank_says_whose_it_is():
    def play(world):
        return atoll.core_number(atoll.Graph("ring:9", comm=world)).core._repr_html_()

    assert ["rank 0 of 2" in page for page in atoll.run_ranks(2, play)] == [True, False]
