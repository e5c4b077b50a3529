# The one build file of Repose: GNU make, no configure step.
#
# Every .c file of the library's folders is found by wildcard, so a new law or shape is a new file and nothing else.
# Files named *_kernel.c and the laws, src/law/ROLE_*.c, are compiled once per instruction set and chosen at run time; all other files once.
# There are two libraries, each static and shared: librepose-core is the engine and needs little; librepose reads scenes,
# runs them and writes results, on top of it. Objects serve the static and the shared library: position independent, with
# hidden visibility, so that librepose.so shows only what the public headers mark as exported, while the static libraries let
# the tests reach the internal functions. Those of the core are protected instead of hidden, because librepose calls them
# too; tools/make_exports puts them under a version of their own.
#
# `make help` lists the targets. `make SAN=1` builds with the address and undefined-behaviour sanitizers,
# `make TSAN=1` with clang and the thread sanitizer.

ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:

.PHONY: all
all:

ifeq ($(origin CC),default)
CC := $(if $(TSAN),clang,gcc)
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
BUILD ?= build$(if $(SAN),-san)$(if $(TSAN),-tsan)
SAN_BUILD := build-san
TSAN_BUILD := build-tsan
CLANG_BUILD := build-clang
FUZZ_BUILD := build-fuzz
PREFIX ?= /usr/local

# ---- flags ---------------------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wcast-qual
# Warnings stop the builds that are tested (programs, fuzz-programs, run-long-tests), not those of users, whose compilers know others.
WERROR ?=
# Contraction would let an instruction set with fused multiply-add round differently from one without.
MATH := -ffp-contract=off -fno-math-errno -fno-trapping-math
DEFS := -D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -I$(BUILD)/generated
comma := ,
SAN_FLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer) \
  $(if $(TSAN),-fsanitize=thread -fno-omit-frame-pointer) \
  $(if $(FUZZ),-fsanitize=fuzzer-no-link$(comma)address$(comma)undefined -fno-sanitize-recover=all)
ALL_CFLAGS = -std=c17 -g $(DEFS) $(WARN) $(MATH) -fopenmp -fPIC $(SAN_FLAGS)
# Loops that the sanitizers' checks keep clang from vectorising are no mistake.
CHECKED := $(if $(FUZZ)$(TSAN),-Wno-pass-failed)
# With sanitizers less optimization saves a third of the time of compiling, and line numbers are all that reports need. Tests are compiled more
# often than they run long.
OPT := $(if $(SAN),-O1 -g1,-O2) $(CHECKED)
TEST_OPT := -O1 $(if $(SAN),-g1) $(CHECKED)
# Threaded jumps would leave branches in the kernels' loops, which GCC then cannot vectorise. Where a debugger finds each variable
# of a kernel takes GCC a fifth of the time, and says little in a loop over vectors.
KERNEL_OPT := $(if $(SAN)$(TSAN)$(FUZZ),-O2,-O3) \
  $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),,-fno-thread-jumps -fno-var-tracking)
# Where the linker puts a kernel would show by some per cent in its speed. Inlined functions take and return vectors; gcc
# would note that the convention for calls with them has changed.
KERNEL_OPT += -falign-functions=64 -Wno-psabi
# clang 14 crashes on their loops with the undefined-behaviour sanitizer; gcc's runs over them in `make test`.
KERNEL_OPT += $(if $(FUZZ),-fno-sanitize=undefined) $(CHECKED)

# Asked of pkg-config when the first recipe needs it and remembered, so that `make help` and the targets that install
# packages work on a machine that has no pkg-config yet. Debian calls the units library udunits, others udunits2.
CORE_PACKAGES = libxxhash
PACKAGES = libfyaml $$(pkg-config --exists udunits2 && echo udunits2 || echo udunits) hdf5 libzstd zlib
COMMAND_PACKAGES = libmicrohttpd
ask = $(shell pkg-config --print-errors --exists $(1) && pkg-config $(2) $(1))$(if \
  $(filter-out 0,$(.SHELLSTATUS)),$(error Libraries are missing: run tools/install_packages build test))
CORE_CFLAGS = $(eval CORE_CFLAGS := $$(call ask,$$(CORE_PACKAGES),--cflags))$(CORE_CFLAGS)
CORE_PKG_LIBS = $(eval CORE_PKG_LIBS := $$(call ask,$$(CORE_PACKAGES),--libs))$(CORE_PKG_LIBS)
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(call ask,$$(PACKAGES),--cflags))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(call ask,$$(PACKAGES),--libs))$(PKG_LIBS)
COMMAND_LIBS = $(eval COMMAND_LIBS := $$(call ask,$$(COMMAND_PACKAGES),--libs))$(COMMAND_LIBS)
CMOCKA_CFLAGS = $(eval CMOCKA_CFLAGS := $$(call ask,cmocka,--cflags))$(CMOCKA_CFLAGS)
CMOCKA_LIBS = $(eval CMOCKA_LIBS := $$(call ask,cmocka,--libs))$(CMOCKA_LIBS)
CORE_LIBS = $(CORE_PKG_LIBS) -lklu -lm
LIBS = $(PKG_LIBS) $(CORE_LIBS)

# Instruction sets. No fused multiply-add anywhere: every set must give the same bits.
ifneq ($(filter x86_64% i%86%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
ISAS := $(if $(FUZZ),sse2,sse2 avx2 avx512)
DEFS += $(if $(FUZZ),-DRPS_ONE_ISA=1)
ISA_FLAGS_sse2 := -msse2
ISA_FLAGS_avx2 := -mavx2 -mno-fma
ISA_FLAGS_avx512 := -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512
else
ISAS := sse2
DEFS += -DRPS_ONE_ISA=1
endif

# ---- files ---------------------------------------------------------------------------------------------------------

CORE_DIRS := base shape law cone mesh world detect step
UPPER_DIRS := io language scene run
CORE_SRC := $(wildcard $(CORE_DIRS:%=src/%/*.c))
UPPER_SRC := $(wildcard $(UPPER_DIRS:%=src/%/*.c))
LIB_SRC := $(CORE_SRC) $(UPPER_SRC)
KERNEL_SRC := $(filter %_kernel.c,$(CORE_SRC)) $(filter-out src/law/law_% src/law/bond_%,$(wildcard src/law/*_*.c))
PLAIN_SRC := $(filter-out $(KERNEL_SRC),$(CORE_SRC))
CLI_SRC := $(wildcard src/cli/*.c)
PLAIN_OBJ := $(PLAIN_SRC:%.c=$(BUILD)/%.o)
KERNEL_OBJ := $(foreach isa,$(ISAS),$(KERNEL_SRC:%.c=$(BUILD)/%.$(isa).o))
CORE_OBJ := $(PLAIN_OBJ) $(KERNEL_OBJ)
UPPER_OBJ := $(UPPER_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)

CORE_A := $(BUILD)/librepose-core.a
CORE_SO := $(BUILD)/librepose-core.so
CORE_SONAME := librepose-core.so.0
LIB_A := $(BUILD)/librepose.a
LIB_SO := $(BUILD)/librepose.so
SONAME := librepose.so.0
# The sanitizers' tables make each program that holds the libraries 60 MB large. With them, all programs share one library that
# hides nothing.
CHECKED_SO := $(BUILD)/librepose-checked.so
ARCHIVES := $(if $(SAN)$(TSAN),$(CHECKED_SO),$(LIB_A) $(CORE_A))
RUN_PATH := $(if $(SAN)$(TSAN),-Wl$(comma)-rpath$(comma)$(abspath $(BUILD)))
VISIBLE = -fvisibility=$(if $(SAN)$(TSAN),default,$(1))
COMMAND := $(if $(CLI_SRC),$(BUILD)/repose)

# repose-mpi, where MPI and Zoltan are (tools/install_packages mpi); MPI= leaves it out. The sanitizers would judge MPI.
MPI ?= $(shell pkg-config --exists mpi-c 2>/dev/null && echo mpi-c)
ZOLTAN_HEADER := $(firstword $(wildcard /usr/include/trilinos/zoltan.h /usr/include/zoltan.h))
SPREAD_SRC := $(if $(and $(MPI),$(ZOLTAN_HEADER)),$(if $(SAN)$(TSAN)$(FUZZ),,$(wildcard src/spread/*.c)))
SPREAD_OBJ := $(SPREAD_SRC:%.c=$(BUILD)/%.o)
SPREAD_CFLAGS = $(patsubst -I%,-isystem %,$(call ask,$(MPI),--cflags)) -isystem $(dir $(ZOLTAN_HEADER))
SPREAD_LIBS = $(if $(findstring trilinos,$(ZOLTAN_HEADER)),-ltrilinos_zoltan,-lzoltan) $(call ask,$(MPI),--libs)
MPI_COMMAND := $(if $(SPREAD_SRC),$(BUILD)/repose-mpi)

# Every .c file of these folders is one program that prints TAP, most by cmocka; *_common.c is linked to all programs of its folder.
TEST_DIRS := unit contract kernels physics determinism random fuzz
LONG_SRC := $(wildcard tests/long/*.c)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
TEST_SRC := $(filter-out $(if $(FUZZ),tests/fuzz/%),$(wildcard $(TEST_DIRS:%=tests/%/*.c))) $(LONG_SRC)
TEST_COMMON_SRC := $(filter %_common.c,$(TEST_SRC))
TEST_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(filter-out %_common.c $(LONG_SRC),$(TEST_SRC)))
LONG_PROGRAMS := $(LONG_SRC:%.c=$(BUILD)/%)
TEST_SCRIPTS := $(filter-out tests/long/%,$(wildcard tests/*/*.sh))
LONG_SCRIPTS := $(wildcard tests/long/*.sh)
GATES := $(wildcard tools/check_floors tools/check_symbols tools/check_headers tools/check_libraries tools/check_words tools/check_format tools/check_const tools/check_shape tools/check_examples)
C_FILES := $(wildcard include/repose/*.h docs/examples/*.[ch] src/*/*.[ch] tests/*/*.[ch] bench/*.[ch] tools/*.[ch])

.PHONY: core
all: core $(ARCHIVES) $(if $(SAN)$(TSAN),,$(LIB_SO)) $(COMMAND) $(MPI_COMMAND)
core: $(if $(SAN)$(TSAN),$(CHECKED_SO),$(CORE_A) $(CORE_SO))

# ---- compile and link ----------------------------------------------------------------------------------------------

# Holds the compiler and flags; objects are remade when it changes.
STAMP := $(BUILD)/flags
STAMP_TEXT := $(CC) $(shell $(CC) -dumpversion 2>/dev/null) $(ALL_CFLAGS) $(OPT) $(TEST_OPT) $(KERNEL_OPT) $(foreach isa,$(ISAS),$(ISA_FLAGS_$(isa))) $(CFLAGS)
ifneq ($(file <$(STAMP)),$(STAMP_TEXT))
.PHONY: $(STAMP)
endif
$(STAMP):
	@command -v $(firstword $(CC)) >/dev/null || \
	  { echo "There is no compiler $(firstword $(CC)): run tools/install_packages build, or give another by CC=" >&2; exit 1; }
	@echo '#include <omp.h>' | $(CC) -fopenmp -x c -E - >/dev/null 2>&1 || \
	  { echo "$(CC) has no OpenMP header; Debian's clang needs libomp-14-dev: run tools/install_packages long" >&2; exit 1; }
	@mkdir -p $(@D); printf '%s\n' '$(STAMP_TEXT)' >$@

# The version that results name: the commit, where git knows it. Sources see it by #include "version.h".
VERSION := $(or $(shell git describe --always --dirty --tags 2>/dev/null),unknown)
VERSION_TEXT := \#define RPS_VERSION "$(VERSION)"
VERSION_H := $(BUILD)/generated/version.h
ifneq ($(file <$(VERSION_H)),$(VERSION_TEXT))
.PHONY: $(VERSION_H)
endif
$(VERSION_H):
	@mkdir -p $(@D); printf '%s\n' '$(VERSION_TEXT)' >$@

# The scenes that `repose new` writes.
TEMPLATES := $(wildcard scenes/templates/*.yaml)
TEMPLATES_INC := $(BUILD)/generated/templates.inc
$(TEMPLATES_INC): tools/make_templates $(TEMPLATES)
	@mkdir -p $(@D); $^ >$@
$(BUILD)/src/cli/cmd_new.o: $(TEMPLATES_INC)

# The page of `repose report`, bundled by npm where there is one.
VIEWER_INC := $(BUILD)/generated/viewer.inc
$(VIEWER_INC): tools/make_viewer $(wildcard viewer/*)
	@mkdir -p $(@D); tools/make_viewer $(BUILD)/viewer >$@
$(BUILD)/src/cli/report_page.o: $(VIEWER_INC)

# The user's CFLAGS come last, so that they decide.
COMPILE = @mkdir -p $(@D); echo "  CC    $@"; $(CC) $(ALL_CFLAGS) $(WERROR) -MMD -MP
programs checked-programs fuzz-programs run-long-tests check: WERROR := -Werror

$(PLAIN_OBJ): $(BUILD)/%.o: %.c $(STAMP) | $(VERSION_H)
	$(COMPILE) $(OPT) $(call VISIBLE,protected) $(CORE_CFLAGS) $(CFLAGS) -c $< -o $@

$(UPPER_OBJ) $(CLI_OBJ): $(BUILD)/%.o: %.c $(STAMP) | $(VERSION_H)
	$(COMPILE) $(OPT) $(call VISIBLE,hidden) $(CORE_CFLAGS) $(PKG_CFLAGS) $(CFLAGS) -c $< -o $@

define KERNEL_RULE
$$(KERNEL_SRC:%.c=$$(BUILD)/%.$(1).o): $$(BUILD)/%.$(1).o: %.c $$(STAMP) | $$(VERSION_H)
	$$(COMPILE) $$(KERNEL_OPT) $$(ISA_FLAGS_$(1)) -DRPS_ISA=$(1) -DRPS_ISA_$(1)=1 $$(call VISIBLE,protected) $$(CORE_CFLAGS) $$(CFLAGS) -c $$< -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call KERNEL_RULE,$(isa))))

# The lists of objects, so that the libraries are remade when a source file is removed.
define OBJECT_LIST
ifneq ($$(file <$(BUILD)/$(1).objects),$($(2)))
.PHONY: $(BUILD)/$(1).objects
endif
$(BUILD)/$(1).objects:
	@mkdir -p $$(@D); printf '%s\n' '$($(2))' >$$@
endef
$(eval $(call OBJECT_LIST,librepose-core,CORE_OBJ))
$(eval $(call OBJECT_LIST,librepose,UPPER_OBJ))

$(CORE_A): $(CORE_OBJ) $(BUILD)/librepose-core.objects
	@echo "  AR    $@"; rm -f $@; ar rcs $@ $(CORE_OBJ)

$(LIB_A): $(UPPER_OBJ) $(BUILD)/librepose.objects
	@echo "  AR    $@"; rm -f $@; ar rcs $@ $(UPPER_OBJ)

# Undefined symbols are errors, so that the core cannot come to need the library above it.
LINK_SO = $(CC) -shared -fopenmp $(LDFLAGS) -Wl,-z,defs -Wl,--as-needed

$(CORE_SO): $(CORE_A) tools/make_exports $(VERSION_H)
	@echo "  LINK  $@"; tools/make_exports '$(VERSION)' $(CORE_A) >$@.map && $(LINK_SO) -Wl,-soname,$(CORE_SONAME) \
	  -Wl,--version-script=$@.map -o $@ $(CORE_OBJ) $(CORE_LIBS)
	@ln -sf librepose-core.so $(BUILD)/$(CORE_SONAME)

# It finds the core beside itself, wherever the two are put.
$(LIB_SO): $(UPPER_OBJ) $(BUILD)/librepose.objects $(CORE_SO) package/exports.map
	@echo "  LINK  $@"; $(LINK_SO) -Wl,-soname,$(SONAME) -Wl,--version-script=package/exports.map \
	  -Wl,--enable-new-dtags,-rpath,'$$ORIGIN' -o $@ $(UPPER_OBJ) $(CORE_SO) $(LIBS)
	@ln -sf librepose.so $(BUILD)/$(SONAME)

$(CHECKED_SO): $(CORE_OBJ) $(UPPER_OBJ) $(BUILD)/librepose-core.objects $(BUILD)/librepose.objects
	@echo "  LINK  $@"; $(CC) -shared -fopenmp $(SAN_FLAGS) $(LDFLAGS) -Wl,-Bsymbolic-functions -o $@ $(CORE_OBJ) $(UPPER_OBJ) $(LIBS)

$(BUILD)/repose: $(CLI_OBJ) $(ARCHIVES)
	@echo "  LINK  $@"; $(CC) -fopenmp $(SAN_FLAGS) $(LDFLAGS) $(RUN_PATH) -o $@ $(CLI_OBJ) $(ARCHIVES) $(LIBS) $(COMMAND_LIBS)

$(SPREAD_OBJ): $(BUILD)/%.o: %.c $(STAMP) | $(VERSION_H)
	$(COMPILE) $(OPT) $(call VISIBLE,hidden) $(CORE_CFLAGS) $(PKG_CFLAGS) $(SPREAD_CFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/repose-mpi: $(SPREAD_OBJ) $(filter-out %/main.o,$(CLI_OBJ)) $(ARCHIVES)
	@echo "  LINK  $@"; $(CC) -fopenmp $(LDFLAGS) -o $@ $(filter %.o,$^) $(ARCHIVES) $(LIBS) $(COMMAND_LIBS) $(SPREAD_LIBS)

$(TEST_SRC:%.c=$(BUILD)/%.o): $(BUILD)/%.o: %.c $(STAMP) | $(VERSION_H)
	$(COMPILE) $(TEST_OPT) $(CORE_CFLAGS) $(PKG_CFLAGS) $(CMOCKA_CFLAGS) $(CFLAGS) -c $< -o $@
# It includes functions of the kernels, which take and return vectors.
$(BUILD)/tests/unit/elementary.o: TEST_OPT += -Wno-psabi

# Scalar twins of the laws for the tests of kernels: the same source without vectors, its descriptor under another name.
TWIN_OBJ := $(patsubst src/law/%.c,$(BUILD)/tests/kernels/scalar/%.o,$(filter src/law/%,$(KERNEL_SRC)))
$(TWIN_OBJ): $(BUILD)/tests/kernels/scalar/%.o: src/law/%.c $(STAMP) | $(VERSION_H)
	$(COMPILE) $(CFLAGS) -O1 -fno-tree-vectorize -Wno-pass-failed -Drps_law_$*=scalar_rps_law_$* -c $< -o $@
$(filter $(BUILD)/tests/kernels/%,$(TEST_PROGRAMS)): $(TWIN_OBJ)

define PROGRAM_RULE
$$(filter $$(BUILD)/tests/$(1)/%,$$(TEST_PROGRAMS) $$(LONG_PROGRAMS)): $$(BUILD)/%: $$(BUILD)/%.o $$(ARCHIVES) \
  $$(patsubst %.c,$$(BUILD)/%.o,$$(filter tests/$(1)/%,$$(TEST_COMMON_SRC)))
	@echo "  LINK  $$@"; $$(CC) -fopenmp $$(SAN_FLAGS) $$(LDFLAGS) $$(RUN_PATH) -o $$@ $$(filter %.o,$$^) $$(ARCHIVES) $$(LIBS) $$(CMOCKA_LIBS) $$(MORE_LIBS)
endef
$(foreach dir,$(TEST_DIRS) long,$(eval $(call PROGRAM_RULE,$(dir))))

# An independent judge of convex bodies.
%/tests/unit/convex: MORE_LIBS = $(call ask,ccd,--libs)

-include $(patsubst %.o,%.d,$(TWIN_OBJ) $(CORE_OBJ) $(UPPER_OBJ) $(CLI_OBJ) $(SPREAD_OBJ) $(TEST_SRC:%.c=$(BUILD)/%.o))

# The programs of tests/fuzz with libFuzzer, by clang alone; one instruction set is enough for them. In the other builds they try the
# inputs that lie there.
ifneq ($(FUZZ),)
FUZZ_PROGRAMS := $(FUZZ_SRC:%.c=$(BUILD)/%)
$(FUZZ_PROGRAMS): $(BUILD)/%: %.c $(wildcard tests/fuzz/*.h) $(ARCHIVES)
	@mkdir -p $(@D); echo "  FUZZ  $@"; $(CC) $(ALL_CFLAGS) $(WERROR) $(OPT) -D_XOPEN_SOURCE=700 $(CORE_CFLAGS) $(PKG_CFLAGS) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $(ARCHIVES) $(LIBS)
endif

.PHONY: fuzz fuzz-programs
fuzz-programs: $(FUZZ_PROGRAMS)
fuzz:
	@if echo '#include <omp.h>' | clang -fopenmp -x c -E - >/dev/null 2>&1; then $(MAKE) --no-print-directory FUZZ=1 CC=clang BUILD=$(FUZZ_BUILD) fuzz-programs; \
	  else echo 'skipped: fuzzing (needs clang and its OpenMP: run tools/install_packages long)'; fi

# ---- tests ---------------------------------------------------------------------------------------------------------

.PHONY: programs checked-programs test run-tests check check-long run-long-tests
programs: all $(TEST_PROGRAMS)
	@:
# Those that `make test` runs with the sanitizers. check-long runs all: left to it are whole folders whose code the units and random scenes
# call too (contract, physics, determinism), and suites that repeat much (samples, a thousand failing allocations).
CHECKED_LATER := %/unit/allocation $(addprefix %/unit/,accurate_step collider core_model predicted_paths scene_packing scene_particles union_mass)
CHECKED_PROGRAMS := $(filter-out $(CHECKED_LATER),$(filter $(addprefix $(BUILD)/tests/,unit/% kernels/% random/% fuzz/%),$(TEST_PROGRAMS)))
checked-programs: all $(CHECKED_PROGRAMS)
	@:

# The packages first, then make again: only then can pkg-config be asked about them.
test:
	@tools/install_packages build viewer python mpi test
	@$(MAKE) --no-print-directory run-tests

check-long:
	@tools/install_packages build viewer python mpi test docs long
	@$(MAKE) --no-print-directory run-long-tests

# All builds first, all suites after, so that the last line is the sum of everything.
TEST_ENV = CC="$(CC)" CXX="$(CXX)" CFLAGS="$(CFLAGS)" LDFLAGS="$(LDFLAGS)" BUILD=$(BUILD) REPOSE="$(abspath $(BUILD))/repose" \
  CHECK_CFLAGS="-std=c17 $(DEFS) $(MATH) -fopenmp $(CORE_CFLAGS) $(PKG_CFLAGS)"
RUN_TESTS = $(TEST_ENV) tools/run_tests

# A few random scenes are enough with the sanitizers, where they take longest; check-long runs many.
RANDOM_CHECKED := $(SAN_BUILD)/tests/random/same_bits
CHECKED_SUITES = $(filter-out $(RANDOM_CHECKED),$(CHECKED_PROGRAMS:$(BUILD)/%=$(SAN_BUILD)/%))
SUITES = $(GATES) $(TEST_PROGRAMS) $(TEST_SCRIPTS) $(CHECKED_SUITES)
# The longest suites go first, so that none of them is left to run alone.
LONGEST := %/random/same_bits %/unit/allocation %/physics/scenes.sh %/determinism/processes.sh %/determinism/repair %/unit/python.sh %/browser/report.sh

run-tests: programs
	@$(MAKE) --no-print-directory SAN=1 BUILD=$(SAN_BUILD) checked-programs
	@$(RUN_TESTS) $(filter $(LONGEST),$(SUITES)) 'RANDOM_SCENES=6 $(RANDOM_CHECKED)' $(filter-out $(LONGEST),$(SUITES))

# One test or a few, T=unit/touch: their programs alone are built and run, with all that they print.
NAMED := $(patsubst tests/%,%,$(patsubst %.sh,%,$(patsubst %.c,%,$(T))))
NAMED_PROGRAMS := $(filter $(NAMED:%=$(BUILD)/tests/%),$(TEST_PROGRAMS) $(LONG_PROGRAMS))
NAMED_SCRIPTS := $(filter $(NAMED:%=tests/%.sh) $(NAMED),$(TEST_SCRIPTS) $(LONG_SCRIPTS) $(GATES))
UNKNOWN := $(filter-out $(NAMED_PROGRAMS:$(BUILD)/tests/%=%) $(NAMED_SCRIPTS:tests/%.sh=%) $(NAMED_SCRIPTS),$(NAMED))

check: $(NAMED_PROGRAMS) $(if $(NAMED_SCRIPTS),$(if $(filter tests/long/%,$(NAMED_SCRIPTS)),programs,all))
	@$(if $(NAMED),,echo 'make check T=unit/touch runs tests/unit/touch.c or .sh; make test runs all tests' >&2; exit 2)
	@$(if $(UNKNOWN),echo 'There is no test $(UNKNOWN): T= takes FOLDER/NAME of tests/ or a gate such as tools/check_floors' >&2; exit 2)
	@failed=0; for suite in $(NAMED_PROGRAMS) $(NAMED_SCRIPTS); do $(TEST_ENV) $$suite || failed=1; done; exit $$failed

# valgrind computes long doubles as doubles, so that the reference of tests/unit/elementary is no better than what it judges.
# Two more are left to the sanitizers, under valgrind they take longer than all others together: the test of failing
# allocations makes a thousand runs, and that of the core model only calculates.
VALGRIND := valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
LONG_SUITES = $(GATES) tools/check_tidy tools/check_cppcheck $(LONG_PROGRAMS) $(LONG_SCRIPTS) $(TEST_PROGRAMS) $(TEST_SCRIPTS) \
  $(TEST_PROGRAMS:$(BUILD)/%=$(SAN_BUILD)/%) $(patsubst %,'REPOSE=$(CURDIR)/$(SAN_BUILD)/repose %',$(TEST_SCRIPTS)) \
  $(TEST_PROGRAMS:$(BUILD)/%=$(CLANG_BUILD)/%) \
  $(patsubst %,'$(VALGRIND) %',$(filter-out %/elementary %/allocation %/core_model,$(filter $(BUILD)/tests/unit/%,$(TEST_PROGRAMS))))

run-long-tests: programs $(LONG_PROGRAMS)
	@$(MAKE) --no-print-directory SAN=1 BUILD=$(SAN_BUILD) programs
	@$(MAKE) --no-print-directory fuzz
	@$(MAKE) --no-print-directory CC=clang BUILD=$(CLANG_BUILD) programs
	@FUZZ_SECONDS=$(or $(FUZZ_SECONDS),3600) SUITE_CPU_SECONDS=200000 $(RUN_TESTS) $(LONG_SUITES)

# ---- the rest ------------------------------------------------------------------------------------------------------

.PHONY: demo run-demo wheel run-wheel docs run-docs pictures bench run-bench format check-format install uninstall deb clean help
demo:
	@tools/install_packages build viewer demo
	@$(MAKE) --no-print-directory run-demo

run-demo: all
	@REPOSE="$(abspath $(BUILD))/repose" tools/demo

wheel:
	@tools/install_packages build viewer python
	@$(MAKE) --no-print-directory run-wheel

run-wheel: all
	@tools/make_wheel $(BUILD) dist

# Runs for minutes; scenes whose results are there are only drawn.
pictures: all
	@REPOSE="$(abspath $(BUILD))/repose" tools/make_pictures $(BUILD)/pictures

docs:
	@tools/install_packages build docs
	@$(MAKE) --no-print-directory run-docs

run-docs: all
	@BUILD=$(BUILD) tools/make_docs $(BUILD)/repose '$(PACKAGE_VERSION)'
	@echo 'The site: $(BUILD)/docs/index.html'

bench:
	@tools/install_packages build
	@$(MAKE) --no-print-directory run-bench

run-bench: all $(BUILD)/bench/bench $(BUILD)/bench/cone $(BUILD)/bench/collider
	@REPOSE="$(abspath $(BUILD))/repose" BUILD=$(BUILD) tools/bench

# For the machine that is measured: what these programs do themselves is to find the limits of its memory.
$(BUILD)/bench/bench $(BUILD)/bench/cone $(BUILD)/bench/collider: $(BUILD)/bench/%: bench/%.c bench/traffic.h $(ARCHIVES) $(STAMP)
	@mkdir -p $(@D)
	$(COMPILE) -O3 -march=native $(CORE_CFLAGS) $(CFLAGS) $< $(ARCHIVES) $(LDFLAGS) $(LIBS) -o $@

format:
	@clang-format -i $(C_FILES)

check-format:
	@clang-format --dry-run --Werror $(C_FILES)

# Where things go; DESTDIR is put in front of all of them. Debian wants another LIBDIR.
LIBDIR ?= $(PREFIX)/lib
SHARE = $(PREFIX)/share
PACKAGE_VERSION = $(eval PACKAGE_VERSION := $$(shell tools/package_version))$(PACKAGE_VERSION)
FILL = sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' -e 's|@VERSION@|$(PACKAGE_VERSION)|g' \
  -e 's|@SONAME@|$(SONAME)|g' -e 's|@CORE_SONAME@|$(CORE_SONAME)|g' \
  -e 's|@LIB_TO_PREFIX@|$(shell realpath -m --relative-to='$(LIBDIR)' '$(PREFIX)')|g' \
  -e 's|@PRIVATE@|$(PKG_LIBS) -lm -fopenmp|g' -e 's|@CORE_PRIVATE@|$(CORE_LIBS) -fopenmp|g'

# For the shell, whatever characters it has; and a place below DESTDIR.
quote = '$(subst ','\'',$(1))'
at = $(call quote,$(DESTDIR)$(1))

# pkg-config and CMake files name PREFIX and LIBDIR as they are; DESTDIR may be anything.
.PHONY: check-places
check-places:
	@case $(call quote,$(PREFIX)$(LIBDIR)) in *[[:space:]\|\&\\\"\'\$$\;]*) \
	  echo "PREFIX and LIBDIR may not hold spaces or any of | & \\ \" ' \$$ ;, which repose.pc and the CMake files cannot: "$(call quote,$(PREFIX))", "$(call quote,$(LIBDIR)) >&2; \
	  exit 1;; esac

# repose-mpi is no part of `install`, so that nothing else comes to need MPI.
.PHONY: install-mpi
install-mpi: check-places all
	$(if $(MPI_COMMAND),install -d $(call at,$(PREFIX)/bin),@echo 'MPI or Zoltan is missing: run tools/install_packages mpi' >&2; exit 1)
	install -m 755 $(MPI_COMMAND) $(call at,$(PREFIX)/bin/)

install: check-places all
	tools/make_man $(BUILD)/repose '$(PACKAGE_VERSION)' >$(BUILD)/repose.1
	install -d $(foreach place,$(PREFIX)/bin $(PREFIX)/include/repose $(LIBDIR)/pkgconfig $(LIBDIR)/cmake/repose \
	  $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d $(SHARE)/doc/repose/examples $(SHARE)/doc/repose/templates,$(call at,$(place)))
	install -m 755 $(COMMAND) $(call at,$(PREFIX)/bin/)
	install -m 644 $(wildcard include/repose/*.h include/repose/*.inc) $(call at,$(PREFIX)/include/repose/)
	install -m 644 $(ARCHIVES) $(call at,$(LIBDIR)/)
	install -m 755 $(LIB_SO) $(call at,$(LIBDIR)/$(SONAME))
	install -m 755 $(CORE_SO) $(call at,$(LIBDIR)/$(CORE_SONAME))
	ln -sf $(SONAME) $(call at,$(LIBDIR)/librepose.so)
	ln -sf $(CORE_SONAME) $(call at,$(LIBDIR)/librepose-core.so)
	$(FILL) package/repose.pc.in >$(call at,$(LIBDIR)/pkgconfig/repose.pc)
	$(FILL) package/repose-core.pc.in >$(call at,$(LIBDIR)/pkgconfig/repose-core.pc)
	$(FILL) package/repose-config.cmake.in >$(call at,$(LIBDIR)/cmake/repose/repose-config.cmake)
	sed -e 's|@VERSION@|$(firstword $(subst +, ,$(PACKAGE_VERSION)))|g' package/repose-config-version.cmake.in \
	  >$(call at,$(LIBDIR)/cmake/repose/repose-config-version.cmake)
	install -m 644 $(BUILD)/repose.1 $(call at,$(SHARE)/man/man1/)
	install -m 644 package/repose.bash $(call at,$(SHARE)/bash-completion/completions/repose)
	install -m 644 package/repose.zsh $(call at,$(SHARE)/zsh/site-functions/_repose)
	install -m 644 package/repose.fish $(call at,$(SHARE)/fish/vendor_completions.d/)
	install -m 644 LICENSE README.md $(call at,$(SHARE)/doc/repose/)
	install -m 644 $(wildcard docs/examples/*.* docs/examples/law_file/* scenes/demo/*.yaml) $(call at,$(SHARE)/doc/repose/examples/)
	install -m 644 $(TEMPLATES) $(call at,$(SHARE)/doc/repose/templates/)
	$(if $(wildcard $(BUILD)/docs/index.html),rm -rf $(call at,$(SHARE)/doc/repose/html) && cp -r $(BUILD)/docs $(call at,$(SHARE)/doc/repose/html),\
	  @echo 'Installed without the documentation as a site; make docs makes it')

uninstall: check-places
	rm -f $(foreach file,$(PREFIX)/bin/repose $(foreach name,librepose librepose-core,$(LIBDIR)/$(name).a $(LIBDIR)/$(name).so) \
	  $(LIBDIR)/$(SONAME) $(LIBDIR)/$(CORE_SONAME) $(LIBDIR)/pkgconfig/repose.pc $(LIBDIR)/pkgconfig/repose-core.pc $(SHARE)/man/man1/repose.1 $(SHARE)/bash-completion/completions/repose \
	  $(SHARE)/zsh/site-functions/_repose $(SHARE)/fish/vendor_completions.d/repose.fish,$(call at,$(file)))
	rm -rf $(foreach folder,$(PREFIX)/include/repose $(LIBDIR)/cmake/repose $(SHARE)/doc/repose,$(call at,$(folder)))

# With the site of the documentation, where Sphinx is there to make it.
deb: all
	@if command -v sphinx-build >/dev/null; then $(MAKE) --no-print-directory run-docs >/dev/null; fi
	@tools/make_deb '$(PACKAGE_VERSION)'

.PHONY: deb-python
deb-python: all
	@BUILD=$(BUILD) tools/make_deb_python '$(PACKAGE_VERSION)'

clean:
	rm -rf build $(SAN_BUILD) $(CLANG_BUILD) $(TSAN_BUILD) $(FUZZ_BUILD)

help:
	@echo 'make                   build/repose and the libraries librepose-core and librepose, static and shared'
	@echo 'make core              librepose-core alone: the engine, which needs xxHash and KLU and nothing of the rest'
	@echo 'make demo              install what is missing, build, and run the demo'
	@echo 'make check T=          build and run one test, or several: make check T=unit/touch, T="unit/plot physics/fall"'
	@echo 'make test              install what is missing, build, and run all tests'
	@echo 'make check-long        the tests that take hours or need more: long runs, valgrind, clang, clang-tidy'
	@echo 'make wheel             the Python module as a wheel, into dist/'
	@echo 'make pictures          draw the pictures of README.md and docs/ again, by repose picture'
	@echo 'make docs              the documentation as a site, into build/docs; make install installs it, if it is there'
	@echo 'make fuzz              the fuzzing programs, by clang; tests/long/fuzz.sh runs them (FUZZ_RUNS inputs or FUZZ_SECONDS each)'
	@echo 'make bench             measure speed'
	@echo 'make programs          build everything, tests too, without running them'
	@echo 'make install PREFIX=   install the command, the libraries and the headers (default /usr/local)'
	@echo '                       with their package files, man page and completion; make uninstall removes them'
	@echo 'make install-mpi       install repose-mpi, which is built where MPI and Zoltan are'
	@echo 'make deb               a Debian package, in build/'
	@echo 'make deb-python        python3-repose, the Debian package of the Python module, in build/'
	@echo 'make format            format the C files; make check-format only says which would change'
	@echo 'make clean             remove all that was built'
	@echo 'Options: SAN=1 (sanitizers, into build-san), TSAN=1 (thread sanitizer, into build-tsan), CC=clang, BUILD=folder, CFLAGS= and LDFLAGS= (after ours, so that they decide), WERROR=-Werror'
