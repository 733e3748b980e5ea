#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes away what load-graph.sh made, and nothing else.
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
need OUTPUT_PATH
rm -f "$OUTPUT_PATH"/{graph.v,graph.e,properties}
rmdir "$OUTPUT_PATH"
