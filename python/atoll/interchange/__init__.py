# SPDX-License-Identifier: Apache-2.0
"""What comes from other packages and goes back to them: columns, tables, and graphs of NetworkX and igraph."""
