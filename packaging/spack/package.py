# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F403, F405 (Spack's way)
"""A Spack recipe of the command and the C++ library. It has not been run.

In a repository of your own (`spack repo create`): packages/atoll/package.py, with `git` set to a
clone that Spack reaches. Then `spack install atoll ^openmpi`. The Python package comes by
`pip install .` in a clone, in that environment.
"""

from spack.package import *


class Atoll(CMakePackage):
    """Distributed graphs on one engine in which every byte knows which link it crosses."""

    git = "file:///path/to/atoll"  # a clone

    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default=True, description="Ranks over MPI: Open MPI or MPICH")
    variant("ofi", default=False, description="Ranks over libfabric")
    variant("xml_yaml", default=True, description="Topologies of hwloc (XML) and SimGrid, and those in YAML")

    depends_on("cxx", type="build")
    depends_on("cmake@3.23:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2:", type="build")
    depends_on("hwloc@2:")
    depends_on("zstd")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("boost+context")
    depends_on("mpi", when="+mpi")
    depends_on("libfabric", when="+ofi")
    depends_on("pugixml", when="+xml_yaml")
    depends_on("yaml-cpp", when="+xml_yaml")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("ATOLL_TESTS", False),
            self.define("ATOLL_SIMGRID", False),  # wants 3.32
            self.define("ATOLL_PYTHON", False),
            self.define_from_variant("ATOLL_MPI", "mpi"),
            self.define_from_variant("ATOLL_OFI", "ofi"),
            self.define_from_variant("ATOLL_XML_YAML", "xml_yaml"),
        ]
