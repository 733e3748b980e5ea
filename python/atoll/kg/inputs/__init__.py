# SPDX-License-Identifier: Apache-2.0
"""What a store is made from: tables, annotations, predications, citations, cross-references, and what was wrong."""
