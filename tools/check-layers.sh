#!/usr/bin/env bash
# The layers of src/, by file prefix: the table in ARCHITECTURE.md. A file includes headers of its own layer and of those below.
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
    if (file in layers) return layers[file]
    sub(/[-.].*/, "", file)
    return file in layers ? layers[file] : 0
  }
  FILENAME ~ /ARCHITECTURE/ { # the first cells of the table: prefixes, such as `data-`, and files; lowest layer first
    if (/^## /) inside = /^## Layers of src/
    if (!inside || !/^\| `/) next
    split($0, cell, " [|] ")
    rank++
    for (n = split(cell[1], name, "`"); n > 0; n--) {
      sub(/-$/, "", name[n])
      if (name[n] ~ /^[a-z]/) layers[name[n]] = rank
    }
    next
  }
  FNR == 1 && layer(FILENAME) == 0 { print "  " FILENAME " belongs to no layer" }
  /^#include "/ {
    split($0, part, "\"")
    if (layer(part[2]) > layer(FILENAME)) print "  " FILENAME " includes " part[2]
  }
  END { if (rank < 10) print "  ARCHITECTURE.md has no table of them" }' ../ARCHITECTURE.md *.c *.h 2>&1)
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
