// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

/// Ranks as threads of one process that meet at a barrier, as processes do through a launcher.
///
///     Meeting job("name", 3);
///     job.run([&](Bootstrap& me) { auto fabric = join_shm(me, {}); ... });   // each thread maps all segments itself
///
namespace atl {

class Meeting {
 public:
  Meeting(std::string name, Rank ranks)
      : name_(std::move(name)), ranks_(ranks), texts_(static_cast<std::size_t>(ranks)), barrier_(ranks) {}

  /// Runs f on each rank; returns each one's error, empty if there was none.
  std::vector<std::string> run(const std::function<void(Bootstrap&)>& f) {
    std::vector<std::string> errors(static_cast<std::size_t>(ranks_));
    std::vector<std::thread> threads;
    for (Rank r = 0; r < ranks_; ++r)
      threads.emplace_back([&, r] {
        Seat seat(*this, r);
        try {
          f(seat);
        } catch (const std::exception& e) {
          errors[static_cast<std::size_t>(r)] = e.what();
        }
      });
    for (std::thread& t : threads) t.join();
    return errors;
  }

 private:
  class Seat final : public Bootstrap {
   public:
    Seat(Meeting& meeting, Rank rank) : meeting_(meeting), rank_(rank) {}
    std::string_view name() const override { return "meeting"; }
    Rank rank() const override { return rank_; }
    Rank size() const override { return meeting_.ranks_; }
    std::string job() const override { return meeting_.name_; }
    std::vector<std::string> gather(const std::string& mine) override {
      meeting_.texts_[static_cast<std::size_t>(rank_)] = mine;
      meeting_.barrier_.arrive_and_wait();
      std::vector<std::string> all = meeting_.texts_;
      meeting_.barrier_.arrive_and_wait();
      return all;
    }

   private:
    Meeting& meeting_;
    const Rank rank_;
  };

  const std::string name_;
  const Rank ranks_;
  std::vector<std::string> texts_;
  std::barrier<> barrier_;
};

}  // namespace atl
