// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/ofi/receives.hpp>

/// A rank sends only what the receiver has promised memory for, per peer and traffic: messages, control, bulk. A receiver
/// promises when a peer first asks (hello), so memory is for peers that talk; it returns half a window by one word. Words
/// (hello, grants, credits, bye) are the fabric's own; how many of them a peer can have on its way is bounded by the
/// protocol, so they need no credit.
namespace atl::ofi {

/// A window of what one peer may send to another: what may still be sent there, and what of theirs is released here and
/// not yet returned.
struct Window {
  std::int32_t credits = 0;
  std::int32_t size = 0;  // promised to the peer
  std::int32_t released = 0;
};

class Credits {
 public:
  /// Promises receives of these two.
  Credits(Port& port, Receives& small, Receives& bulk, Rank ranks, std::size_t message_bytes,
          std::int32_t slots_per_peer, std::size_t budget_bytes);

  /// Towards a peer; whoever sends takes one of its credits.
  Window& message(Rank rank) { return of(rank).message; }
  Window& control(Rank rank) { return of(rank).control; }
  Window& bulk(Rank rank) { return of(rank).bulk; }

  /// First use of a peer: it will promise memory, and answer.
  void greet(Rank to);
  bool greeted(Rank rank) { return of(rank).greeted; }
  /// The same for slots.
  void want_bulk(Rank to);

  /// A packet of a peer has been released: a credit for it is due, and is said once half a window is.
  void return_message(Rank to) { give_back(to, of(to).message, Word::credit_message); }
  void return_control(Rank to) { give_back(to, of(to).control, Word::credit_control); }
  void return_bulk(Rank to) { give_back(to, of(to).bulk, Word::credit_bulk); }

  /// A word about credits.
  void hear(Rank from, Word word, std::uint32_t tag);
  /// In place of a control packet; false: not now.
  bool say_landed(Rank to, std::uint32_t number);
  /// What the provider has refused, as far as it goes now.
  void pay();

 private:
  struct Peer {
    Window message, control, bulk;
    bool greeted = false, listening = false, wanted_bulk = false;
  };
  struct Said {
    Rank to;
    Word word;
    std::uint32_t tag;
  };

  Peer& of(Rank rank) { return peers_[static_cast<std::size_t>(rank)]; }
  void give_back(Rank to, Window& window, Word word) {
    if (++window.released < (window.size + 1) / 2) return;
    say(to, word, static_cast<std::uint32_t>(std::exchange(window.released, 0)));
  }
  void listen(Rank to);
  void grant_bulk(Rank from);
  void say(Rank to, Word word, std::uint32_t tag);
  bool say_now(const Said& s);

  Port& port_;
  Receives &small_, &bulk_;
  const std::int32_t message_window_, slots_per_peer_;
  const std::size_t budget_bytes_;
  std::vector<Peer> peers_;
  std::deque<Said> unsaid_;
};

}  // namespace atl::ofi
