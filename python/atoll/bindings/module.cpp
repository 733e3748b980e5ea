// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include <atoll/base/version.hpp>

NB_MODULE(_core, m) { m.attr("__version__") = atl::kVersion.data(); }
