# SPDX-License-Identifier: Apache-2.0
"""What a program of ours said, without the words of libraries below it."""

import re

# hwloc's on stderr and UCX's on stdout, as of a machine whose /sys is not mounted.
OTHERS = re.compile(r"^(\[hwloc/|\[\d+\.\d+\] \[[^]]+\] .* UCX ).*\n?", re.MULTILINE)


def own_words(text):
    return OTHERS.sub("", text)
