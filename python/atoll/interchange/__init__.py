# SPDX-License-Identifier: Apache-2.0
"""Conversion from other packages and back to them: columns, tables, and graphs of NetworkX and igraph."""
