#!/usr/bin/env bash
# The layers of src/, by file prefix (ARCHITECTURE.md): a file includes headers of its own layer and of those below.
# Also: R headers only in the glue, Makevars lists every header, solver.h stays short, and outside its own files no C code
# names a solver or a parameter. Ends with "layers: N passed, N failed".
set -u
cd "$(dirname "$0")/../src" || exit 1
passed=0 failed=0
check() { # check MESSAGE OFFENDERS
  if [ -z "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf '%s:\n%s\n' "$1" "$2"; fi
}

offenders=$(awk '
  function layer(file) {
    if (file == "solver.h") return 6
    if (file == "solver-list.h") return 9
    if (file == "osvm.h") return 11
    prefix = file
    sub(/[-.].*/, "", prefix)
    return prefix in layers ? layers[prefix] : 0
  }
  BEGIN {
    split("base simd data kernel sv - smo solver run tune - r", names, " ")
    for (k in names) if (names[k] != "-") layers[names[k]] = k + 0
    layers["ramp"] = layers["incremental"] = layers["budget"] = layers["smo"]
    layers["cells"] = layers["sv"]
    layers["init"] = layers["r"]
    layers["drift"] = layers["loss"] = layers["data"]
  }
  FNR == 1 && layer(FILENAME) == 0 { print "  " FILENAME " belongs to no layer" }
  /^#include "/ {
    split($0, part, "\"")
    if (layer(part[2]) > layer(FILENAME)) print "  " FILENAME " includes " part[2]
  }' *.c *.h 2>&1)
check "a file includes a header of a layer above it" "$offenders"

check "R headers outside the glue" "$(grep -nE '#include *<(R|Rinternals|Rmath|R_ext/)' *.c *.h | grep -vE '^(r-|init\.c)')"

listed=$(sed -n 's/^$(OBJECTS): *//p' Makevars | tr ' ' '\n' | sort)
check "Makevars does not list the headers of src/" "$(diff <(ls *.h | sort) <(echo "$listed") | grep '^[<>]')"

lines=$(wc -l < solver.h)
check "solver.h is longer than 120 lines" "$([ "$lines" -le 120 ] || echo "  $lines lines")"

words=$(sed -n 's/^OSVM_SOLVER(\(.*\))/\1/p' solver-list.h
  grep -ohE '\{"[a-zA-Z_]+", OSVM_[A-Z_]+\}' solver-*.c | sed 's/{"\(.*\)",.*/\1/')
pattern=$(echo $words | tr ' ' '\n' | sort -u | paste -sd '|')
check "a solver or parameter is named outside its own files" \
  "$(grep -nE "strcmp\([^)]*\"($pattern)\"|value_(of|in)\(.*\"" *.c *.h | grep -v '^solver-')"

echo "layers: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
