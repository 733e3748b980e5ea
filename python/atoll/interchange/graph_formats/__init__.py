# SPDX-License-Identifier: Apache-2.0
"""Files of graphs that other programs write, each format in one module, read as a FileGraph."""
