// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/transport/mpi/session.hpp>
#include <functional>
#include <vector>

namespace atl::mpi {

/// Incomplete MPI_Isends, each with a value that identifies it. (A persistent send has a fixed length:
/// with 16 KiB slots it took 5.4 us a round trip for 30 bytes instead of 0.28.)
template <class Value>
class Sends {
 public:
  /// Returns whether it has completed already, as most do: then the next one can reuse the same, warm memory.
  bool start(const void* data, std::size_t bytes, Rank to, int tag, MPI_Comm comm, const Value& value) {
    const MPI_Request request = begin(data, bytes, to, tag, comm);
    if (request != MPI_REQUEST_NULL) keep(request, value);
    return request == MPI_REQUEST_NULL;
  }
  /// Returns the request to keep; null if it has completed already. Accesses no member.
  static MPI_Request begin(const void* data, std::size_t bytes, Rank to, int tag, MPI_Comm comm) {
    MPI_Request request;
    int done = 0;
    call(MPI_Isend(data, count_of(bytes), MPI_BYTE, to, tag, comm, &request), "MPI_Isend");
    call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return request;
  }
  /// Keeps a request, also of another kind.
  void keep(MPI_Request request, const Value& value) {
    requests_.push_back(request);
    values_.push_back(value);
  }

  /// Calls f(value) for each that has completed since; returns whether there were any.
  template <class F>
  bool collect(F&& f) {
    if (requests_.empty()) return false;
    int ended = 0;
    indices_.resize(requests_.size());
    call(MPI_Testsome(count_of(requests_.size()), requests_.data(), &ended, indices_.data(), MPI_STATUSES_IGNORE),
         "MPI_Testsome");
    if (ended <= 0) return false;  // MPI_UNDEFINED is negative
    std::sort(indices_.begin(), indices_.begin() + ended, std::greater<>());
    for (int i = 0; i < ended; ++i) {
      const auto at = static_cast<std::size_t>(indices_[i]);
      f(values_[at]);
      requests_[at] = requests_.back();
      requests_.pop_back();
      values_[at] = values_.back();
      values_.pop_back();
    }
    return true;
  }

  bool empty() const { return requests_.empty(); }
  void finish_all() {
    for (MPI_Request& r : requests_) finish(r, "MPI_Test");
    requests_.clear();
    values_.clear();
  }
  /// f(request, value) of each.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < requests_.size(); ++i) f(requests_[i], values_[i]);
  }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<Value> values_;
  std::vector<int> indices_;
};

}  // namespace atl::mpi
