# SPDX-License-Identifier: Apache-2.0
from importlib import metadata

import atoll


def test_package_and_library_have_one_version():
    assert atoll.__version__ == metadata.version("atoll")
