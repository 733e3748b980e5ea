// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/ofi/receives.hpp>

/// Credit-based flow control: a rank sends only what the receiver has posted memory for, per peer and kind of traffic
/// (messages, control, bulk). A receiver grants credits when a peer first asks (hello), so only peers that communicate
/// take memory. It returns half a window at a time by one control word. These words (hello, grants, credits, bye) are
/// the fabric's own. The protocol bounds how many of them one peer can have in flight, so they need no credit.
namespace atl::ofi {

/// The window between two peers: what this rank may still send, and what it has released here and not yet returned.
struct Window {
  std::int32_t credits = 0;
  std::int32_t size = 0;  // granted to the peer
  std::int32_t released = 0;
};

class Credits {
 public:
  /// Promises receives of these two.
  Credits(Port& port, Receives& small, Receives& bulk, Rank ranks, std::size_t message_bytes,
          std::int32_t slots_per_peer, std::size_t budget_bytes);

  /// The windows towards a peer; a sender takes one of the credits.
  Window& message(Rank rank) { return of(rank).message; }
  Window& control(Rank rank) { return of(rank).control; }
  Window& bulk(Rank rank) { return of(rank).bulk; }

  /// First use of a peer: asks it for credits.
  void request_credits(Rank to);
  bool has_requested_credits(Rank rank) { return of(rank).requested_credits; }
  /// The same for slots.
  void want_bulk(Rank to);

  /// A packet of a peer has been released: returns credits once half a window is due.
  void return_message(Rank to) { give_back(to, of(to).message, Word::credit_message); }
  void return_control(Rank to) { give_back(to, of(to).control, Word::credit_control); }
  void return_bulk(Rank to) { give_back(to, of(to).bulk, Word::credit_bulk); }

  /// Handles a control word about credits.
  void on_control(Rank from, Word word, std::uint32_t tag);
  /// In place of a control packet; false: not now.
  bool send_put_arrived(Rank to, std::uint32_t number);
  /// Retries what the provider has refused.
  void flush_deferred();

 private:
  struct Peer {
    Window message, control, bulk;
    bool requested_credits = false, listening = false, wanted_bulk = false;
  };
  struct DeferredControl {
    Rank to;
    Word word;
    std::uint32_t tag;
  };

  Peer& of(Rank rank) { return peers_[rank]; }
  void give_back(Rank to, Window& window, Word word) {
    if (++window.released < (window.size + 1) / 2) return;
    send_control(to, word, static_cast<std::uint32_t>(std::exchange(window.released, 0)));
  }
  void listen(Rank to);
  void grant_bulk(Rank from);
  void send_control(Rank to, Word word, std::uint32_t tag);
  bool try_send_control(const DeferredControl& s);

  Port& port_;
  Receives &small_, &bulk_;
  const std::int32_t message_window_, slots_per_peer_;
  const std::size_t budget_bytes_;
  std::vector<Peer> peers_;
  std::deque<DeferredControl> deferred_;
};

}  // namespace atl::ofi
