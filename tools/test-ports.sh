#!/usr/bin/env bash
# Other processors, systems and compilers: tools/test-ports.sh, or tools/test-ports.sh all for every native suite.
#   - the native tests, cross-compiled and emulated: arm64, s390x (big-endian), i386 (x87), Windows, WebAssembly; with
#     link-time optimisation, and without OpenMP, on this computer
#   - the package's C files, in C17 and C23, GNU's and strict, by gcc and clang, with OpenMP and without, and by emscripten,
#     where nothing is to fork: no warning
# Ends with "ports: N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/ccache.sh
suites=SUITES="kernel store simd smo rows random data memory team gram"
[ "${1:-}" != all ] || suites=JOBS=1
work=$(mktemp -d)
export WINEPREFIX=$work/wine WINEDEBUG=-all
trap '/usr/lib/wine/wineserver -w 2> /dev/null; rm -rf "$work"' EXIT # it still writes its settings
passed=0 failed=0

lacks() { # WHAT TOOL...: says that WHAT is left out for lack of a tool
  for tool in "${@:2}"; do
    command -v "$tool" > /dev/null || { echo "No $tool: $1 left out."; return 0; }
  done
  return 1
}

native() { # VARIANT of tests/core/Makefile, TOOL... it needs
  lacks "the native tests, $1, are" "${@:2}" && return
  make --no-print-directory -C tests/core JOBS=1 "$suites" "$1" > "$work/log" 2>&1
  if [[ $(grep "^$1: " "$work/log") =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    [ "${BASH_REMATCH[2]}" -eq 0 ] || cat "$work/log"
    echo "native tests, $1: ${BASH_REMATCH[0]}"
  else
    cat "$work/log"
    echo "native tests, $1: ended before their count"
    failed=$((failed + 1))
  fi
}

compile() { # COMPILER FLAG...; R's table of entry points casts their types
  if "$@" -fsyntax-only -Wall -Wextra -Wstrict-prototypes -pedantic -Wno-cast-function-type -Werror \
    $(R CMD config --cppflags) src/*.c; then
    passed=$((passed + 1))
  else
    echo "Compiled with warnings or not at all: $*"
    failed=$((failed + 1))
  fi
}

for compiler in gcc clang; do
  lacks "warnings of $compiler are" $compiler && continue
  for standard in gnu17 gnu2x c2x; do
    for threads in -fopenmp -fno-openmp; do compile $compiler -std=$standard $threads; done
  done
done
lacks "warnings of emscripten are" emcc || {
  compile emcc -std=gnu2x
  if emcc -E $(R CMD config --cppflags) src/r-threads.c | grep -q pthread_atfork; then
    echo "src/r-threads.c forks under emscripten"
    failed=$((failed + 1))
  fi
}
native lto
native serial
native aarch64 aarch64-linux-gnu-gcc qemu-aarch64-static
native s390x s390x-linux-gnu-gcc qemu-s390x-static
native i386 i686-linux-gnu-gcc
native wasm emcc node
for level in O0 O2 O3; do native windows-$level x86_64-w64-mingw32-gcc /usr/lib/wine/wine64; done

echo "ports: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
