# The commands of the house. `make help` lists them.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
export CTEST_PARALLEL_LEVEL ?= $(JOBS)

.DEFAULT_GOAL := build
.PHONY: help setup build demo demo-page docs test bench lint lint-changed format fuzz asan \
  asan-quick tsan slow soak engines clean

help:  ## Say what the commands do
	@sed -nE 's/^([a-z -]+):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup:  ## Install the Debian packages that are missing
	@tools/setup build mpi test page

build:  ## Build the program: build/release/heed (the default); heed-mpi where MPI is installed
	@tools/setup build
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS) --target programs

demo: build  ## Build, then run the main job on an embedded example
	@examples/demo build/release/heed

demo-page: build  ## Serve the demo's model, or a translator if there is one, with its page
	@examples/demo_page build/release/heed

docs:  ## Write the pages of the commands, and what heed says and draws into the guide
	@tools/setup build test page
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS) --target guide
	@docs/draw build/release

test: setup  ## Build everything and run every test
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release

bench:  ## Measure against the machine's peak and, if installed, PyTorch
	@tools/setup build bench
	@cmake --preset bench > /dev/null
	@cmake --build --preset bench -j $(JOBS)
	@bench/run build/bench

asan tsan: setup  ## Run the tests under the address and undefined-behaviour, or thread, sanitizer
	@cmake --preset $@ > /dev/null
	@cmake --build --preset $@ -j $(JOBS)
	@ctest --preset $@

asan-quick: setup  ## Run the tests of readers and sessions under both, without the kernels
	@cmake --preset $@ > /dev/null
	@cmake --build --preset $@ -j $(JOBS)
	@ctest --preset $@

fuzz:  ## Fuzz each target for FUZZ_SECONDS (an hour) of processor time
	@tools/setup build fuzz
	@cmake --preset fuzz > /dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@fuzz/run build/fuzz

slow: test  ## The tests that take minutes
	@ctest --preset release -C slow -L slow

soak: setup  ## Train, translate and evaluate for SOAK_SECONDS (an hour), then serve, watching memory
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS) --target soak serving_soak
	@build/release/soak
	@build/release/serving_soak

engines: build  ## Compare CTranslate2 with heed on TRANSLATION_MODEL and TRANSLATION_TEXT
	@tests/engines/run build/release/heed "$(TRANSLATION_MODEL)" "$(TRANSLATION_TEXT)"

lint:  ## Check format, clang-tidy, and the types of the page's scripts
	@tools/setup build mpi test page lint
	@tools/lint

lint-changed:  ## The same for what has changed since the upstream branch or the last commit
	@tools/setup build mpi test lint
	@tools/lint --changed

format:  ## Put the sources into the project's format
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:  ## Remove what was built
	@rm -rf build
