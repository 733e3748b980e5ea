# SPDX-License-Identifier: Apache-2.0
"""The output of our own programs, without the messages of libraries below them."""

import re

# hwloc's on stderr and UCX's on stdout, on a machine where /sys is not mounted.
OTHERS = re.compile(r"^(\[hwloc/|\[\d+\.\d+\] \[[^]]+\] .* UCX ).*\n?", re.MULTILINE)


def own_words(text):
    return OTHERS.sub("", text)
