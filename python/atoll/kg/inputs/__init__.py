# SPDX-License-Identifier: Apache-2.0
"""The inputs of a store: tables, annotations, predications, citations, cross-references, and what was wrong."""
