// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/communities/moving_over_ranks.hpp>

namespace atl {
namespace {

constexpr int kMostRounds = 100;
constexpr Local kNoSubscriber = -1;

}  // namespace

MovingOverRanks::MovingOverRanks(const Graph& graph, const Level& level, RowsOverRanks& rows_over_ranks)
    : graph_(graph),
      world_(graph.world()),
      level_(level),
      rows_(rows_over_ranks),
      label_(rows_.of().size()),
      slot_(rows_.of().size()),
      moved_(rows_.of().size()),
      left_(level.rows),
      first_mirror_(graph.mirrors().begin[0]),
      totals_(level.rows),
      first_subscriber_(level.rows) {
  std::vector<Vertex> rows;
  std::vector<Local> locals;
  const Mirrors& mirrors = graph.mirrors();
  for (std::size_t r = 0; r < mirrors.count.size(); ++r)
    for (Local m = mirrors.begin[r]; m < mirrors.begin[r] + mirrors.count[r]; ++m) {
      rows.push_back(rows_.of()[m]);
      locals.push_back(m);
    }
  mirror_rows_ = RowIndex(world_.team(), rows_.blocks().count(), rows, {0, 0}, world_.plan().replicated_bytes);
  mirrors_.resize(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) mirrors_[mirror_rows_.position(rows[k])] = locals[k];
  list_neighbours_of_mirrors();
}

void MovingOverRanks::list_neighbours_of_mirrors() {
  const std::size_t mirrors = rows_.of().size() - std::min(rows_.of().size(), index(first_mirror_));
  begin_ = Array<Edge>(mirrors + 1, 0);
  const auto for_mirrors = [&](auto&& f) {
    for (std::size_t v = 0; v < level_.rows; ++v)
      for (Edge e = level_.offsets[v]; e < level_.offsets[v + 1]; ++e)
        if (const Local u = level_.targets[e]; u >= first_mirror_) f(static_cast<Local>(v), index(u - first_mirror_));
  };
  for_mirrors([&](Local, std::size_t m) { ++begin_[m + 1]; });
  for (std::size_t m = 0; m < mirrors; ++m) begin_[m + 1] += begin_[m];
  neighbours_ = Array<Local>(static_cast<std::size_t>(begin_[mirrors]));
  std::vector<Edge> next(begin_.begin(), begin_.end());
  for_mirrors([&](Local v, std::size_t m) { neighbours_[static_cast<std::size_t>(next[m]++)] = v; });
}

// -1 if the row's community has none.
Local MovingOverRanks::find_slot(Local row) const {
  if (rows_.is_own(row)) return row - rows_.begin();
  const std::size_t at = mirror_rows_.position(row);
  if (at < mirrors_.size() && mirror_rows_.rows()[at] == row) return mirrors_[at];
  const auto found = other_slots_.find(row);
  return found == other_slots_.end() ? -1 : found->second;
}

// Makes a slot for a community that this rank did not know.
Local MovingOverRanks::slot_of(Local row) {
  Local slot = find_slot(row);
  if (slot < 0) {
    slot = static_cast<Local>(row_of_.size());
    row_of_.push_back(row);
    other_slots_.emplace(row, slot);
    if (row_of_.size() > degrees_.size()) {
      Array<double> degrees(2 * row_of_.size(), 0.0), known(2 * row_of_.size(), 0.0);
      std::ranges::copy(degrees_, degrees.begin());
      std::ranges::copy(known_, known.begin());
      degrees_ = std::move(degrees);
      known_ = std::move(known);
    }
    degrees_[slot] = known_[slot] = 0;
    new_slots_.push_back(slot);
  }
  return slot;
}

void MovingOverRanks::start(const Array<Local>& label) {
  row_of_.assign(rows_.of().begin(), rows_.of().end());
  other_slots_.clear();
  new_slots_.clear();
  if (degrees_.size() < row_of_.size()) {
    degrees_ = Array<double>(row_of_.size());
    known_ = Array<double>(row_of_.size());
  }
  std::fill(degrees_.begin(), degrees_.end(), 0.0);
  std::fill(known_.begin(), known_.end(), 0.0);
  std::fill(totals_.begin(), totals_.end(), 0.0);
  std::fill(first_subscriber_.begin(), first_subscriber_.end(), kNoSubscriber);
  subscribers_.clear();
  std::ranges::copy(label, label_.begin());
  rows_.exchange().broadcast_all({label_.data(), label_.size()});
  for (std::size_t v = 0; v < slot_.size(); ++v)
    if (rows_.of()[v] >= 0) {
      new_slots_.push_back(static_cast<Local>(v));
      slot_[v] = slot_of(label_[v]);
    }
  for (std::size_t v = 0; v < level_.rows; ++v) degrees_[slot_[v]] += level_.degree[v];
  exchange_sums();
}

void MovingOverRanks::run(LocalMoving& moving, const ModularityTerms& terms, double tolerance, Turns turns) {
  moving.start(slot_.size());
  std::fill(left_.begin(), left_.end(), Local{-1});
  const int least = turns == Turns::all ? 1 : static_cast<int>(world_.size());  // rounds that together look at all
  int idle = 0;
  for (int rounds = 0; idle < least && rounds < kMostRounds * least; ++rounds) {
    LocalMoving::Moves mine;
    if (turns == Turns::all) {
      mine = moving.sweep(level_, terms, Workers::team, slots(), slot_, degrees_, {row_of_.data(), left_.data()});
    } else if (rounds % least == static_cast<int>(world_.rank())) {
      mine = moving.sweep(level_, terms, Workers::one, slots(), slot_, degrees_, {});
    }
    tell_moved(moving);
    exchange_sums();
    const LocalMoving::Moves all =
        world_.fold(mine, [](LocalMoving::Moves a, const LocalMoving::Moves& b) { return a += b; });
    idle = all.count == 0 || all.gain < tolerance ? idle + 1 : 0;
  }
}

double MovingOverRanks::modularity(const ModularityTerms& terms) const {
  double inside = 0;
  with_level_weights(level_, [&](const auto& weight) {
    for (std::size_t v = 0; v < level_.rows; ++v)
      for (Edge e = level_.offsets[v]; e < level_.offsets[v + 1]; ++e)
        if (const Local u = level_.targets[e]; slot_[u] == slot_[v])
          inside += static_cast<double>(weight(e)) * (index(u) == v ? 2 : 1);
  });
  for (const double total : totals_) inside -= terms.loss(total) * total;
  return world_.sum(inside) / terms.total;
}

// Mirrors get the communities of masters that have moved; their neighbours here are looked at again.
void MovingOverRanks::tell_moved(LocalMoving& moving) {
  for (std::size_t v = 0; v < level_.rows; ++v)
    if (const Local now = row(slot_[v]); now != label_[v]) {
      label_[v] = now;
      moved_.set_unsynchronized(v);
    }
  rows_.exchange().broadcast({label_.data(), label_.size()}, moved_);
  const std::size_t mirrors = begin_.size() - 1;
  for (std::size_t m = 0; m < mirrors; ++m) {
    const Local v = first_mirror_ + static_cast<Local>(m);
    if (!moved_.test(index(v))) continue;
    slot_[v] = slot_of(label_[v]);
    for (Edge e = begin_[m]; e < begin_[m + 1]; ++e) moving.look_again(neighbours_[static_cast<std::size_t>(e)]);
  }
  moved_.clear();
}

// Owners add up what the ranks have changed, and tell the sums to all that know the community.
void MovingOverRanks::exchange_sums() {
  const auto ranks = static_cast<std::size_t>(world_.size());
  std::vector<std::vector<Change>> changes(ranks);
  const auto add = [&](Local slot, bool is_new) {
    const Local row = row_of_[index(slot)];
    changes[rows_.blocks().owner(row)].push_back({row, is_new, degrees_[slot] - known_[slot]});
    known_[slot] = degrees_[slot];
  };
  for (const Local slot : new_slots_) add(slot, true);
  new_slots_.clear();
  for (std::size_t slot = 0; slot < row_of_.size(); ++slot)
    if (degrees_[slot] != known_[slot]) add(static_cast<Local>(slot), false);
  std::vector<Local> touched;
  const Local first = rows_.begin();
  const auto received = world_.exchange(std::move(changes));
  for (std::size_t r = 0; r < ranks; ++r)
    for (const Change& change : received[r]) {
      const Local own = change.row - first;
      totals_[own] += change.degree;
      touched.push_back(own);
      if (!change.is_new) continue;
      subscribers_.push_back({static_cast<Rank>(r), first_subscriber_[own]});
      first_subscriber_[own] = static_cast<Local>(subscribers_.size() - 1);
    }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  std::vector<std::vector<Sum>> sums(ranks);
  for (const Local own : touched)
    for (Local s = first_subscriber_[own]; s != kNoSubscriber; s = subscribers_[index(s)].next)
      sums[subscribers_[index(s)].rank].push_back({first + own, totals_[own]});
  for (const auto& part : world_.exchange(std::move(sums)))
    for (const Sum& sum : part) {
      const Local slot = find_slot(sum.row);
      degrees_[slot] = known_[slot] = sum.degree;
    }
}

std::size_t MovingOverRanks::memory_bytes() const {
  return (label_.size() + slot_.size()) * sizeof(Local) + moved_.words() * sizeof(std::uint64_t) +
         mirrors_.capacity() * sizeof(Local) + mirror_rows_.memory_bytes() + begin_.size() * sizeof(Edge) +
         neighbours_.size() * sizeof(Local) + row_of_.capacity() * sizeof(Local) +
         other_slots_.size() * 4 * sizeof(void*) + (degrees_.size() + known_.size()) * sizeof(double) +
         totals_.size() * (sizeof(double) + 2 * sizeof(Local)) + subscribers_.capacity() * sizeof(Subscriber);
}

}  // namespace atl
