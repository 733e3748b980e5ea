// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/transport/ofi/credits.hpp>

namespace atl::ofi {
namespace {

constexpr std::int32_t kControlWindow = 16;
// Memory for all messages of all peers if there are few, and the limits of each peer's window.
constexpr std::size_t kMessageMemory = 4 << 20;
constexpr int kSmallestWindow = 8, kLargestWindow = 64;
// Words that one peer may have in flight: before its credits are known hello, the request for bulk and bye; later two
// credit returns for each of three windows, and two grants.
constexpr int kFirstWords = 3, kWords = 8;

std::int32_t message_window(Rank ranks, std::size_t message_bytes) {
  const std::size_t fair = kMessageMemory / static_cast<std::size_t>(ranks) / message_bytes;
  return static_cast<std::int32_t>(std::clamp<std::size_t>(fair, kSmallestWindow, kLargestWindow));
}

}  // namespace

Credits::Credits(Port& port, Receives& small, Receives& bulk, Rank ranks, std::size_t message_bytes,
                 std::int32_t slots_per_peer, std::size_t budget_bytes)
    : port_(port),
      small_(small),
      bulk_(bulk),
      message_window_(message_window(ranks, message_bytes)),
      slots_per_peer_(slots_per_peer),
      budget_bytes_(budget_bytes),
      peers_(static_cast<std::size_t>(ranks)) {
  small_.add(kFirstWords * (ranks - 1));
}

void Credits::request_credits(Rank to) {
  if (std::exchange(of(to).requested_credits, true)) return;
  listen(to);
  send_control(to, Word::hello, 0);
}

void Credits::want_bulk(Rank to) {
  if (std::exchange(of(to).wanted_bulk, true)) return;
  listen(to);
  send_control(to, Word::want_bulk, 0);
}

void Credits::listen(Rank to) {
  if (std::exchange(of(to).listening, true)) return;
  small_.add(kWords);
}

void Credits::on_control(Rank from, Word word, std::uint32_t tag) {
  Peer& peer = of(from);
  const auto n = static_cast<std::int32_t>(tag);
  switch (word) {
    case Word::hello:
      listen(from);
      peer.message.size = message_window_;
      peer.control.size = kControlWindow;
      small_.add(message_window_ + kControlWindow);
      return send_control(from, Word::grant, static_cast<std::uint32_t>(message_window_));
    case Word::grant:
      peer.message.credits += n;
      peer.control.credits += kControlWindow;
      return;
    case Word::want_bulk:
      listen(from);
      return grant_bulk(from);
    case Word::grant_bulk:
    case Word::credit_bulk:
      peer.bulk.credits += n;
      return;
    case Word::credit_message:
      peer.message.credits += n;
      return;
    case Word::credit_control:
      peer.control.credits += n;
      return;
    case Word::put_arrived:
    case Word::abort:
    case Word::bye:
      ATOLL_ASSERT(false);  // not about credits
  }
}

void Credits::grant_bulk(Rank from) {
  std::int32_t window = slots_per_peer_;
  // Memory grows by whole blocks; beyond the budget a peer gets two.
  if (port_.memory_bytes() + bulk_.growth_bytes() > budget_bytes_) window = std::min(window, 2);
  bulk_.add(window);
  of(from).bulk.size = window;
  send_control(from, Word::grant_bulk, static_cast<std::uint32_t>(window));
}

bool Credits::send_put_arrived(Rank to, std::uint32_t number) {
  Window& window = of(to).control;
  if (window.credits == 0 || !try_send_control({to, Word::put_arrived, number})) return false;
  --window.credits;
  return true;
}

void Credits::send_control(Rank to, Word word, std::uint32_t tag) {
  deferred_.push_back({to, word, tag});
  flush_deferred();
}

bool Credits::try_send_control(const DeferredControl& s) {
  const ssize_t code = fi_injectdata(port_.get(), nullptr, 0, header(s.word, s.tag, port_.rank()), port_[s.to]);
  if (code == -FI_EAGAIN) return false;
  if (code != 0) port_.lose(s.to, code, "fi_injectdata");
  return true;
}

void Credits::flush_deferred() {
  while (!deferred_.empty() && try_send_control(deferred_.front())) deferred_.pop_front();
  if (!deferred_.empty()) port_.note_deferred();
}

}  // namespace atl::ofi
