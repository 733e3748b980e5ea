// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <string>

/// Machines that verbs measure.
namespace atl::cli {

/// The costs of the levels of a hierarchy of this job's ranks, by calibrate() with so many rounds, the day in their
/// provenance, and what records cost a rank, by measure_record_costs(). Collective.
Machine measured_machine(World& world, const Hierarchy& hierarchy, int rounds);

/// A table of the costs, a line a level, and a line for those of records.
std::string costs_text(const Machine& machine, const Hierarchy& hierarchy);

}  // namespace atl::cli
