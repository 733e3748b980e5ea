// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/communities/aggregation.hpp>

namespace atl {
namespace {

constexpr std::size_t kSetsGrain = 16, kCopyGrain = 512;

}  // namespace

Local number_sets(Array<Local>& set, std::size_t rows) {
  std::vector<Local> number(rows, 0);
  for (std::size_t v = 0; v < rows; ++v) number[index(set[v])] = 1;
  Local sets = 0;
  for (Local& n : number) sets += std::exchange(n, sets);
  for (std::size_t v = 0; v < rows; ++v) set[v] = number[index(set[v])];
  return sets;
}

void Aggregation::run(const Level& level, Workers workers, std::size_t sets, std::size_t known, const Array<Local>& set,
                      CoarseLevel& next) {
  first_.assign(sets + 1, 0);
  for (std::size_t v = 0; v < level.rows; ++v) ++first_[index(set[v]) + 1];
  for (std::size_t s = 0; s < sets; ++s) first_[s + 1] += first_[s];
  members_.resize(level.rows);
  {
    std::vector<std::size_t> at(first_.begin(), first_.end() - 1);
    for (std::size_t v = 0; v < level.rows; ++v) members_[at[index(set[v])]++] = static_cast<Local>(v);
  }
  parts_.resize(sets);
  next.offsets = Array<Edge>(sets + 1);
  next.degree = Array<double>(sets);
  next.inside = Array<double>(sets);
  for (Thread& out : out_) {
    out.targets.clear();
    out.weights.clear();
  }
  for (ThreadSums& sums : sums_) sums.real.resize(known);
  with_level_weights(level, [&](const auto& weight) {
    for_rows(team_, workers, sets, kSetsGrain, [&](int thread, std::size_t a, std::size_t b) {
      CommunitySums<double>& sums = sums_[thread].real;
      Thread& out = out_[thread];
      for (std::size_t s = a; s < b; ++s) {
        double degree = 0, inside = 0;
        for (std::size_t i = first_[s]; i < first_[s + 1]; ++i) {
          const auto v = static_cast<std::size_t>(members_[i]);
          degree += level.degree[v];
          if (level.inside) inside += level.inside[v];
          sums.add(
              level.offsets[v], level.offsets[v + 1],
              [&](Edge e) {
                const Local u = level.targets[e];
                if (u == static_cast<Local>(v)) inside += static_cast<double>(weight(e));  // it is once in its list
                return set[u];
              },
              weight);
        }
        parts_[s] = {thread, out.targets.size()};
        sums.take([&](Local target, double sum) {
          if (target == static_cast<Local>(s)) {
            inside += sum;
          } else {
            out.targets.push_back(target);
            out.weights.push_back(sum);
          }
        });
        next.offsets[s + 1] = static_cast<Edge>(out.targets.size() - parts_[s].begin);
        next.degree[s] = degree;
        next.inside[s] = inside;
      }
    });
  });
  next.offsets[0] = 0;
  for (std::size_t s = 0; s < sets; ++s) next.offsets[s + 1] += next.offsets[s];
  const auto size = static_cast<std::size_t>(next.offsets[sets]);
  next.targets = Array<Local>(size);
  next.weights = Array<double>(size);
  for_rows(team_, workers, sets, kCopyGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t s = a; s < b; ++s) {
      const Thread& out = out_[parts_[s].thread];
      const Edge begin = next.offsets[s], count = next.offsets[s + 1] - begin;
      std::copy_n(out.targets.data() + parts_[s].begin, count, next.targets.data() + begin);
      std::copy_n(out.weights.data() + parts_[s].begin, count, next.weights.data() + begin);
    }
  });
}

std::size_t Aggregation::memory_bytes() const {
  std::size_t bytes =
      members_.capacity() * sizeof(Local) + first_.capacity() * sizeof(std::size_t) + parts_.capacity() * sizeof(Part);
  for (const Thread& out : out_)
    bytes += out.targets.capacity() * sizeof(Local) + out.weights.capacity() * sizeof(double);
  return bytes;
}

}  // namespace atl
