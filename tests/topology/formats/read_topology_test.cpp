// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace atl;

namespace {

Hierarchy read(const std::string& name, const std::string& text, int ranks_per_host = 1) {
  const files::Folder folder;
  return read_hierarchy(folder.write(name, text), ranks_per_host);
}

// The message it throws, without the path.
std::string refused(const std::string& name, const std::string& text) {
  const files::Folder folder;
  const std::string path = folder.write(name, text);
  try {
    read_hierarchy(path);
  } catch (const InputError& e) {
    const std::string message = e.what();
    CHECK(message.starts_with(path));
    return message.substr(std::min(message.size(), path.size()));
  }
  return "not refused";
}

// Names of hosts in tree order, with brackets for domains.
std::string drawn(const Domain& d) {
  if (d.children.empty()) return d.name.empty() ? d.kind : d.name;
  std::string text = "(";
  for (const Domain& c : d.children) {
    if (text.size() > 1) text += ' ';
    text += drawn(c);
  }
  text += ')';
  return text;
}

std::string kinds(const Hierarchy& h) {
  std::string text;
  for (int l = 0; l < h.depth(); ++l) {
    if (l > 0) text += ' ';
    text += h.kind_at(l);
  }
  return text;
}

}  // namespace

TEST_CASE("Slurm's switches are domains, in any order and any case, with comments") {
  const Hierarchy h = read("topology.conf",
                           "# made by hand\n\nSwitchName=top Switches=leaf[1-2] LinkSpeed=100\n"
                           "  switchname=leaf2 nodes=b[09-11],c # the second\nSwitchName=leaf1 Nodes=a1,a2\n");
  CHECK(drawn(h.root()) == "((a1 a2) (b09 b10 b11 c))");
  CHECK(kinds(h) == "node switch switch");
  CHECK(h.root().name == "top");
  CHECK(h.level_between(0, 1) == 1);
  CHECK(h.level_between(1, 2) == 2);
}

TEST_CASE("a host has the requested number of consecutive ranks") {
  const Hierarchy h = read("topology.conf", "SwitchName=s Nodes=a[1-2]\n", 3);
  CHECK(h.size() == 6);
  CHECK(h.level_between(0, 2) == 0);
  CHECK(h.level_between(2, 3) == 1);
}

TEST_CASE("host lists may have several ranges and brackets, leading zeros, and gaps") {
  CHECK(drawn(read("t.conf", "SwitchName=s Nodes=r[1-2]n[08-10,12]x,y\n").root()) ==
        "(r1n08x r1n09x r1n10x r1n12x r2n08x r2n09x r2n10x r2n12x y)");
  for (const char* list :
       {"a[", "a]", "a[1-]", "a[-1]", "a[2-1]", "a[x]", "a[1-99999999999]", "a[]", ",", "a,,b", "a[1-4000]b[1-4000]"}) {
    CAPTURE(list);
    CHECK(refused("t.conf", std::string("SwitchName=s Nodes=") + list + "\n").starts_with(":1: host list '"));
  }
}

TEST_CASE("shorter branches get domains with one child, leaves stay leaves") {
  const Hierarchy h = read("t.conf",
                           "SwitchName=top Switches=deep,flat Nodes=alone\nSwitchName=deep Switches=leaf\n"
                           "SwitchName=leaf Nodes=a,b\nSwitchName=flat Nodes=c,d\n");
  CHECK(drawn(h.root()) == "(((alone)) ((a b)) ((c d)))");
  CHECK(h.level_between(1, 2) == 1);
  CHECK(h.level_between(3, 4) == 1);
  CHECK(h.level_between(1, 3) == 3);
}

TEST_CASE("several roots are joined under one system, and a leaf with two parents belongs to the first") {
  CHECK(drawn(read("t.conf", "SwitchName=a Nodes=x\nSwitchName=b Nodes=y\n").root()) == "((x) (y))");
  const Hierarchy h = read("t.conf",
                           "SwitchName=spine1 Switches=l[1-2]\nSwitchName=spine2 Switches=l[1-2]\n"
                           "SwitchName=l1 Nodes=a\nSwitchName=l2 Nodes=b\n");
  CHECK(drawn(h.root()) == "((a) (b))");
  CHECK(h.root().name == "spine1");
}

TEST_CASE("blocks are grouped by BlockSizes") {
  const Hierarchy h = read("t.conf",
                           "BlockName=b1 Nodes=a[1-2]\nBlockName=b2 Nodes=b[1-2]\nBlockName=b3 Nodes=c[1-2]\n"
                           "BlockSizes=2,4\n");
  CHECK(drawn(h.root()) == "(((a1 a2) (b1 b2)) ((c1 c2)))");
  CHECK(kinds(h) == "node block group system");
  CHECK(drawn(read("t.conf", "BlockName=b1 Nodes=a[1-2]\n").root()) == "(a1 a2)");
}

TEST_CASE("a host named by several switches belongs to the first, and a warning counts such hosts") {
  const files::Folder folder;
  const std::string rails = folder.write("t.conf",
                                         "SwitchName=rail1 Nodes=dgx[1-3]\nSwitchName=rail2 Nodes=dgx[2-4]\n"
                                         "SwitchName=core Switches=rail[1-2]\n");
  std::vector<std::string> heard;
  const Log log([&](LogLevel level, std::string_view text) {
    heard.push_back(std::string(name_of(level)) + " " + std::string(text));
  });
  CHECK(drawn(read_hierarchy(rails, 1, log).root()) == "((dgx1 dgx2 dgx3) (dgx4))");
  CHECK(heard == std::vector{"warn " + rails + ":2: host 'dgx2' (also in " + rails +
                             ":1); 2 hosts are named more than once, and are in the first switch that names them"});
  // A switch whose hosts are all reachable through another: it is empty then.
  heard.clear();
  const std::string twice =
      folder.write("u.conf", "SwitchName=a Nodes=x,y\nSwitchName=b Nodes=x,y\nSwitchName=c Nodes=z\n");
  CHECK(drawn(read_hierarchy(twice, 1, log).root()) == "((x y) (z))");
  REQUIRE(heard.size() == 2);
  CHECK(heard[1] == "info " + twice + ":2: switch 'b' has no host; 1 such are left out");
}

TEST_CASE("switches and racks without hosts are left out, however their emptiness is written") {
  CHECK(
      drawn(read("t.conf", "SwitchName=top Switches=a,b,c\nSwitchName=a Nodes=x,y\nSwitchName=b\nSwitchName=c Nodes=\n")
                .root()) == "((x y))");
  for (const char* nothing : {"", "\n        nodes:", "\n        nodes: ''", "\n        nodes: []",
                              "\n        nodes: ['']", "\n        nodes: ~\n        children: []"}) {
    CAPTURE(nothing);
    CHECK(drawn(read("topology.yaml",
                     std::string("- topology: t\n  tree:\n    switches:\n      - switch: top\n"
                                 "        children: r[1-3]\n      - switch: r1\n        nodes: a\n      - switch: r2") +
                         nothing + "\n      - switch: r3\n        nodes: b\n")
                    .root()) == "((a) (b))");
    // Blocks are grouped in pairs: r2 keeps its place beside r1.
    CHECK(drawn(read("topology.yaml",
                     std::string("- topology: t\n  block:\n    block_sizes: [1, 2]\n    blocks:\n      - block: r1\n"
                                 "        nodes: a\n      - block: r2") +
                         nothing + "\n      - block: r3\n        nodes: b\n      - block: r4\n        nodes: c\n")
                    .root()) == "(((a)) ((b) (c)))");
  }
  CHECK(drawn(read("m.yml",
                   "switches:\n  core:\n    switches: [one, two, three, four]\n  three:\n  four: {}\nblocks:\n"
                   "- switch: one\n  nodes: [a, b]\n- switch: five\n  nodes: []\n")
                  .root()) == "((a b))");
  CHECK(refused("t.yaml", "- topology: t\n  tree:\n    switches:\n      - switch: s\n        nodes: {a: b}\n")
            .starts_with(":"));
  CHECK(refused("t.yaml", "- topology: t\n  tree:\n    switches: []\n").starts_with(": no switch has a host"));
}

TEST_CASE("errors in a topology.conf are reported with their line") {
  CHECK(refused("t.conf", "SwitchName=a Nodes=x\n\nSwitchName=a Nodes=y\n").starts_with(":3: switch 'a' (also in "));
  CHECK(refused("t.conf", "SwitchName=a Switches=b\n").starts_with(":1: switch 'b' (nothing says"));
  CHECK(refused("t.conf", "SwitchName=a Switches=b\nSwitchName=b Switches=a\n").find("its own ancestor") !=
        std::string::npos);
  CHECK(refused("t.conf", "SwitchName=a\n").starts_with(": no switch has a host"));
  CHECK(refused("t.conf", "SwitchName=a Switches=b\nSwitchName=b Nodes=\n").starts_with(": no switch has a host"));
  CHECK(refused("t.conf", "SwitchName=a Nodes=x\nBlockName=b Nodes=y\n").find("one file") != std::string::npos);
  CHECK(refused("t.conf", "SwitchName=a Nodes=x\nNodeName=b\n").starts_with(":2: 'nodename'"));
  CHECK(refused("t.conf", "SwitchName=a nodes\n").starts_with(":1: 'nodes' (every word"));
  CHECK(refused("t.conf", "BlockName=a Nodes=x\nBlockSizes=2,3\n").starts_with(":2: block sizes '2,3'"));
}

TEST_CASE("Slurm's topology.yaml: the default topology, tree or block") {
  const std::string text =
      "---\n- topology: one\n  tree:\n    switches:\n      - switch: top\n        children: s[1-2]\n"
      "      - switch: s1\n        nodes: a[01-02]\n      - switch: s2\n        nodes: b1\n"
      "- topology: two\n  cluster_default: DEFAULT\n  block:\n    block_sizes: [1, 2]\n    blocks:\n"
      "      - block: b1\n        nodes: x\n      - block: b2\n        nodes: y\n      - block: b3\n        nodes: z\n";
  const auto with = [&](const char* value) { return std::string(text).replace(text.find("DEFAULT"), 7, value); };
  CHECK(drawn(read("topology.yaml", with("false")).root()) == "((a01 a02) (b1))");
  CHECK(drawn(read("topology.yaml", with("true")).root()) == "(((x) (y)) ((z)))");
  CHECK(refused("t.yaml", "- topology: three\n  flat: true\n").starts_with(":1: a topology that is neither"));
  CHECK(refused("t.yaml", "a: [1\n").find("not as topology.yaml has it") != std::string::npos);
  CHECK(refused("t.yaml", "- topology: x\n  tree:\n    switches:\n      - nodes: a\n").starts_with(":"));
  CHECK(refused("t.yaml", "a: 1\n").starts_with(": not a topology"));
}

TEST_CASE("a model of topograph: switches by name, blocks of nodes under them") {
  const Hierarchy h = read("m.yml",
                           "switches:\n  core:\n    switches:\n    - one\n    - two\nblocks:\n- switch: one\n"
                           "  nodes: [\"n[1-2]\", \"n5\"]\n- switch: two\n  nodes:\n  - m[1-2]\n");
  CHECK(drawn(h.root()) == "((n1 n2 n5) (m1 m2))");
}

TEST_CASE("ibnetdiscover: adapters of a host are one host, rails are a unit, spines join units") {
  std::string text = "#\n# Topology file: generated on a sunny day\n#\n\n";
  const auto add_switch = [&](const char* id, const char* name, const std::vector<std::string>& ports) {
    text += fmt::format("vendid=0x2c9\nSwitch\t65 \"S-{}\"\t\t# \"{}\" enhanced port 0 lid 7 lmc 0\n", id, name);
    for (std::size_t p = 0; p < ports.size(); ++p)
      text += fmt::format("[{}]\t\"{}\t\t# \"who\" lid 1 4xNDR\n", p + 1, ports[p]);
    text += '\n';
  };
  // Hosts a and b have two adapters each, at leaves 1 and 2; c has one at leaf 3. Two spines.
  add_switch("l1", "leaf 1", {"H-a0\"[1](a0)", "H-b0\"[1](b0)", "S-s1\"[1]", "S-s1\"[2]"});
  add_switch("l2", "leaf 2", {"H-a1\"[1](a1)", "H-b1\"[1](b1)", "S-s2\"[1]", "H-agg\"[1](agg)"});
  add_switch("l3", "leaf 3", {"H-c0\"[1](c0)", "S-s1\"[3]", "S-s2\"[2]", "H-d0\"[1](d0)"});
  add_switch("s1", "spine 1", {"S-l1\"[3]", "S-l1\"[4]", "S-l3\"[2]"});
  add_switch("s2", "spine 2", {"S-l2\"[3]", "S-l3\"[3]"});
  const auto add_adapter = [&](const char* id, const char* name, const char* to) {
    text += fmt::format(
        "caguid=0x1\nCa\t1 \"H-{0}\"\t\t# \"{1}\"\n[1]({0}) \t\"{2}\t\t# lid 3 lmc 0 \"leaf\" lid 7 4xNDR\n\n", id,
        name, to);
  };
  add_adapter("a0", "a mlx5_0", "S-l1\"[1]");
  add_adapter("a1", "a mlx5_1", "S-l2\"[1]");
  add_adapter("b0", "b HCA-1", "S-l1\"[2]");
  add_adapter("b1", "b HCA-2", "S-l2\"[2]");
  add_adapter("c0", "c mlx5_0", "S-l3\"[1]");
  add_adapter("d0", "MT4129 ConnectX7   Mellanox Technologies", "S-l3\"[4]");
  add_adapter("agg", "Mellanox Technologies Aggregation Node", "S-l2\"[4]");

  const Hierarchy h = read("fabric.ibnet", text);
  CHECK(drawn(h.root()) == "((a b) (c H-d0))");
  CHECK(h.root().children[0].kind == "unit");
  CHECK(h.root().children[1].name == "leaf 3");
  const files::Folder folder;
  const Network n = read_network(folder.write("fabric.ibnet", text));
  CHECK(n.hosts() == 4);
  CHECK(n.routers() == 5);
  CHECK(n.links().size() == 6 + 5);  // cables are counted once, two of them from leaf 1 to spine 1
  CHECK(n.links()[0].bytes_per_second == 50e9);
  CHECK(n.route(0, 2).size() == 4);
  CHECK(n.hierarchy().level_between(0, 1) == 0);
  CHECK(n.hierarchy().level_between(0, 2) == 1);
  CHECK(refused("f.ibnet", "Switch 8 \"a\"\n[1] nothing\n").starts_with(":2: '[1] nothing'"));
  CHECK(refused("f.ibnet", "Switch 8 \"a\"\n[1] \"b\"[1]\n").find("device 'b'") != std::string::npos);
  CHECK(refused("f.ibnet", "Switch 8 \"a\"\nSwitch 8 \"a\"\n").starts_with(":2: device 'a' (also in line 1)"));
  CHECK(refused("f.ibnet", "Switch 8 \"a\"\n").find("no hosts") != std::string::npos);
}

TEST_CASE("SimGrid: zones, cabinets and clusters; routers alone form no domain") {
  const Hierarchy h =
      read("p.xml",
           "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\">\n"
           "<zone id=\"gates\" routing=\"Full\"><router id=\"r\"/></zone>\n"
           "<cluster id=\"c\" prefix=\"n-\" suffix=\".x\" radical=\"1-2,5\" speed=\"1Gf\" bw=\"1GBps\" "
           "lat=\"1us\"/>\n"
           "<zone id=\"z\" routing=\"Cluster\"><cabinet id=\"q\" prefix=\"q\" suffix=\"\" radical=\"0-1\"/>"
           "<cabinet id=\"w\" prefix=\"w\" suffix=\"\" radical=\"7\"/></zone>\n"
           "<host id=\"lone\" speed=\"1Gf\"/></zone></platform>\n");
  CHECK(drawn(h.root()) == "(((n-1.x n-2.x n-5.x)) ((q0 q1) (w7)) ((lone)))");
  CHECK(h.root().name == "all");
}

TEST_CASE("SimGrid's torus, fat tree and dragonfly clusters become those networks, with their links") {
  const auto platform = [](const std::string& topology, const std::string& parameters, const std::string& radical) {
    return "<platform version='4.1'><zone id='w' routing='Full'>\n<cluster id='bob' topology='" + topology +
           "' topo_parameters='" + parameters + "' prefix='n' suffix='' radical='" + radical +
           "' speed='1Gf' bw='125MBps' lat='50us'/></zone></platform>";
  };
  const Hierarchy torus = read("t.xml", platform("TORUS", "3,2,2", "0-11"));
  CHECK(drawn(torus.root()) == "(((n0 n1 n2) (n3 n4 n5)) ((n6 n7 n8) (n9 n10 n11)))");
  const files::Folder folder;
  const Network n = read_network(folder.write("f.xml", platform("FAT_TREE", "2;4,4;1,2;1,2", "0-15")));
  CHECK(n.hosts() == 16);
  CHECK(n.routers() == 6);
  CHECK(n.links()[0].latency_s == doctest::Approx(50e-6));
  CHECK(n.links()[0].bytes_per_second == doctest::Approx(125e6));
  CHECK(read("d.xml", platform("DRAGONFLY", "3,4;4,3;5,1;2", "0-119")).depth() == 5);
  CHECK(refused("t.xml", platform("TORUS", "3,2,2", "0-10")).starts_with(":2: torus:2x2x3 has 12 hosts"));
  CHECK(refused("t.xml", platform("TORUS", "3,,2", "0-10")).starts_with(":2: network 'torus:"));
  CHECK(refused("t.xml", platform("RING", "3", "0-2")).starts_with(":2: topology 'RING'"));
  CHECK(refused("t.xml", platform("FLAT", "", "")).starts_with(":2: cluster 'bob' without a radical"));
  CHECK(refused("t.xml", "<platform>\n<zone>\n</platform>").starts_with(":"));
  CHECK(refused("t.xml", "<platform/>").find("without hosts") != std::string::npos);
  CHECK(refused("t.xml", "<platform><zone>\n<include file='x'/></zone></platform>").starts_with(":2: <include>"));
}

TEST_CASE("hwloc's XML of any version: packages, caches, cores; an object with a single child is no domain") {
  const auto core = [](int n) {
    std::string text;
    for (int i = 0; i < n; ++i)
      text += "<object type='L2Cache'><object type='Core'><object type='PU'/><object type='PU'/></object></object>";
    return text;
  };
  const std::string package = "<object type='Package'><object type='NUMANode'/><object type='L3Cache'>" + core(2) +
                              "</object><object type='L3Cache'>" + core(3) + "</object></object>";
  const Hierarchy h =
      read("m.xml", "<topology version='3.0'><object type='Machine'><info name='HostName' value='big'/>" + package +
                        package + "<object type='Bridge'><object type='PCIDev'/></object></object></topology>");
  CHECK(drawn(h.root()) == "(((core core) (core core core)) ((core core) (core core core)))");
  CHECK(kinds(h) == "core l3 package node");
  CHECK(h.root().name == "big");
  // Version 1: a NUMA domain contains its cores, caches have a depth.
  const Hierarchy old =
      read("m.xml",
           "<topology><object type='Machine'><object type='NUMANode'><object type='Socket'><object "
           "type='Cache' depth='2'><object type='PU'/></object><object type='PU'/></object></object>"
           "<object type='NUMANode'><object type='PU'/><object type='PU'/></object></object></topology>");
  CHECK(drawn(old.root()) == "((core core) (core core))");
  CHECK(kinds(old) == "core numa node");
  CHECK(refused("m.xml", "<topology><object type='Machine'/></topology>").starts_with(":1: no core"));
}

TEST_CASE("JSON contains a hierarchy, alone or in a command's output") {
  const nlohmann::json j = Hierarchy::parse("2x3").to_json();
  CHECK(read("h.json", j.dump()).to_json() == j);
  CHECK(read("h", nlohmann::json{{"schema", 1}, {"result", {{"hierarchy", j}}}}.dump()).to_json() == j);
  CHECK(refused("h.json", "{").find("not JSON") != std::string::npos);
  CHECK(refused("h.json", "[1]").find("no hierarchy") != std::string::npos);
  CHECK(refused("h.json", R"({"ranks":[1]})").starts_with(": rank 1"));
}

TEST_CASE("zstd is unpacked, and damage is found") {
  const std::string text = "SwitchName=s Nodes=a[1-300]\n";
  // A single-segment frame with a one-byte length, then one raw block, the last.
  std::string packed = "\x28\xb5\x2f\xfd\x20";
  packed += static_cast<char>(text.size());
  packed += static_cast<char>(text.size() << 3 | 1);
  packed.append(2, '\0');
  packed += text;
  CHECK(read("topology.conf.zst", packed).size() == 300);
  CHECK(refused("t.conf.zst", packed.substr(0, packed.size() / 2)).find("cut off") != std::string::npos);
  std::string damaged = packed;
  damaged[6] = '\x07';  // an invalid block type
  CHECK(refused("t.conf.zst", damaged).find("zstd data") != std::string::npos);
}

TEST_CASE("other files are rejected with a list of the supported formats") {
  CHECK_THROWS_WITH_AS(read_hierarchy("/nowhere/x.conf"), "/nowhere/x.conf: no such file. Correct the path.",
                       InputError);
  CHECK(refused("x.txt", "hello\n").starts_with(": no topology that is known (Slurm"));
  CHECK(refused("x.txt", "  \n").starts_with(": an empty file"));
  CHECK(refused("x.xml", "<html/>").starts_with(": XML that is neither"));
  CHECK(refused("x.tar.bz2", "BZh91AY").find("lstopo") != std::string::npos);
  CHECK_THROWS_AS(read("t.conf", "SwitchName=s Nodes=a\n", 0), InputError);
  CHECK_THROWS_AS(read_network("nowhere"), InputError);
  CHECK_THROWS_AS(read_network("ring:4"), InputError);
  CHECK(read_network("torus:3x3").hosts() == 9);
}

TEST_CASE("Slurm's lines go on behind a backslash, whatever follows that is no character") {
  const std::string joined = "((n1 n2) (n3 n4))";
  const std::string root = "SwitchName=top Switches=s1,s2\n";
  const auto tree = [&](const std::string& text) { return drawn(read("topology.conf", text).root()); };
  const std::string plain = "SwitchName=s1 Nodes=n1,n2\nSwitchName=s2 Nodes=n3,n4\n" + root;
  CHECK(tree(plain) == joined);
  for (const std::string end : {"\\\n", "\\ \t\n", "\\\r\n", "\\ # on the first floor\n", "\\\r", "\\\n\\\n"}) {
    CAPTURE(end);
    CHECK(tree("SwitchName=s1 " + end + "  Nodes=n1,n2\nSwitchName=s2 Nodes=n3,n4\n" + root) == joined);
    CHECK(tree("SwitchName=s1 Nodes=n1," + end + "n2\nSwitchName=s2 " + end + "Nodes=n3,n4\n" + root) == joined);
  }
  CHECK(tree("\xef\xbb\xbf" + plain) == joined);
  CHECK(tree(plain + "# a comment \\\nSwitchName=s3\n") == joined);  // a comment does not go on
  CHECK(tree(plain + "SwitchName=s3 \\") == joined);                 // nothing follows
  CHECK(refused("topology.conf", "SwitchName=s1 \\\nNodes=n1\nNodes\n") ==
        ":3: 'Nodes' (every word is a key=value, as SwitchName=s1). Correct it.");
  CHECK(refused("topology.conf", "SwitchName=s1 \\\\\nNodes=n1\n").starts_with(":1: "));  // an even number ends it
}

TEST_CASE("topologies in UTF-16 are refused by name, and what unpacks to far more than a topology is refused") {
  std::string wide("\xff\xfe");
  for (const char c : std::string("SwitchName=s1 Nodes=n1\n")) wide += c, wide += '\0';
  CHECK(refused("topology.conf", wide).starts_with(":1: the text is UTF-16"));
  std::string bomb("\x28\xb5\x2f\xfd\x00\x58", 6);
  for (int block = 0; block < 600; ++block)  // 128 KiB of blanks in four bytes each
    bomb += std::string{"\x02\x00\x10 ", 4};
  CHECK(refused("topology.conf.zst", bomb).find("unpack to more than 67108864") != std::string::npos);
}
