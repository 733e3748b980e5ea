#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One algorithm on a loaded graph: its values to OUTPUT_PATH, its processing time to LOG_PATH/processing-seconds.
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
need JOB_ID LOG_PATH ALGORITHM INPUT_PATH OUTPUT_PATH ATOLL
[ -r "$INPUT_PATH/properties" ] || fail "$INPUT_PATH holds no loaded graph. Call load-graph.sh first."

# The job's own folder: the graph, and this job's parameters.
job=$INPUT_PATH/job-$JOB_ID
mkdir -p "$job" "$LOG_PATH" "$(dirname "$OUTPUT_PATH")"
trap 'rm -rf "$job"' EXIT
ln -sf ../graph.v "$job/graph.v"
ln -sf ../graph.e "$job/graph.e"
{
  cat "$INPUT_PATH/properties"
  echo "graph.graph.algorithms = $ALGORITHM"
  case $ALGORITHM in
    bfs | sssp)
      need SOURCE_VERTEX
      echo "graph.graph.$ALGORITHM.source-vertex = $SOURCE_VERTEX"
      [ "$ALGORITHM" = bfs ] || echo "graph.graph.sssp.weight-property = weight"
      ;;
    cdlp)
      need MAX_ITERATION
      echo "graph.graph.cdlp.max-iterations = $MAX_ITERATION"
      ;;
    pr)
      need MAX_ITERATION DAMPING_FACTOR
      echo "graph.graph.pr.damping-factor = $DAMPING_FACTOR"
      echo "graph.graph.pr.num-iterations = $MAX_ITERATION"
      ;;
    lcc | wcc) ;;
    *) fail "algorithm '$ALGORITHM' is unknown (there are bfs, cdlp, lcc, pr, sssp, wcc). Correct the call." ;;
  esac
} >"$job/graph.properties"

words=(graphalytics "$job" --trials 1 --output "$job" --json "$LOG_PATH/atoll.json")
[ "${RANKS:-1}" = 1 ] || words+=(--ranks "$RANKS")
[ "${THREADS:-0}" = 0 ] || words+=(--threads "$THREADS")
read -ra more <<<"${OPTIONS:-}"
"$ATOLL" "${words[@]}" "${more[@]}" >"$LOG_PATH/atoll.txt" &
echo $! >"$LOG_PATH/executable.pid" # whom the benchmark ends when the job takes too long
wait $! || fail "atoll left with exit code $? (job $JOB_ID, $ALGORITHM). See its message."
mv "$job/graph-${ALGORITHM^^}.txt" "$OUTPUT_PATH"
sed -n 's/.*"processing_seconds": *\([0-9.eE+-]*\).*/\1/p' "$LOG_PATH/atoll.json" >"$LOG_PATH/processing-seconds"
[ -s "$LOG_PATH/processing-seconds" ] || fail "$LOG_PATH/atoll.json has no processing time. Report this."
