// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/graph/formats/foreign_content.hpp>

#include "files.hpp"

using namespace files;
using namespace std::string_literals;

TEST_CASE("what no reader takes is named by how it begins") {
  const std::pair<std::string, std::string> contents[] = {
      {"<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\">", "GraphML"},
      {"\xef\xbb\xbf <gexf version='1.3'>", "GEXF"},
      {"<!DOCTYPE html><html>", "a page of HTML (a download that failed?)"},
      {"<!doctype HTML>", "a page of HTML (a download that failed?)"},
      {"\n<HTML><BODY>404", "a page of HTML (a download that failed?)"},
      {"<?xml version=\"1.0\"?>\n<osm>", "XML"},
      {"<osm version='0.6'></osm>", "XML"},
      {"\n{\"nodes\": []}", "JSON"},
      {"{}", "JSON"},
      {"[[0, 1]]", "JSON"},
      {"graph [\n  directed 0\n]", "GML"},
      {"Creator \"igraph\"\ngraph\n[", "GML"},
      {"*Vertices 3\n", "a net of Pajek"},
      {"digraph G { a -> b }", "DOT of Graphviz"},
      {"strict graph {", "DOT of Graphviz"},
      {"PAR1\x15\x04", "a table of Parquet"},
      {"ARROW1\0\0"s, "a table of Arrow (Feather)"},
      {"\x89HDF\r\n\x1a\n", "a file of HDF5"},
      {"\x93NUMPY\x01", "an array of NumPy"},
      {"PK\x03\x04", "a zip archive (also .npz and .xlsx are)"},
      {"SQLite format 3\0"s, "a database of SQLite"},
      {"%PDF-1.7", "a PDF"},
      {"BZh91AY&SY", "packed by bzip2"},
      {"\xfd\x37zXZ", "packed by xz"},
      {"\x80\x04", "a pickle of Python"},
      {gzip_member("1 2\n"), "packed by gzip (its name ends otherwise than in .gz)"},
      {zstd_frame("1 2\n"), "packed by zstd (its name ends otherwise than in .zst)"},
  };
  for (const auto& [text, what] : contents) CHECK(foreign_content(text) == what);
}

TEST_CASE("lists of edges are not foreign, whatever their names begin with") {
  for (const std::string& text : {""s,
                                  "\n"s,
                                  "1 2\n"s,
                                  "# c\n1 2\n"s,
                                  "%%MatrixMarket"s,
                                  "% c\n"s,
                                  "%PDF\tx\n"s,
                                  "PAR1\tF2R\n"s,
                                  "PAR1,F2R\n"s,
                                  "PAR1 F2R\n"s,
                                  "PAR1"s,
                                  "PAR1\r\n"s,
                                  "PAR1\xc3\xa9 b\n"s,
                                  "ARROW1 b\n"s,
                                  "BZh1 b\n"s,
                                  "BZh"s,
                                  "<http://a/> <http://b>\n"s,
                                  "<a> <b>\n"s,
                                  "<"s,
                                  "[a] [b]\n"s,
                                  "[1] [2]\n"s,
                                  "["s,
                                  "{a} {b}\n"s,
                                  "{"s,
                                  "graph theory\n"s,
                                  "digraph graph\n"s,
                                  "strict parent\n"s,
                                  "Creator Work\n"s,
                                  "PK b\n"s,
                                  "\"a\" \"b\"\n"s})
    CHECK_MESSAGE(foreign_content(text) == "", text);
}

TEST_CASE("a wrong format is refused the same on every rank") {
  Folder folder;
  const std::string path = folder.write("a.txt", "<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\">\n");
  for (const Rank ranks : {1, 2, 3, 5})
    CHECK(refusal(path, ranks).starts_with(path + ": this is GraphML (the formats here are auto edges"));
}
