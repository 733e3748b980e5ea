#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whether the command that runs the jobs is there.
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"
need ATOLL
"$ATOLL" --version >/dev/null || fail "$ATOLL cannot be run (platform.atoll.command names it). Correct config/platform.properties."
