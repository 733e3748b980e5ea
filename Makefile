# SPDX-License-Identifier: Apache-2.0
# Each line calls the real tool; nothing is hidden here. CMAKE_FLAGS=-DNAME=VALUE reaches every configure.
.PHONY: build demo test ctest ctest-by-reach pytest pytest-nightly torch test-all asan tsan ubsan wheel sdist networkx-suite nightly separate bench mutants fuzz lint tidy docs man clean

# GPU kernels take minutes, and NVIDIA's libraries 600 MB: where no GPU is seen, they come by CMAKE_FLAGS=-DATOLL_CUDA=ON
bootstrap = $(if $(filter -DATOLL_CUDA=ON,$(CMAKE_FLAGS)),ATOLL_CUDA=ON )scripts/bootstrap

build:              # bin/atoll and .venv, whose Python imports atoll
	$(bootstrap)
	cmake --preset release $(CMAKE_FLAGS)
	scripts/compile release product
	scripts/link

demo:               # builds bin/atoll only (no Python), then runs Graph500's BFS on 2 ranks and verifies its trees
	scripts/bootstrap command
	cmake --preset release $(CMAKE_FLAGS)
	scripts/compile release command
	scripts/link
	@echo
	bin/atoll graph500 --scale 16 --ranks 2 --brief --quiet
	@printf '\n%s\n%s\n' 'Your own graph: bin/atoll run bfs FILE, bin/atoll inspect FILE; bin/atoll --help has the rest.' \
	  'From Python: make build, then .venv/bin/python and import atoll. The tutorial: docs/tutorial.md'

test: ctest pytest  # C++ and Python tests

# plug-ins over the emulation of CUDA (tests/cuda/emulation), which Python's tests open
emulated = cuda_emulated nccl_emulated nvshmem_emulated
# programs that Python's tests start
probes = job_probe fabric_probe ofi_probe

ctest:
	$(bootstrap) tests
	@$(MAKE) --no-print-directory build
	scripts/compile release
	ctest --preset release --output-junit $(CURDIR)/build/junit/release.xml $(CTEST_FLAGS)

ctest-by-reach:     # but for what passed before with the same sources
	$(bootstrap) tests
	@$(MAKE) --no-print-directory build
	scripts/run_by_reach release --output-junit $(CURDIR)/build/junit/release.xml $(CTEST_FLAGS)

pytest:             # but for what is marked nightly
	$(bootstrap) tests
	@$(MAKE) --no-print-directory build
	scripts/compile release $(emulated) $(probes)
	.venv/bin/python -m pytest --junitxml=build/junit/pytest.xml -m "not nightly" $(PYTEST_FLAGS)

pytest-nightly:     # what is marked nightly
	$(bootstrap) tests
	@$(MAKE) --no-print-directory build
	scripts/compile release $(emulated) $(probes)
	.venv/bin/python -m pytest --junitxml=build/junit/pytest-nightly.xml -m nightly $(PYTEST_FLAGS)

torch: build        # the tests of atoll.torch, by PYTHON_TORCH, .venv or Debian's python3, which gets torch by apt
	$(bootstrap) tests
	cmake --preset release $(CMAKE_FLAGS)
	scripts/compile release $(emulated)
	scripts/check_torch $(PYTEST_FLAGS)

test-all: ATOLL_ALL_TESTS = 1 # those too that have passed before with the same sources
test-all: test asan tsan wheel

asan tsan ubsan:    # the C++ tests under sanitizers, but for what passed before with the same sources
	scripts/bootstrap tests
	cmake --preset $@ $(CMAKE_FLAGS)
	ATOLL_ALL_TESTS=$(ATOLL_ALL_TESTS) $(fixed_addresses) scripts/run_by_reach $@ --output-junit $(CURDIR)/build/junit/$@.xml $(CTEST_FLAGS)

# gcc's thread sanitizer cannot start where the kernel scatters addresses widely; plain where setarch is refused
fixed_addresses = $(shell setarch -R true 2>/dev/null && echo setarch -R)

wheel:              # dist/*.whl, tried in a bare Debian 12; WHEEL_FROM=build/release takes its objects
	$(bootstrap) tests
	scripts/check_wheel $(WHEEL_FROM)

sdist:              # dist/*.tar.gz, which pip compiles
	$(bootstrap)
	.venv/bin/python -m pip install --quiet --disable-pip-version-check build
	rm -f dist/atoll-*.tar.gz
	.venv/bin/python -m build --sdist --outdir dist

networkx-suite: build # NetworkX's own tests, all of them, through the backend: fails as docs/networkx.md does not list
	$(bootstrap) tests
	nice .venv/bin/python scripts/check_networkx.py

separate:           # every source compiled by itself, which `make build` does not do (cmake/unity.cmake)
	$(bootstrap) tests
	cmake --preset release -B build/separate -DATOLL_UNITY=OFF $(CMAKE_FLAGS)
	cmake --build build/separate

nightly: CMAKE_FLAGS += -DATOLL_NIGHTLY_TESTS=ON
nightly: separate asan tsan ubsan pytest-nightly networkx-suite fuzz # what takes too long for each change

bench: build        # bench/cases.json
	.venv/bin/python bench/run.py

mutants:            # FLOOR=graph [LIMIT=50] [SEED=1]: changes to single lines there that its tests do not notice
	$(bootstrap) tests
	scripts/mutants.py $(FLOOR) --limit $(or $(LIMIT),50) --seed $(or $(SEED),1) $(MUTANTS_FLAGS)

fuzz: build         # changed files of every format, each read or refused; FUZZ_FLAGS="--seconds 60 --seed 2 --reader pajek"
	$(bootstrap) tests
	.venv/bin/python tests/fuzz/fuzz.py $(FUZZ_FLAGS)

lint:               # clang-format, ruff, gersemi, the include rule; needs no build. Corrects files, and fails if it did
	@[ -x build/lint/bin/pre-commit ] || { $(or $(PYTHON),python3) -m venv build/lint && \
	  build/lint/bin/python -m pip install --quiet --disable-pip-version-check pre-commit; }
	build/lint/bin/pre-commit run --all-files $(if $(CI),--show-diff-on-failure)

tidy: build         # clang-tidy over what differs from the main branch; TIDY=all, or TIDY="FILE ..."
	.venv/bin/python -m pip install --quiet --disable-pip-version-check clang-tidy==20.1.0
	cmake --preset release -B build/separate -DATOLL_UNITY=OFF $(CMAKE_FLAGS) # each source's own command line
	scripts/tidy $(TIDY)

docs: build         # build/docs/html; warnings are errors
	scripts/bootstrap docs
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -r docs/requirements.txt
	.venv/bin/python -m sphinx -q -W --keep-going -j auto -d build/docs/pages docs build/docs/html

man: build          # build/man/atoll.1: read it by man -l; warnings of Sphinx and of man are errors
	scripts/bootstrap docs
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -r docs/requirements.txt
	.venv/bin/python -m sphinx -q -W --keep-going -b man -d build/docs/man docs/man build/man
	scripts/check_man build/man/atoll.1

clean:
	rm -rf build bin .venv dist
