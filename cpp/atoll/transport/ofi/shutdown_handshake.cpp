// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/parallel.hpp>
#include <atoll/transport/ofi/shutdown_handshake.hpp>
#include <atoll/transport/ofi/wire.hpp>

namespace atl::ofi {
namespace {

constexpr double kClose_s = 30;

}  // namespace

void ShutdownHandshake::part(const std::function<bool()>& progress, const std::function<bool()>& done) {
  const Timer timer;
  until(progress, timer, done, "its last packets to be taken by");
  if (port_.rank() != 0) {
    send_control(0, progress);
    until(progress, timer, [&] { return said_[0] != 0; }, "the end of");
  } else {
    until(progress, timer, [&] { return heard_ == ranks_ - 1; }, "the end of");
    for (Rank r = 1; r < ranks_; ++r) send_control(r, progress);
  }
  until(progress, timer, [&] { return sending_ == 0; }, "its last word to be taken by");
}

// Sends a word and waits until it has left.
void ShutdownHandshake::send_control(Rank to, const std::function<bool()>& progress) {
  operations_.push_back({.what = Operation::What::bye, .peer = to});
  until(
      progress, Timer(),
      [&] {
        const ssize_t code = fi_senddata(port_.get(), nullptr, 0, nullptr, header(Word::bye, 0, port_.rank()),
                                         port_[to], &operations_.back().context);
        if (code != 0 && code != -FI_EAGAIN) port_.lose(to, code, "fi_senddata");
        return code == 0;
      },
      "room to say goodbye to");
  ++sending_;
}

// Waits for something that must happen unless a peer is gone.
template <class Done>
void ShutdownHandshake::until(const std::function<bool()>& progress, const Timer& timer, Done&& done,
                              const char* what) {
  for (Backoff backoff; !done();) {
    if (progress()) continue;
    backoff.pause_or_sleep();
    if (timer.seconds() > kClose_s) {
      Rank missing = 0;
      for (Rank r = 0; r < ranks_; ++r)
        if (r != port_.rank() && said_[r] == 0 && (port_.rank() == 0 || r == 0)) missing = r;
      throw TransportError(
          fmt::format("rank {} has waited {} s for {} rank {} (it has ended, or hangs). Look at its "
                      "messages.",
                      port_.rank(), kClose_s, what, missing));
    }
  }
}

}  // namespace atl::ofi
