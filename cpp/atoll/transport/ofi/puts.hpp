// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/transport/ofi/credits.hpp>
#include <atoll/transport/ofi/deferred_packets.hpp>
#include <map>

namespace atl::ofi {

/// Long messages, written into memory that the target has exposed. Up to the length of a piece it is one write with
/// completion data. Longer ones are pieces that are complete at the target (FI_DELIVERY_COMPLETE), then a control word.
/// Both ends find the end of a put among the deferred packets.
class Puts {
 public:
  Puts(Port& port, Credits& credits, DeferredPackets& kept) : port_(port), credits_(credits), kept_(kept) {}

  void expose(Rank from, std::span<std::byte> memory, std::uint64_t token, PutTarget& target);
  void put(Rank to, const PutTarget& target, std::span<const std::byte> source, std::uint64_t token);

  /// A put to the target of that number has arrived.
  void arrive(std::uint32_t number);
  void completed_piece(const Operation& operation);
  /// Posts as many pieces as there is capacity for, and finishes puts that are complete.
  void drive();
  bool empty() const { return puts_.empty(); }

 private:
  static constexpr int kPiecesInFlight = 4;  // of one put
  struct Exposed {
    Registered memory;
    std::uint64_t token = 0;
    Rank from = -1;
  };
  struct Put {
    Rank to = -1;
    std::uint64_t token = 0, address = 0, key = 0;
    std::uint32_t target = 0;
    const std::byte* source = nullptr;
    std::size_t bytes = 0, posted = 0;
    int in_flight = 0;
    bool announced = false;  // the target knows or will learn that the put has arrived
    Registered memory;
    std::array<Operation, kPiecesInFlight> operations;
    std::vector<std::size_t> free;  // indices of free operations
  };

  bool post_piece(Put& put);
  bool send_put_arrived(Put& put) {
    return put.announced = put.announced || credits_.send_put_arrived(put.to, put.target);
  }

  Port& port_;
  Credits& credits_;
  DeferredPackets& kept_;
  std::map<std::uint32_t, Exposed> exposed_;
  std::map<std::uint32_t, Put> puts_;
  std::uint32_t next_landing_ = 0, next_put_ = 0;
};

}  // namespace atl::ofi
