# SPDX-License-Identifier: Apache-2.0
"""Distributed graphs on one engine in which every byte knows which link it crosses."""

from ._core import __version__

__all__ = ["__version__"]
