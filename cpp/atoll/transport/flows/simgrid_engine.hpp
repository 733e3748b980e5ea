// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/s4u.hpp>

namespace atl::flows {

/// SimGrid's only engine in this process, with settings under which a flow costs what our model says; created at the
/// first call. `on_completion` is called for each finished Comm of all our clocks. Throws TransportError if another
/// simulation exists in this process or one of our clocks runs.
simgrid::s4u::Engine& simgrid_engine(void (*on_completion)(const simgrid::s4u::Comm& comm));

}  // namespace atl::flows
