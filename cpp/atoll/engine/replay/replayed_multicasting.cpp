// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/replay/replayed_records.hpp>
#include <vector>

namespace atl {
namespace {

// A record begins with the entry of its domain's list, as ~entry, or with 0 if it is for its target only.
struct CopiesOfEntry {
  const DomainMirrors* domains;
  template <std::size_t Bytes, class F>
  bool operator()(const ReplayedRecord<Bytes>& record, F&& f) const {
    const auto entry = value_in<Local>(record);
    if (entry >= 0) return false;
    for (const DomainMirrors::Copy& copy : domains->copies(static_cast<std::size_t>(~entry)))
      f(copy.rank, record_with<Bytes>(Local{0}));
    return true;
  }
};

template <std::size_t Bytes>
class MulticastingBox final : public ReplayedBox<Bytes, IgnoreRecords, Multicast<CopiesOfEntry>> {
  using Base = ReplayedBox<Bytes, IgnoreRecords, Multicast<CopiesOfEntry>>;

 public:
  MulticastingBox(World& world, const KeptMailbox& mailbox, const DomainMirrors* domains)
      : Base(world, mailbox, Multicast<CopiesOfEntry>{{domains}}), domains_(domains) {}

  // One record tells a domain where the route gathers, as in RecordExchange::broadcast.
  void drain(const TrafficStep& step) override {
    const bool by_domain = domains_ && this->box_.relay_route() == &domains_->route();
    auto buffers = this->box_.send_buffers();
    const auto alone = record_with<Bytes>(Local{0});
    std::fill(changed_.begin(), changed_.end(), false);
    for (std::size_t i = 0; i < step.to.size(); ++i) {
      if (!by_domain || domains_->is_near(step.to[i])) {
        buffers.send(step.to[i], alone);
      } else {
        const auto value = static_cast<std::size_t>(step.keys[i]);
        if (value >= changed_.size()) changed_.resize(value + 1);
        changed_[value] = true;
      }
    }
    if (by_domain)
      for (const DomainMirrors::Domain& domain : domains_->domains())
        for (std::size_t k = 0; k < domain.masters.size(); ++k) {
          const auto value = static_cast<std::size_t>(domain.masters.row(k));
          if (value < changed_.size() && changed_[value])
            buffers.send(domain.receiver,
                         record_with<Bytes>(static_cast<Local>(~(domain.first + static_cast<Local>(k)))));
        }
    this->finish(step);
  }

 private:
  const DomainMirrors* const domains_;
  std::vector<bool> changed_;  // [value] in this drain, for ranks of other domains
};

}  // namespace

std::unique_ptr<ReplayedMailbox> open_multicasting(World& world, const KeptMailbox& mailbox,
                                                   const DomainMirrors* domains) {
  std::unique_ptr<ReplayedMailbox> box;
  with_size(MulticastingSizes(), mailbox.record_bytes,
            [&](auto size) { box = std::make_unique<MulticastingBox<size()>>(world, mailbox, domains); });
  return box;
}

}  // namespace atl
