# SPDX-License-Identifier: Apache-2.0
"""A graph as a container: its vertices, edges and degrees as NetworkX shows them."""
