#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A folder that `atoll graphalytics` reads: the benchmark's own files, and what they mean.
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
need GRAPH_NAME INPUT_VERTEX_PATH INPUT_EDGE_PATH OUTPUT_PATH DIRECTED WEIGHTED
for file in "$INPUT_VERTEX_PATH" "$INPUT_EDGE_PATH"; do
  [ -r "$file" ] || fail "$file cannot be read (graph $GRAPH_NAME). Correct graphs.root-directory."
done
mkdir -p "$OUTPUT_PATH"
ln -sf "$(realpath "$INPUT_VERTEX_PATH")" "$OUTPUT_PATH/graph.v"
ln -sf "$(realpath "$INPUT_EDGE_PATH")" "$OUTPUT_PATH/graph.e"
{
  echo "# $GRAPH_NAME"
  echo "graph.graph.vertex-file = graph.v"
  echo "graph.graph.edge-file = graph.e"
  echo "graph.graph.directed = $DIRECTED"
  if [ "$WEIGHTED" = true ]; then
    echo "graph.graph.edge-properties.names = weight"
    echo "graph.graph.edge-properties.types = real"
  fi
} >"$OUTPUT_PATH/properties"
