// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/device/cola/cola_plan.hpp>
#include <cstdint>
#include <tuple>

namespace atl {
namespace {

using Columns = std::span<const Vertex>;

Columns within(Columns ascending, Vertex begin, Vertex end) {
  const auto first = std::ranges::lower_bound(ascending, begin), last = std::ranges::lower_bound(ascending, end);
  return {first, last};
}

Local to_local(std::size_t rows, const char* what) {
  check(rows <= INT32_MAX, "{} of {} rows (at most 2^31 - 1 can be numbered). Take more PEs.", what, rows);
  return static_cast<Local>(rows);
}

/// Columns of `source` that PEs of `group` need, each once (section 4.3, algorithm 2 with A_{k,i} in line 6).
std::vector<Vertex> fused_columns(const ColaGroups& groups, Rank group, Rank source, const Blocks& blocks,
                                  std::span<const std::vector<Vertex>> needed) {
  std::vector<Vertex> out;
  for (Rank k = groups.begin(group); k < groups.end(group); ++k) {
    const Columns of_one = within(needed[k], blocks.begin(source), blocks.end(source));
    const auto before = static_cast<std::ptrdiff_t>(out.size());
    out.insert(out.end(), of_one.begin(), of_one.end());
    std::inplace_merge(out.begin(), out.begin() + before, out.end());
  }
  const auto rest = std::ranges::unique(out);
  out.erase(rest.begin(), rest.end());
  return out;
}

/// Where the columns of one PE lie in the buffers of another workgroup, or of its own.
class Section {
 public:
  /// All columns in order, as in the owner's B.
  Section(Rank owner, const Blocks& blocks)
      : all_(true), holder_(owner), from_(blocks.begin(owner)), size_(static_cast<std::size_t>(blocks.size(owner))) {}
  /// Compacted.
  Section(Rank holder, Local first, std::vector<Vertex> columns)
      : holder_(holder), first_(first), columns_(std::move(columns)), size_(columns_.size()) {}

  Rank holder() const { return holder_; }
  std::size_t size() const { return size_; }
  Local position_of(Vertex column) const {
    if (all_) return static_cast<Local>(column - from_);
    const auto at = std::ranges::lower_bound(columns_, column);
    check(at != columns_.end() && *at == column,
          "CoLa: column {} has nonzeros (the list of columns that its PE needs lacks it). Make the list of the same "
          "rows.",
          column);
    return first_ + static_cast<Local>(at - columns_.begin());
  }

 private:
  bool all_ = false;
  Rank holder_;
  Vertex from_ = 0;
  Local first_ = 0;
  std::vector<Vertex> columns_;
  std::size_t size_;
};

struct RemoteNonzero {
  Rank peer;
  Local position, row;
  float value;
};

ColaColumns by_columns(std::vector<RemoteNonzero> nonzeros) {
  const auto column = [](const RemoteNonzero& e) { return std::tuple(e.peer, e.position); };
  std::ranges::stable_sort(nonzeros, {}, column);
  ColaColumns out;
  for (std::size_t e = 0; e < nonzeros.size(); ++e) {
    if (e == 0 || column(nonzeros[e]) != column(nonzeros[e - 1])) {
      out.peers.push_back(nonzeros[e].peer);
      out.positions.push_back(nonzeros[e].position);
      out.offsets.push_back(out.offsets.back());
    }
    ++out.offsets.back();
    out.rows.push_back(nonzeros[e].row);
    out.values.push_back(nonzeros[e].value);
  }
  return out;
}

/// Nonzeros of one phase, as the rows of A are visited.
struct PhaseNonzeros {
  std::vector<Edge> offsets{0};
  std::vector<Local> column_indices;
  std::vector<float> values;
  std::vector<RemoteNonzero> remote;
};

template <class T>
Array<T> array_of(const std::vector<T>& from) {
  Array<T> out(from.size());
  std::ranges::copy(from, out.begin());
  return out;
}

class Planner {
 public:
  Planner(ColaPlan& plan, const Blocks& blocks, std::span<const std::vector<Vertex>> needed)
      : plan_(plan), groups_(plan.groups), mine_(groups_.of(plan.pe)), blocks_(blocks), needed_(needed) {
    for (Rank source = 0; source < groups_.pes; ++source) sections_.push_back(section_of(source));
  }

  void deal_out(const ColaRows& rows) {
    std::vector<PhaseNonzeros> phases(plan_.phases.size());
    for (Vertex row = 0; row < rows.rows(); ++row) {
      const auto begin = static_cast<std::size_t>(rows.offsets[row]),
                 end = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(row) + 1]);
      for (std::size_t e = begin; e < end; ++e) {
        const Vertex column = rows.columns[e];
        const Rank source = blocks_.owner(column);
        const Section& section = sections_[source];
        const Local position = section.position_of(column);
        const float value = rows.values.empty() ? 1.0f : rows.values[e];
        PhaseNonzeros& phase = phases[phase_of(source)];
        if (section.holder() == plan_.pe) {
          phase.column_indices.push_back(position);
          phase.values.push_back(value);
        } else {
          phase.remote.push_back({section.holder() - groups_.begin(mine_), position, static_cast<Local>(row), value});
        }
      }
      for (PhaseNonzeros& phase : phases) phase.offsets.push_back(static_cast<Edge>(phase.column_indices.size()));
    }
    for (std::size_t j = 0; j < phases.size(); ++j) {
      ColaPhase& out = plan_.phases[j];
      out.local = {.rows = rows.rows(),
                   .columns = out.buffer_rows,
                   .offsets = array_of(phases[j].offsets),
                   .column_indices = array_of(phases[j].column_indices),
                   .values = array_of(phases[j].values)};
      out.remote = by_columns(std::move(phases[j].remote));
    }
  }

  void find_requests() {
    for (Rank by = groups_.begin(mine_); by < groups_.end(mine_); ++by) {
      if (by == plan_.pe) continue;
      for (std::size_t j = 0; j < plan_.phases.size(); ++j) {
        ColaRequest request{by, {}};
        for (Rank source = 0; source < groups_.pes; ++source) {
          const Section& section = sections_[source];
          if (phase_of(source) != j || section.holder() != plan_.pe) continue;
          for (const Vertex column : within(needed_[by], blocks_.begin(source), blocks_.end(source)))
            request.positions.push_back(section.position_of(column));
        }
        if (!request.positions.empty()) plan_.phases[j].requests.push_back(std::move(request));
      }
    }
  }

  void find_puts() {
    for (Rank j = 1; j < groups_.count(); ++j) {
      const Rank target = (mine_ - j + groups_.count()) % groups_.count();
      ColaPut put{.to = groups_.buffering(plan_.pe, target), .rows = {}};
      // Where the target has rows of several PEs of this workgroup, they follow each other.
      std::size_t first = 0;
      for (Rank before = groups_.begin(mine_); before < plan_.pe; ++before)
        if (groups_.buffering(before, target) == put.to)
          first += fused_columns(groups_, target, before, blocks_, needed_).size();
      put.first = to_local(first, "a buffer");
      const std::vector<Vertex> columns = fused_columns(groups_, target, plan_.pe, blocks_, needed_);
      put.count = static_cast<Local>(columns.size());
      // Where the list would have every row, a list buys nothing.
      put.all = put.count == plan_.own_rows;
      if (!put.all)
        for (const Vertex column : columns) put.rows.push_back(static_cast<Local>(column - blocks_.begin(plan_.pe)));
      plan_.puts.push_back(std::move(put));
    }
  }

 private:
  std::size_t phase_of(Rank source) const {
    return static_cast<std::size_t>((groups_.of(source) - mine_ + groups_.count()) % groups_.count());
  }
  // Called in the order of the sources, so that those in one buffer follow each other.
  Section section_of(Rank source) {
    if (groups_.of(source) == mine_) {
      if (source == plan_.pe) plan_.phases[0].buffer_rows = plan_.own_rows;
      return Section(source, blocks_);
    }
    const Rank holder = groups_.buffering(source, mine_);
    std::size_t first = 0;
    for (Rank before = groups_.begin(groups_.of(source)); before < source; ++before)
      if (groups_.buffering(before, mine_) == holder) first += sections_[before].size();
    std::vector<Vertex> columns = fused_columns(groups_, mine_, source, blocks_, needed_);
    const Local end = to_local(first + columns.size(), "a buffer");
    if (holder == plan_.pe) {
      ColaPhase& phase = plan_.phases[phase_of(source)];
      phase.buffer_rows = end;
      if (!columns.empty())
        phase.receipts.push_back({source, static_cast<Local>(first), static_cast<Local>(columns.size())});
    }
    return Section(holder, static_cast<Local>(first), std::move(columns));
  }

  ColaPlan& plan_;
  const ColaGroups& groups_;
  const Rank mine_;  // workgroup
  const Blocks& blocks_;
  const std::span<const std::vector<Vertex>> needed_;
  std::vector<Section> sections_;  // [PE] in the buffers of this workgroup
};

}  // namespace

std::vector<Vertex> needed_columns(const ColaRows& rows, const Blocks& blocks, Rank pe) {
  std::vector<Vertex> out;
  for (const Vertex column : rows.columns)
    if (column < blocks.begin(pe) || column >= blocks.end(pe)) out.push_back(column);
  std::ranges::sort(out);
  const auto rest = std::ranges::unique(out);
  out.erase(rest.begin(), rest.end());
  return out;
}

ColaPlan::ColaPlan(const ColaGroups& in, Rank number, const Blocks& blocks, const ColaRows& rows,
                   std::span<const std::vector<Vertex>> needed)
    : groups(in), pe(number) {
  check(groups.size >= 1 && groups.size <= groups.pes, "CoLa: workgroups of {} PEs (there are {} PEs). Take 1 to {}.",
        groups.size, groups.pes, groups.pes);
  check(pe >= 0 && pe < groups.pes && blocks.ranks() == groups.pes &&
            needed.size() == static_cast<std::size_t>(groups.pes),
        "CoLa: PE {}, {} blocks of columns and {} lists of needed columns (there are {} PEs). Give one for each PE.",
        pe, blocks.ranks(), needed.size(), groups.pes);
  check(!rows.offsets.empty() && rows.offsets.back() == static_cast<Edge>(rows.columns.size()) &&
            (rows.values.empty() || rows.values.size() == rows.columns.size()),
        "CoLa: {} columns and {} values of nonzeros (the rows have {}). Give one for each nonzero.",
        rows.columns.size(), rows.values.size(), rows.offsets.empty() ? 0 : rows.offsets.back());
  for (const Vertex column : rows.columns)
    check(column >= 0 && column < blocks.count(), "CoLa: column {} (there are {} rows of B). Correct the matrix.",
          column, blocks.count());
  to_local(static_cast<std::size_t>(rows.rows()), "a part of A");
  own_rows = to_local(static_cast<std::size_t>(blocks.size(pe)), "a part of B");
  phases.resize(static_cast<std::size_t>(groups.count()));
  Planner planner(*this, blocks, needed);
  planner.deal_out(rows);
  planner.find_requests();
  planner.find_puts();
}

std::uint64_t ColaPlan::rows_fetched() const {
  std::uint64_t out = 0;
  for (const ColaPhase& phase : phases) out += phase.remote.count();
  return out;
}

std::uint64_t ColaPlan::rows_put() const {
  std::uint64_t out = 0;
  for (const ColaPut& put : puts) out += static_cast<std::uint64_t>(put.count);
  return out;
}

}  // namespace atl
