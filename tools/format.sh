#!/usr/bin/env bash
# clang-format over the C sources, in place; --check changes nothing and ends with "format: N passed, N failed", a test per
# file.
set -u
cd "$(dirname "$0")/.." || exit 1
files=(src/*.[ch] tests/core/*.[ch] tests/core/*/*.[ch] tests/recipe/*.c)
if ! command -v clang-format > /dev/null; then
  echo "No clang-format: the check of the C sources' format is left out."
  [ "${1:-}" != --check ] || echo "format: 0 passed, 0 failed"
  exit 0
fi
if [ "${1:-}" != --check ]; then
  exec clang-format -i "${files[@]}"
fi
failed=0
for file in "${files[@]}"; do
  clang-format --dry-run -Werror "$file" || failed=$((failed + 1))
done
[ "$failed" -eq 0 ] || echo "To format the sources: tools/format.sh"
echo "format: $((${#files[@]} - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
