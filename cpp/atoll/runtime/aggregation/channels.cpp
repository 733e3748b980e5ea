// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/runtime/aggregation/channels.hpp>

namespace atl {

std::uint32_t Channels::open(Deliver deliver, void* context, Runs runs) {
  const std::uint32_t number = next_++;
  if (2 * ++open_ > channels_.size()) {
    std::vector<Channel> before(2 * channels_.size());
    before.swap(channels_);
    reach_ = 0;
    for (const Channel& c : before)
      if (c.open) place(c);
  }
  place({deliver, context, number, true, runs});
  return number;
}

void Channels::close(std::uint32_t number) {
  const Channel* found = find(number);
  if (!found) return;
  channels_[found - channels_.data()].open = false;
  --open_;
}

void Channels::place(const Channel& channel) {
  std::size_t step = 0;
  while (channels_[(channel.number + step) % channels_.size()].open) ++step;
  channels_[(channel.number + step) % channels_.size()] = channel;
  reach_ = std::max(reach_, step);
}

}  // namespace atl
