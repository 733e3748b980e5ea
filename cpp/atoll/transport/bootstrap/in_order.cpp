// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <utility>

namespace atl {
namespace {

class InOrder final : public Bootstrap {
 public:
  InOrder(std::shared_ptr<Bootstrap> job, std::vector<Rank> order) : job_(std::move(job)), order_(std::move(order)) {
    rank_ = static_cast<Rank>(std::ranges::find(order_, job_->rank()) - order_.begin());
  }
  std::string_view name() const override { return job_->name(); }
  Rank rank() const override { return rank_; }
  Rank size() const override { return job_->size(); }
  std::vector<std::string> gather(const std::string& mine) override {
    std::vector<std::string> by_process = job_->gather(mine), by_rank;
    for (const Rank process : order_) by_rank.push_back(std::move(by_process[process]));
    return by_rank;
  }
  std::string job() const override { return job_->job(); }

 private:
  std::shared_ptr<Bootstrap> job_;
  std::vector<Rank> order_;  // [rank] -> rank in job_
  Rank rank_;
};

}  // namespace

std::shared_ptr<Bootstrap> in_order(std::shared_ptr<Bootstrap> job, std::vector<Rank> order) {
  std::vector<Rank> sorted = order;
  std::ranges::sort(sorted);
  bool each_once = order.size() == static_cast<std::size_t>(job->size());
  for (std::size_t r = 0; each_once && r < sorted.size(); ++r) each_once = sorted[r] == static_cast<Rank>(r);
  if (!each_once)
    throw UsageError(fmt::format("an order of {} ranks (the job has {}, and each is named once). Correct --map.",
                                 order.size(), job->size()));
  return std::make_shared<InOrder>(std::move(job), std::move(order));
}

}  // namespace atl
