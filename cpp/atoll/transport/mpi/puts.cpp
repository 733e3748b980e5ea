// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/transport/mpi/puts.hpp>
#include <atoll/transport/mpi/tags.hpp>

namespace atl::mpi {
namespace {

// MPI counts in int. The pieces of a put share its tag; MPI keeps their order.
constexpr std::size_t kPieceBytes = std::size_t{1} << 30;

int pieces_of(std::size_t bytes) { return std::max(1, static_cast<int>((bytes + kPieceBytes - 1) / kPieceBytes)); }

template <class F>
void for_each_piece(std::size_t bytes, F&& f) {
  std::size_t at = 0;
  do {  // a put without bytes is one empty piece
    const std::size_t n = std::min(bytes - at, kPieceBytes);
    f(at, n);
    at += n;
  } while (at < bytes);
}

}  // namespace

Puts::Puts(MPI_Comm comm) : comm_(comm), next_tag_(kFirstPutTag) {
  int* last = nullptr;
  int known = 0;
  call(MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&last), &known), "MPI_Comm_get_attr");
  constexpr int kLeast = 32767;  // guaranteed by every MPI
  last_tag_ = known ? *last : kLeast;
}

Busy Puts::expose(Rank from, std::span<std::byte> memory, std::uint64_t token, PutTarget& target) {
  if (free_tags_.empty()) {
    if (next_tag_ == last_tag_) return Busy::no_slot;
    free_tags_.push_back(next_tag_++);
  }
  const int tag = free_tags_.back();
  free_tags_.pop_back();
  target.words = {static_cast<std::uint64_t>(tag), memory.size(), 0};
  Packet end;
  end.from = from;
  end.what = Packet::What::put_arrived;
  end.token = token;
  const std::uint32_t put = open(end, tag, memory.size());
  for_each_piece(memory.size(), [&](std::size_t at, std::size_t n) {
    MPI_Request request;
    call(MPI_Irecv(memory.data() + at, count_of(n), MPI_BYTE, from, tag, comm_, &request), "MPI_Irecv");
    pieces_.keep(request, put);
  });
  return Busy::no;
}

void Puts::put(Rank to, const PutTarget& target, std::span<const std::byte> source, std::uint64_t token) {
  ATOLL_ASSERT(source.size() == target.words[1]);
  const auto tag = static_cast<int>(target.words[0]);
  Packet end;
  end.from = to;
  end.what = Packet::What::put_sent;
  end.token = token;
  const std::uint32_t put = open(end, 0, source.size());
  for_each_piece(source.size(), [&](std::size_t at, std::size_t n) {
    MPI_Request request;
    call(MPI_Isend(source.data() + at, count_of(n), MPI_BYTE, to, tag, comm_, &request), "MPI_Isend");
    pieces_.keep(request, put);
  });
}

bool Puts::progress(std::deque<Packet>& ended) {
  const std::size_t before = ended.size();
  pieces_.collect([&](std::uint32_t k) {
    Put& put = puts_[k];
    if (--put.pieces > 0) return;
    ended.push_back(put.end);
    // Every message with this tag has been received, so the next exposure may use it.
    if (put.end.what == Packet::What::put_arrived) free_tags_.push_back(put.tag);
    free_.push_back(k);
  });
  return ended.size() > before;
}

void Puts::abandon(std::vector<MPI_Request>& receives) {
  pieces_.for_each([&](MPI_Request request, std::uint32_t k) {
    if (puts_[k].end.what == Packet::What::put_arrived) receives.push_back(request);
  });
}

std::uint32_t Puts::open(const Packet& end, int tag, std::size_t bytes) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(puts_.size()));
    puts_.emplace_back();
  }
  const std::uint32_t k = free_.back();
  free_.pop_back();
  puts_[k] = {end, tag, pieces_of(bytes)};
  return k;
}

}  // namespace atl::mpi
