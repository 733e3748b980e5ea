// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <string>

#include "folder.hpp"

using namespace atl;

namespace {

struct Seed {
  const char* name;
  const char* text;
};

const Seed kSeeds[] = {
    {"t.conf",
     "# c\nSwitchName=s1 Nodes=a[1-2,4]\nSwitchName=s2 Nodes=b[01-02]c\nSwitchName=top Switches=s[1-2] LinkSpeed=1\n"},
    {"b.conf", "BlockName=b1 Nodes=a[1-2]\nBlockName=b2 Nodes=b1,b2\nBlockSizes=2,4\n"},
    {"t.yaml",
     "- topology: a\n  cluster_default: true\n  tree:\n    switches:\n    - switch: t\n      children: s[1-2]\n"
     "    - switch: s1\n      nodes: n1\n    - switch: s2\n      nodes: [n2, n3]\n"},
    {"m.yaml", "switches:\n  s1:\n    switches: [s2]\nblocks:\n- switch: s2\n  nodes: [\"a[1-2]\"]\n"},
    {"f.ibnet",
     "Switch\t8 \"S-1\"\t\t# \"leaf\"\n[1]\t\"H-1\"[1](1)\t# \"a x\" lid 1 4xHDR\n[2]\t\"S-2\"[2]\n\n"
     "Switch\t8 \"S-2\"\n[2]\t\"S-1\"[2]\n[3]\t\"H-2\"[1]\n\nCa\t1 \"H-1\"\t# \"a x\"\n[1](1)\t\"S-1\"[1]\n\n"
     "Ca\t1 \"H-2\"\n[1]\t\"S-2\"[3]\n"},
    {"p.xml",
     "<platform version='4.1'><zone id='w'><cluster id='c' prefix='n' suffix='' radical='0-3' bw='1GBps' lat='1us' "
     "topology='TORUS' topo_parameters='2,2'/><host id='h'/></zone></platform>"},
    {"f.xml",
     "<platform><zone id='w'><cluster id='c' radical='0-15' topology='FAT_TREE' "
     "topo_parameters='2;4,4;1,2;1,2' bw='1GBps' lat='1us'/></zone></platform>"},
    {"m.xml",
     "<topology version='2.0'><object type='Machine'><object type='Package'><object type='Core'/><object type='Core'/>"
     "</object><object type='Package'><object type='Core'/></object></object></topology>"},
    {"h.json", R"({"kind":"system","children":[{"kind":"node","ranks":[0,1]},{"kind":"node","ranks":[2]}]})"},
};

}  // namespace

TEST_CASE("a damaged file is read or rejected, without crashing") {
  const files::Folder folder;
  const std::string letters = "[]{}<>=,;:-'\"0123456789 \nx#/";
  int read = 0, refused = 0;
  for (const Seed& seed : kSeeds)
    for (std::uint64_t run = 0; run < 400; ++run) {
      CAPTURE(seed.name);
      CAPTURE(run);
      Random random(run);
      std::string text = seed.text;
      for (std::uint64_t edits = run == 0 ? 0 : 1 + random.below(3); edits > 0; --edits) {
        const std::size_t at = random.below(text.size());
        switch (random.below(4)) {
          case 0:
            text.erase(at, 1 + random.below(8));
            break;
          case 1:
            text.insert(at, 1, letters[random.below(letters.size())]);
            break;
          case 2:
            text.insert(at, text.substr(random.below(text.size()), 1 + random.below(20)));
            break;
          default:
            text[at] = letters[random.below(letters.size())];
        }
        if (text.empty()) text.push_back(' ');
      }
      const std::string path = folder.write(seed.name, text);
      CAPTURE(text);
      try {
        const Hierarchy h = read_hierarchy(path);
        CHECK(h.size() > 0);
        ++read;
        if (!path.ends_with(".json")) CHECK(read_network(path).hosts() == h.size());
      } catch (const InputError& e) {
        CHECK(std::string(e.what()).find(path) != std::string::npos);
        ++refused;
        CHECK(run > 0);
      }
    }
  CHECK(read > 400);
  CHECK(refused > 400);
}
