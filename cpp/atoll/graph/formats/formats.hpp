// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/graph/formats/read.hpp>
#include <atoll/graph/table/head_lines.hpp>
#include <atoll/io/read_file.hpp>
#include <string>
#include <string_view>

/// One reader per format, behind read_edges. All are collective and receive the same head of the file on all ranks, so
/// their conclusions from it need no agreement.
namespace atl {

/// A file before it is read: its format, which is not "auto", and its first bytes, but for Graphalytics.
struct OpenedFile {
  std::string format;
  Head head;
};
/// Throws where the format is unknown or the options are not for it.
OpenedFile open_graph_file(World& world, const std::string& path, const ReadOptions& options);

EdgeList read_edge_list(World& world, const std::string& path, Head& head, const ReadOptions& options);
EdgeList read_matrix_market(World& world, const std::string& path, Head& head, const ReadOptions& options);
EdgeList read_dimacs(World& world, const std::string& path, Head& head, const ReadOptions& options);
EdgeList read_metis(World& world, const std::string& path, Head& head, const ReadOptions& options);
EdgeList read_graphalytics(World& world, const std::string& path, const ReadOptions& options);
EdgeList read_graph500(World& world, const std::string& path, int bits, const ReadOptions& options);

/// The number of edges to expect on this rank, so that columns need not grow; it only reserves address space.
std::size_t expected_share(World& world, const Head& head, std::size_t least_bytes_per_edge);

/// Throws unless a text of head.most_text_bytes can hold `promised` items of `least_bytes` each.
void check_promise(const HeadLines& lines, const Head& head, std::int64_t promised, std::size_t least_bytes,
                   const char* items);

/// `name` has one of the blank-separated endings, before .gz or .zst.
bool has_ending(std::string_view name, std::string_view endings);

}  // namespace atl
