# SPDX-License-Identifier: Apache-2.0
"""Python's functions of the algorithms, by subject; they are names of `atoll` itself, too."""
