# SPDX-License-Identifier: Apache-2.0
# Sourced: "--key-name value ..." becomes variables KEY_NAME; `need KEY ...` names those that must be there.
set -euo pipefail

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  [[ $1 == --?* ]] || fail "'$1' is no option (options are --name value). Correct the call."
  [ $# -ge 2 ] || fail "$1 has no value. Give one."
  key=${1#--}
  key=${key//-/_}
  printf -v "${key^^}" '%s' "$2"
  shift 2
done

need() {
  local key option
  for key in "$@"; do
    option=${key,,}
    [ -n "${!key:-}" ] || fail "--${option//_/-} is missing. Give it."
  done
}
