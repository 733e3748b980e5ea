#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by the benchmark's own run-benchmark.sh, in the folder of the distribution.
if [ ! -f "$config/platform.properties" ]; then
  echo "$config/platform.properties is missing (it is made from config-template). Copy that folder to config." >&2
  exit 1
fi
LIBRARY_JAR=$(ls lib/graphalytics-platforms-atoll-*.jar)
export LIBRARY_JAR
