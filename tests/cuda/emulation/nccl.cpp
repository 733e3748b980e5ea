// SPDX-License-Identifier: Apache-2.0
#include <nccl.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Messages that the members of a group have sent each other and not yet received.
struct Group {
  std::mutex mutex;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> messages;  // [from, to]
};

}  // namespace

struct EmulatedCommunicator {
  std::shared_ptr<Group> group;
  int members = 0, member = 0;

  void send(const void* from, std::size_t bytes, int to) {
    const auto* const first = static_cast<const std::byte*>(from);
    const std::lock_guard lock(group->mutex);
    group->messages[{member, to}].emplace_back(first, first + bytes);
  }
  bool has_message(int from) {
    const std::lock_guard lock(group->mutex);
    return !group->messages[{from, member}].empty();
  }
  void receive(void* to, std::size_t bytes, int from) {
    const std::lock_guard lock(group->mutex);
    auto& queue = group->messages[{from, member}];
    if (queue.front().size() != bytes) {
      std::fprintf(stderr, "emulation: a message of %zu bytes is received as %zu\n", queue.front().size(), bytes);
      std::abort();
    }
    std::memcpy(to, queue.front().data(), bytes);
    queue.pop_front();
  }
};

namespace {

struct Groups {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Group>> by_id;
  // Groups of an abandoned device never end, and stay to the end of the process.
  std::set<std::unique_ptr<EmulatedCommunicator>> communicators;
  int made = 0;
};
Groups& groups() {
  static Groups& all = *new Groups;  // of a process, as NCCL's own are
  return all;
}

}  // namespace

static std::size_t bytes_of(std::size_t count, ncclDataType_t type) { return type == ncclFloat32 ? 4 * count : count; }

const char* ncclGetErrorString(ncclResult_t) { return "no error"; }
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = {};
  const std::lock_guard lock(groups().mutex);
  std::snprintf(id->internal, sizeof id->internal, "group %d", ++groups().made);
  return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t* out, int members, ncclUniqueId id, int member) {
  const std::lock_guard lock(groups().mutex);
  auto& group = groups().by_id[id.internal];
  if (!group) group = std::make_shared<Group>();
  auto made = std::make_unique<EmulatedCommunicator>(EmulatedCommunicator{group, members, member});
  *out = made.get();
  groups().communicators.insert(std::move(made));
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  const std::lock_guard lock(groups().mutex);
  std::erase_if(groups().communicators, [&](const auto& made) { return made.get() == communicator; });
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) { return ncclCommDestroy(communicator); }
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* result) {
  *result = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  if (communicator->member != root) return ncclRecv(to, count, type, root, communicator, stream);
  for (int m = 0; m < communicator->members; ++m)
    if (m != root) ncclSend(from, count, type, m, communicator, stream);
  return ncclSuccess;
}
ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  const std::size_t bytes = bytes_of(count, type);
  emulation::enqueue_host(stream, [=] { communicator->send(from, bytes, peer); });
  return ncclSuccess;
}
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  const std::size_t bytes = bytes_of(count, type);
  emulation::enqueue_host(
      stream, [=] { communicator->receive(to, bytes, peer); }, [=] { return communicator->has_message(peer); });
  return ncclSuccess;
}
ncclResult_t ncclGroupStart() { return ncclSuccess; }
ncclResult_t ncclGroupEnd() { return ncclSuccess; }
