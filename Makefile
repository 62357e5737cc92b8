# make help lists the goals. Each installs what it lacks (tools/setup.sh) and builds only what changed.
LIBRARY := $(CURDIR)/build/library
SOURCES := DESCRIPTION NAMESPACE $(wildcard R/*.R src/*.c src/*.h src/Makevars* inst/CITATION)
RSCRIPT := R_LIBS="$(LIBRARY)" Rscript

.NOTPARALLEL: # timings and one build tree
.PHONY: help demo test test-all test-ports test-cran cluster-test fuzz bench results experiments install library document site format lint clean

help:
	@echo "make demo         stream a real data set from a file, compare with e1071, draw both"
	@echo "make test         native C tests under sanitizers, testthat, style, the recipes for a solver and a kernel, R CMD check"
	@echo "make test-all     the same with loops that are exhaustive, valgrind, and all under the thread sanitizer"
	@echo "make test-ports   native tests for arm64, s390x, i386, Windows and WebAssembly, emulated; other compilers and standards of C"
	@echo "make test-cran    R CMD check as CRAN has it: no root, C locale, with suggested packages and without; sizes and times"
	@echo "make cluster-test  grids and shards on a Slurm that is started for it, compared with one process"
	@echo "make fuzz         random calls under the sanitizers: COUNT of SEED, from where that seed ended"
	@echo "make bench        all benchmarks; make bench-NAME runs bench/NAME.R"
	@echo "make results      which reports are older than the code that they measure"
	@echo "make experiments  the vignettes' full-size results, resumable; make experiments-NAME one of them"
	@echo "make install      the package with its vignettes, into the user's library; make library: into build/library"
	@echo "make document     man pages, NAMESPACE, README's tables, the cheat sheet and the picture of the layers from what is declared"
	@echo "make site         the documentation as web pages, in build/site"
	@echo "make lint         lintr over R code; make format: clang-format over C code, in place"
	@echo "make clean        remove what was built"

demo:
	@tools/setup.sh demo
	@$(MAKE) --no-print-directory library
	@$(RSCRIPT) tools/demo.R

test:
	@tools/setup.sh test
	@$(MAKE) --no-print-directory library
	@R_LIBS="$(LIBRARY)" tools/test.sh

test-all:
	@tools/setup.sh test-all
	@$(MAKE) --no-print-directory library
	@R_LIBS="$(LIBRARY)" tools/test.sh all

cluster-test:
	@tools/setup.sh cluster-test
	@$(MAKE) --no-print-directory library
	@R_LIBS="$(LIBRARY)" tools/cluster-test.sh

COUNT := 10000
SEED := 1
fuzz:
	@tools/setup.sh test-all
	@tools/asan.sh Rscript tests/fuzz/fuzz.R --seed $(SEED) --count $(COUNT)

test-ports:
	@tools/setup.sh test-ports
	@tools/test-ports.sh all

test-cran:
	@tools/setup.sh test-cran
	@tools/test-cran.sh

# Vignettes are rendered by R CMD build: R CMD INSTALL of the sources leaves them out.
install:
	@tools/setup.sh install
	@mkdir -p build
	@cd build && rm -f onlinesvm_*.tar.gz && R CMD build .. && R CMD INSTALL onlinesvm_*.tar.gz

library: build/installed
	@:

# The table of symbols is for R CMD check; Debian compiles with -g, and without its symbols the size is what others see.
build/installed: $(SOURCES)
	@mkdir -p "$(LIBRARY)"
	@echo "Installing onlinesvm into build/library ..."
	@. tools/ccache.sh; MAKEFLAGS=-j2 _R_SHLIB_BUILD_OBJECTS_SYMBOL_TABLES_=1 R_STRIP_SHARED_LIB="strip --strip-debug" \
	  R CMD INSTALL --strip --no-test-load --library="$(LIBRARY)" . > build/install.log 2>&1 \
	  || { cat build/install.log; exit 1; }
	@touch $@

bench: $(patsubst bench/%.R,bench-%,$(filter-out bench/common.R,$(wildcard bench/*.R)))

.PHONY: bench-stream
bench-stream: $(patsubst bench/%.R,bench-%,$(wildcard bench/stream-*.R))

bench-%: bench/%.R
	@tools/setup.sh $@
	@$(MAKE) --no-print-directory library
	@$(RSCRIPT) $<

results:
	@Rscript tools/results.R

# Skips what is up to date; FORCE=1 begins anew.
experiments:
	@tools/setup.sh bench
	@$(MAKE) --no-print-directory library
	@R_LIBS="$(LIBRARY)" tools/experiments.sh

experiments-%: bench/%.R
	@tools/setup.sh bench
	@$(MAKE) --no-print-directory library
	@R_LIBS="$(LIBRARY)" tools/experiments.sh $*

# From the installed package: loading the sources would leave unoptimised objects in src/.
document:
	@tools/setup.sh document
	@$(MAKE) --no-print-directory library
	@$(RSCRIPT) -e 'roxygen2::roxygenise(load_code = "installed")'
	@$(RSCRIPT) tools/readme-solvers.R
	@$(RSCRIPT) tools/readme-example.R
	@$(RSCRIPT) tools/cheatsheet.R
	@$(RSCRIPT) tools/architecture.R

site:
	@tools/setup.sh site
	@$(MAKE) --no-print-directory library
	@$(RSCRIPT) tools/site.R

format:
	@tools/setup.sh format
	@tools/format.sh

lint:
	@tools/setup.sh lint
	@OSVM_TEST_ALL=1 Rscript tools/lint.R

clean:
	rm -rf build src/*.o src/*.so
