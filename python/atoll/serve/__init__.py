# SPDX-License-Identifier: Apache-2.0
"""`atoll serve`: questions to a built knowledge graph over HTTP, and a page that asks them (docs/serve.md).

A server reads names, edges and mappings once into compact arrays and closes the store; distances stay in their file,
mapped. Nothing is written. It needs FastAPI and Uvicorn: the extra `kg`.
"""
