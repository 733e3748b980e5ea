# SPDX-License-Identifier: Apache-2.0
"""Tests that passed are not repeated while nothing that they reach has changed: scripts/run_by_reach on a toy tree."""

import json
import os
import shutil
import signal
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

SCRIPT = Path(__file__).parents[2] / "scripts" / "run_by_reach"

FILES = {
    # base <- graph <- apsp, and base <- queue; graph's header does not include part.hpp, only its source does.
    "cpp/atoll/base/number.hpp": "int number();\n",
    "cpp/atoll/base/number.cpp": '#include "number.hpp"\nint number() { return 1; }\n',
    "cpp/atoll/io/part.hpp": "inline int part() { return 0; }\n",
    "cpp/atoll/graph/graph.hpp": "#include <atoll/base/number.hpp>\nint graph();\n",
    "cpp/atoll/graph/graph.cpp": (
        "#include <atoll/graph/graph.hpp>\n#include <atoll/io/part.hpp>\nint graph() { return number() + part(); }\n"
    ),
    "cpp/atoll/queue/queue.hpp": "#include <atoll/base/number.hpp>\ninline int queue() { return number(); }\n",
    "tests/main.cpp": "int law();\nint main() { return law() == 1 ? 0 : 1; }\n",
    "tests/shapes.hpp": "#include <atoll/base/number.hpp>\n",
    "tests/base/base_test.cpp": "#include <atoll/base/number.hpp>\nint law() { return number(); }\n",
    "tests/graph/graph_test.cpp": (
        '#include "shapes.hpp"\n#include <atoll/graph/graph.hpp>\nint law() { return graph(); }\n'
    ),
    "tests/queue/queue_test.cpp": "#include <atoll/queue/queue.hpp>\nint law() { return queue(); }\n",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.23)
project(toy LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
include(cmake/flags.cmake)
include(cmake/unity.cmake)
file(GLOB sources CONFIGURE_DEPENDS cpp/atoll/*/*.cpp)
add_library(atoll SHARED ${sources})
target_include_directories(atoll PUBLIC cpp tests)
atoll_unity(atoll)
enable_testing()
add_subdirectory(tests)
""",
    "tests/CMakeLists.txt": """foreach(room base graph queue)
  add_executable(test_${room} main.cpp ${room}/${room}_test.cpp)
  target_link_libraries(test_${room} PRIVATE atoll)
  atoll_unity(test_${room})
  add_test(NAME ${room} COMMAND test_${room})
endforeach()
add_test(NAME other COMMAND true)
""",
    "CMakePresets.json": json.dumps(
        {
            "version": 4,
            "configurePresets": [
                {"name": "toy", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}
            ],
            "buildPresets": [{"name": "toy", "configurePreset": "toy"}],
            "testPresets": [{"name": "toy", "configurePreset": "toy"}],
        }
    ),
}


class Toy:
    def __init__(self, root, unity):
        self.root = root / "toy"
        self.cache = root / "cache"
        self.files = FILES | {"cmake/flags.cmake": f"set(ATOLL_UNITY {unity})\n"}
        for name, text in self.files.items():
            self.write(name, text)
        (self.root / "scripts").mkdir()
        shutil.copy(SCRIPT, self.root / "scripts")
        shutil.copy(SCRIPT.parents[1] / "cmake" / "unity.cmake", self.root / "cmake")

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def edit(self, name, old="", new="#define EDITED\n"):
        text = (self.root / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new) if old else text + new)

    def run(self, *options, code=0, **env):
        """The tests that ran, by name; the others are listed as skipped in the file."""
        env = {k: v for k, v in os.environ.items() if k != "ATOLL_ALL_TESTS"} | {"XDG_CACHE_HOME": self.cache} | env
        subprocess.run(["cmake", "--preset", "toy"], cwd=self.root, env=env, check=True, capture_output=True)
        junit = self.root / "build" / "junit" / "toy.xml"
        done = subprocess.run(
            ["scripts/run_by_reach", "toy", "--output-junit", junit, *options],
            cwd=self.root,
            env=env,
            capture_output=True,
            text=True,
        )
        assert (done.returncode == 0) == (code == 0), done.stdout + done.stderr
        cases = list(xml.parse(junit).iter("testcase"))
        skipped = sum(case.find("skipped") is not None for case in cases)
        assert skipped == 0 or f"passed before with the same sources: {skipped} tests" in done.stdout
        return {case.get("name") for case in cases if case.find("skipped") is None}


@pytest.fixture(scope="module", params=["OFF", "ON"], ids=["separate", "unity"])
def built(tmp_path_factory, request):
    made = Toy(tmp_path_factory.mktemp("reach"), request.param)
    assert made.run() == {"base", "graph", "queue", "other"}  # the first run is complete
    return made


@pytest.fixture
def toy(built):
    """Each test starts with the initial tree, all of whose tests have passed."""
    yield built
    for name, text in built.files.items():
        if (built.root / name).read_text() != text:
            built.write(name, text)


def test_nothing_runs_twice(toy):
    assert toy.run() == {"other"}  # starts none of our programs, so its dependencies are unknown


def test_a_line_of_comment_runs_nothing_but_a_line_of_a_raw_string_does(toy):
    toy.edit("cpp/atoll/queue/queue.hpp", new="  // what it is\n")
    toy.edit("tests/graph/graph_test.cpp", "int law() {", "// graph\nint law() {")
    assert toy.run() == {"other"}
    toy.edit("tests/graph/graph_test.cpp", new='const char* const kText = R"(\n// one\n)";\n')
    assert toy.run() == {"graph", "other"}
    toy.edit("tests/graph/graph_test.cpp", "// one", "// two")
    assert toy.run() == {"graph", "other"}


@pytest.mark.parametrize(
    "file, reached",
    [
        ("cpp/atoll/base/number.hpp", {"base", "graph", "queue"}),
        ("cpp/atoll/base/number.cpp", {"base", "graph", "queue"}),
        ("cpp/atoll/graph/graph.cpp", {"graph"}),
        ("cpp/atoll/io/part.hpp", {"graph"}),  # through a source of a folder that the test includes
        ("cpp/atoll/queue/queue.hpp", {"queue"}),
        ("tests/graph/graph_test.cpp", {"graph"}),
        ("tests/shapes.hpp", {"graph"}),
        ("tests/main.cpp", {"base", "graph", "queue"}),
        ("tests/CMakeLists.txt", set()),  # an empty line
        ("CMakePresets.json", {"base", "graph", "queue"}),
    ],
)
def test_an_edit_runs_what_reaches_it_and_no_other(toy, file, reached):
    toy.edit(file, new="\n" if not file.endswith("pp") else "#define EDITED\n")
    assert toy.run() == reached | {"other"}
    assert toy.run() == {"other"}


def test_other_flags_a_new_file_and_a_moved_tree_are_seen(toy):
    toy.edit("cmake/flags.cmake", new="add_compile_options(-O1)\n")
    assert toy.run() == {"base", "graph", "queue", "other"}
    toy.edit("tests/CMakeLists.txt", "foreach(room", "add_compile_definitions(NEW)\nforeach(room")
    assert toy.run() == {"base", "graph", "queue", "other"}
    toy.edit("tests/CMakeLists.txt", "NAME other", "NAME graph_again COMMAND test_graph)\nadd_test(NAME other")
    assert toy.run() == {"graph_again", "other"}
    toy.edit("CMakeLists.txt", "project(toy", "configure_file(number.in generated/number.hpp)\nproject(toy")
    toy.write("number.in", "// generated\n")
    assert toy.run() == {"base", "graph", "queue", "graph_again", "other"}
    toy.edit("CMakeLists.txt", "configure_file(number.in generated/number.hpp)\nproject(toy", "project(toy")
    shutil.rmtree(toy.root / "build" / "toy" / "generated")
    toy.write("tests/CMakeLists.txt", toy.files["tests/CMakeLists.txt"])
    toy.write("cpp/atoll/queue/more.cpp", "int more() { return 2; }\n")
    assert toy.run() == {"queue", "other"}
    (toy.root / "cpp/atoll/queue/more.cpp").unlink()
    shutil.rmtree(toy.root / "build")
    home, toy.root = toy.root, toy.root.with_name("moved")
    home.rename(toy.root)
    assert toy.run() == {"other"}
    shutil.rmtree(toy.root / "build")
    toy.root = toy.root.rename(home)


def test_what_fails_is_never_remembered(toy):
    toy.edit("cpp/atoll/queue/queue.hpp", "return number()", "return number() + 1")
    assert toy.run(code=1) == {"queue", "other"}
    assert toy.run(code=1) == {"queue", "other"}
    toy.edit("cpp/atoll/queue/queue.hpp", "return number() + 1", "return number()")
    assert toy.run() == {"other"}  # as it was when it passed


def test_what_passed_before_is_not_built(toy):
    shutil.rmtree(toy.root / "build", ignore_errors=True)
    toy.edit("cpp/atoll/queue/queue.hpp", new="#define NOT_EDITED_SO_BEFORE\n")
    assert toy.run() == {"queue", "other"}
    assert [p.name for p in (toy.root / "build" / "toy" / "bin").iterdir()] == ["test_queue"]


def test_all_run_where_that_is_asked_for(toy):
    assert toy.run(ATOLL_ALL_TESTS="1") == {"base", "graph", "queue", "other"}
    assert toy.run("-E", "graph") == {"base", "queue", "other"}
    assert toy.run("-R", "graph|queue") == set()
    toy.edit("cpp/atoll/graph/graph.cpp", new="#define NOT_EDITED_SO_BEFORE\n")
    assert toy.run("-R", "graph|queue") == {"graph"}


def test_what_passed_before_a_time_limit_is_remembered(toy):
    toy.edit("cpp/atoll/base/number.hpp", new="#define NOT_EDITED_SO_BEFORE\n")
    test = "tests/queue/queue_test.cpp"
    toy.edit(test, "int law() {", '#include <unistd.h>\nint law() { write(2, "sleeps\\n", 7); sleep(100);')
    env = os.environ | {"XDG_CACHE_HOME": str(toy.cache)}
    words = ["scripts/run_by_reach", "toy", "--output-junit", "none.xml", "--verbose"]
    with subprocess.Popen(words, cwd=toy.root, env=env, stdout=subprocess.PIPE, text=True) as running:
        assert any("sleeps" in line for line in running.stdout)
        running.terminate()
        assert running.wait() == 128 + signal.SIGTERM
    toy.write(test, toy.files[test])
    assert toy.run() == {"queue", "other"}
