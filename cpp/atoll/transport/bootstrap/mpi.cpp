// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <atoll/transport/plugin.hpp>
#include <random>

namespace atl {
namespace {

class ByMpi final : public Bootstrap {
 public:
  explicit ByMpi(MpiFabric& fabric) : fabric_(fabric) {
    std::random_device random;
    job_ = fabric.gather_texts(fmt::format("{:08x}{:08x}", random(), random()))[0];
  }
  std::string_view name() const override { return "mpi"; }
  Rank rank() const override { return fabric_.rank(); }
  Rank size() const override { return fabric_.size(); }
  std::vector<std::string> gather(const std::string& mine) override { return fabric_.gather_texts(mine); }
  std::string job() const override { return job_; }

 private:
  MpiFabric& fabric_;
  std::string job_;
};

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_by_mpi(MpiFabric& fabric) { return std::make_unique<ByMpi>(fabric); }

}  // namespace atl
