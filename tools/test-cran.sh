#!/usr/bin/env bash
# As CRAN checks the package, with its vignettes: by a user who is not root, in the C locale, with an empty home and
# without NOT_CRAN; once with the packages that DESCRIPTION names, once without those it suggests. Beside what R CMD
# check says: sizes, times, entry points of R, files left behind. Logs are in build/cran. Ends with
# "cran: N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) package=onlinesvm
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
expect() { # SENTENCE COMMAND...: the sentence, if the command fails
  if "${@:2}"; then
    passed=$((passed + 1))
  else
    echo "$1"
    failed=$((failed + 1))
  fi
}

# Entry points of R that the compiled code may use: all are in the index of the API, or of the experimental API, of
# "Writing R Extensions" (R-devel, 2026).
api="GetRNGstate INTEGER INTEGER_RO LENGTH LOGICAL LOGICAL_RO MARK_NOT_MUTABLE PutRNGstate RAW_RO REAL REAL_RO
  R_BaseEnv R_CHAR R_CheckUserInterrupt R_ClearExternalPtr R_DimNamesSymbol R_DimSymbol R_ExternalPtrAddr
  R_ExternalPtrProtected R_ExternalPtrTag R_MakeExternalPtr R_NaInt R_NaReal R_NaString R_NamesSymbol R_NilValue
  R_PosInf R_RegisterCFinalizerEx R_SetExternalPtrAddr R_SetExternalPtrProtected R_ToplevelExec R_alloc R_do_slot
  R_forceSymbols R_has_slot R_registerRoutines R_unif_index R_useDynamicSymbols Rf_ScalarInteger Rf_ScalarLogical
  Rf_ScalarReal Rf_allocMatrix Rf_allocVector Rf_asLogical Rf_asReal Rf_duplicate Rf_eval Rf_getAttrib Rf_install
  Rf_isNull Rf_isS4 Rf_lang2 Rf_mkChar Rf_mkCharLenCE Rf_mkNamed Rf_mkString Rf_ncols Rf_nrows Rf_protect
  Rf_setAttrib Rf_unprotect Rf_xlength Rf_xlengthgets SET_STRING_ELT SET_VECTOR_ELT STRING_ELT TYPEOF VECTOR_ELT"
other_entry_points() {
  nm -D --undefined-only "$1" | awk '$2 ~ /^[A-Z][^@]*$/ {print $2}' | grep -vxF "$(printf '%s\n' $api)"
}
none() { [ -z "$("$@")" ] || { "$@"; return 1; }; }

# Processor seconds, as other programs slow the machine down
slow_examples() { awk -F '\t' 'NR > 1 && $2 + $3 >= 5 {print $1 ": " $2 + $3 " s"}' "$1"; }
test_seconds() { sed -n "s/^  Running .testthat\.R. \[\([0-9]*\)s\/.*/\1/p" "$1"; }
below() { [ "${1:-$2}" -lt "$2" ] || { echo "${1:-not found}"; return 1; }; }

# R looks up among CRAN's orphans what is suggested and not installed: here among none.
mkdir -p "$work/web/web/packages" build/cran
Rscript -e 'saveRDS(data.frame(Package = character(), Maintainer = character()), commandArgs(TRUE))' \
  "$work/web/web/packages/packages.rds"
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
manual=--no-manual
if command -v pdflatex > /dev/null; then manual=""; else echo "No pdflatex: the manual is left out."; fi
chmod 755 "$work"

# Debian compiles with -g; without debug symbols the library has the size that others see.
check() { # NAME VARIABLE=VALUE...: R CMD check in $work/NAME
  local folder=$work/$1
  mkdir -p "$folder/home" "$folder/tmp"
  cp "$tarball" "$folder"
  [ "$(id -u)" -ne 0 ] || chown -R nobody:nogroup "$folder"
  (cd "$folder" && "${as_user[@]}" env -u NOT_CRAN -u R_LIBS -u LANGUAGE -u OMP_THREAD_LIMIT \
    LC_ALL=C R_ENCODING_LOCALES=UTF-8=C.UTF-8 HOME="$folder/home" TMPDIR="$folder/tmp" \
    R_CRAN_WEB="file://$work/web" R_STRIP_SHARED_LIB="strip --strip-debug" \
    _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_TIMINGS_=0 \
    _R_CHECK_EXAMPLE_TIMING_THRESHOLD_=60 _R_CHECK_THINGS_IN_TEMP_DIR_=true _R_CHECK_THINGS_IN_OTHER_DIRS_=true \
    "${@:2}" R CMD check --as-cran --install-args=--strip $manual "$(basename "$tarball")") > "build/cran/$1.log" 2>&1
  cp "$folder/$package.Rcheck/00check.log" "build/cran/$1-check.log"
  expect "R CMD check, $1: see build/cran/$1-check.log" \
    Rscript -e 'source("tools/check-log.R"); quit(status = !is_clean(commandArgs(TRUE)))' "build/cran/$1-check.log"
  expect "R CMD check, $1, left files in the home" none find "$folder/home" -type f
}

echo "R CMD build ..."
root=$PWD
(cd "$work" && env -u NOT_CRAN R CMD build "$root") > build/cran/build.log 2>&1
tarball=$(echo "$work/$package"_*.tar.gz)
if [ ! -e "$tarball" ]; then
  cat build/cran/build.log
  echo "cran: 0 passed, 1 failed"
  exit 1
fi
echo "$(basename "$tarball"): $(($(stat -c %s "$tarball") / 1024)) kB"
expect "The tarball has 5 MB or more" [ "$(stat -c %s "$tarball")" -lt 5000000 ]
echo "R CMD check with suggested packages ..."
check suggested _R_CHECK_SUGGESTS_ONLY_=true
results=$work/suggested/$package.Rcheck
expect "Entry points of R that are not in its API, or not in the list of tools/test-cran.sh" \
  none other_entry_points "$results/$package/libs/$package.so"
expect "Examples of 5 s and more" none slow_examples "$results/$package-Ex.timings"
expect "Tests of a minute and more on CRAN" below "$(test_seconds "build/cran/suggested-check.log")" 60
echo "R CMD check without suggested packages ..."
check alone _R_CHECK_DEPENDS_ONLY_=true
sed -n 's/^Config\/Placeholders: /Before a release: /p' DESCRIPTION

echo "cran: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
