// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/runtime/aggregation/pieces.hpp>
#include <atoll/runtime/world.hpp>
#include <cstring>
#include <mutex>

namespace atl {

Pieces::Pieces(World& world, std::size_t record_bytes, Whole whole, void* box)
    : world_(world), record_bytes_(record_bytes), whole_(whole), box_(box) {
  check(world.payload_bytes() > sizeof(Piece), "slot_bytes is {} (a piece of a long record needs more). Raise it.",
        world.plan().slot_bytes);
  channel_ = world.open_channel(&Pieces::deliver, this);
}

Pieces::~Pieces() { world_.close_channel(channel_); }

void Pieces::send(Rank to, std::uint32_t epoch, const std::byte* record) {
  Piece piece{next_record_.fetch_add(1, std::memory_order_relaxed), 0};
  while (piece.offset < record_bytes_) {
    Slot slot;
    world_.wait_until("send: a slot for a piece of a long record",
                      [&] { return world_.acquire(to, slot) == Busy::no; });
    const std::size_t n = std::min(record_bytes_ - piece.offset, slot.capacity - sizeof piece);
    std::memcpy(slot.data, &piece, sizeof piece);
    std::memcpy(slot.data + sizeof piece, record + piece.offset, n);
    world_.publish(channel_, slot, sizeof piece + n, World::Hold::briefly, epoch);
    piece.offset += n;
  }
}

void Pieces::deliver(void* self, Rank from, std::uint32_t epoch, const std::byte* data, std::size_t bytes) {
  Pieces& pieces = *static_cast<Pieces*>(self);
  Piece piece;
  std::memcpy(&piece, data, sizeof piece);
  const std::size_t n = bytes - sizeof piece;
  Partial& partial = pieces.partial(from, piece.record);
  std::memcpy(partial.bytes.get() + piece.offset, data + sizeof piece, n);
  if (partial.missing.fetch_sub(n, std::memory_order_acq_rel) != n) return;
  const auto whole = pieces.take_out(partial);
  pieces.whole_(pieces.box_, from, epoch, whole->bytes.get());
}

Pieces::Partial& Pieces::partial(Rank from, std::uint64_t record) {
  std::lock_guard hold(lock_);
  for (const auto& p : partials_)
    if (p->from == from && p->record == record) return *p;
  auto& fresh = partials_.emplace_back(new Partial{from, record, record_bytes_, {}});
  fresh->bytes.reset(new std::byte[record_bytes_]);
  world_.note_memory(static_cast<std::ptrdiff_t>(record_bytes_));
  return *fresh;
}

std::unique_ptr<Pieces::Partial> Pieces::take_out(const Partial& done) {
  std::lock_guard hold(lock_);
  const auto at = std::find_if(partials_.begin(), partials_.end(), [&](const auto& p) { return p.get() == &done; });
  auto whole = std::move(*at);
  partials_.erase(at);
  world_.note_memory(-static_cast<std::ptrdiff_t>(record_bytes_));
  return whole;
}

}  // namespace atl
