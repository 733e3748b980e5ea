// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/files/mapped_file.hpp>
#include <atoll/base/types.hpp>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A small file in memory, made by the command that starts a job and mapped by all ranks of its host: who
/// lives, what each does, and with which code it ended. MPI launchers lose exit codes and name no operation;
/// this keeps both.
///
///     JobTable table = JobTable::make(ranks);    // the parent; ATOLL_JOB tells the ranks its path
///     auto table = JobTable::find();             // a rank; none where no parent made one
///     table->register_rank(rank);  table->note("bfs: exchange");  table->finish(0);
///
namespace atl {

/// A process by its number and when it started, so that a number given again is not mistaken for it.
struct ProcessId {
  int pid = 0;
  std::uint64_t start = 0;
  static ProcessId self();
  static ProcessId of(int pid);
  bool alive() const;  ///< runs; a zombie does not
};

class JobTable {
 public:
  enum class State : std::uint32_t { empty, running, finished, died };
  struct RankStatus {
    State state = State::empty;
    ProcessId process;
    int exit_code = 0;        ///< of a finished one
    int signal = 0;           ///< of a dead one; 0: not known
    std::uint32_t order = 0;  ///< 1 for the first that finished or died, then counting up
    std::string operation;    ///< what it last waited for
    std::string message;      ///< why it ended, if its peers did not end for the same reason
  };

  /// Also removes boards of this user whose makers and ranks are dead, and what those have left in /dev/shm. Throws
  /// IoError.
  static JobTable make(Rank ranks);
  /// The table that ATOLL_JOB names, if it is there and its maker lives.
  static std::optional<JobTable> find();
  JobTable(JobTable&& other) noexcept;
  JobTable& operator=(JobTable&&) = delete;
  ~JobTable();  ///< the maker's also removes the file

  const std::string& path() const { return path_; }
  Rank ranks() const;
  ProcessId maker() const;
  RankStatus status(Rank rank) const;
  /// Whether the rank is gone without having finished, noted as dead or not.
  bool died(Rank rank) const;

  /// This process is that rank. A signal that ends it is noted from here on.
  void register_rank(Rank rank);
  void note(const char* operation) noexcept;
  void finish(int exit_code, std::string_view message = {}) noexcept;
  /// To be called before finish() with an error that may come of another rank's death: returns once the maker has noted
  /// a death, after 0.2 s without any, or after 2 s in which the maker has not noted one that is seen. So the order of
  /// the ends is the order of their causes.
  void await_noted_death() const noexcept;
  /// The maker has seen that the rank is gone.
  void note_death(Rank rank, int signal) noexcept;

 private:
  struct Page;
  JobTable(std::string path, MappedFile memory, bool mine);
  static std::optional<JobTable> open(const std::string& path);

  std::string path_;
  MappedFile memory_;
  Page* page_ = nullptr;  // the memory's beginning
  bool mine_ = false;
  Rank rank_ = -1;
};

}  // namespace atl
