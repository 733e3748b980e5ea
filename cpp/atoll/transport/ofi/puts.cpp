// SPDX-License-Identifier: Apache-2.0
#include <rdma/fi_rma.h>

#include <algorithm>
#include <atoll/transport/ofi/puts.hpp>

namespace atl::ofi {
namespace {

// Larger pieces hold the lock for longer (shm copies inside the call, at 12 GB/s); smaller ones cost tcp a round trip
// each.
constexpr std::size_t kPiece = 4 << 20;

}  // namespace

void Puts::expose(Rank from, std::span<std::byte> memory, std::uint64_t token, PutTarget& target) {
  Exposed exposed{{}, token, from};
  if (!memory.empty()) exposed.memory = port_.registered(memory.data(), memory.size(), FI_REMOTE_WRITE);
  const std::uint32_t number = next_landing_++;
  const bool by_address = port_.domain().needs(FI_MR_VIRT_ADDR);
  target.words = {by_address ? reinterpret_cast<std::uint64_t>(memory.data()) : 0,
                  memory.empty() ? 0 : exposed.memory.key(), number};
  exposed_.emplace(number, std::move(exposed));
}

void Puts::put(Rank to, const PutTarget& target, std::span<const std::byte> source, std::uint64_t token) {
  const std::uint32_t number = next_put_++;
  Put& put = puts_[number];
  put.to = to;
  put.token = token;
  put.address = target.words[0];
  put.key = target.words[1];
  put.target = static_cast<std::uint32_t>(target.words[2]);
  put.source = source.data();
  put.bytes = source.size();
  if (put.bytes > 0) put.memory = port_.registered(source.data(), source.size(), FI_WRITE);
  for (Operation& operation : put.operations) {
    put.free.push_back(put.free.size());
    operation.what = Operation::What::piece;
    operation.number = number;
    operation.peer = to;
  }
  drive();
}

void Puts::arrive(std::uint32_t number) {
  const auto found = exposed_.find(number);
  if (found == exposed_.end()) return;
  kept_.keep_end_of_put(Packet::What::put_arrived, found->second.from, found->second.token);
  exposed_.erase(found);
}

void Puts::completed_piece(const Operation& operation) {
  Put& put = puts_.at(operation.number);
  put.free.push_back(static_cast<std::size_t>(&operation - put.operations.data()));
  --put.in_flight;
  port_.note_deferred();
}

void Puts::drive() {
  for (auto it = puts_.begin(); it != puts_.end();) {
    Put& put = it->second;
    while (put.posted < put.bytes && put.in_flight < kPiecesInFlight && post_piece(put)) {
    }
    if (put.posted == put.bytes && put.in_flight == 0 && send_put_arrived(put)) {
      kept_.keep_end_of_put(Packet::What::put_sent, put.to, put.token);
      it = puts_.erase(it);
    } else {
      // Otherwise a completion of its pieces in flight resumes it.
      if (put.in_flight == 0) port_.note_deferred();
      ++it;
    }
  }
}

bool Puts::post_piece(Put& put) {
  const bool whole = put.bytes <= kPiece;
  const std::size_t bytes = std::min(kPiece, put.bytes - put.posted);
  const iovec local{const_cast<std::byte*>(put.source) + put.posted, bytes};
  const fi_rma_iov remote{put.address + put.posted, bytes, put.key};
  void* descriptor = put.memory.descriptor();
  Operation& operation = put.operations[put.free.back()];
  fi_msg_rma message{};
  message.msg_iov = &local;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = port_[put.to];
  message.rma_iov = &remote;
  message.rma_iov_count = 1;
  message.context = &operation.context;
  message.data = header(Word::put_arrived, put.target, port_.rank());
  if (!port_.took(
          fi_writemsg(port_.get(), &message, FI_COMPLETION | (whole ? FI_REMOTE_CQ_DATA : FI_DELIVERY_COMPLETE)),
          put.to, "fi_writemsg"))
    return false;
  put.free.pop_back();
  put.posted += bytes;
  ++put.in_flight;
  put.announced = whole;
  return true;
}

}  // namespace atl::ofi
