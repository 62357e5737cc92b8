# Tests whose code says `threads`: with what=suite the suites that run them.
/^static void [a-z0-9_]+\(void\) \{/ { name = $3; sub(/\(.*/, "", name) }
name != "" && /threads/ { threaded[name] = 1; if (what != "suite") print name; name = "" }
/^}/ { name = suite = "" }
/^void test_[a-z0-9_]+\(void\) \{/ { suite = substr($2, 6); sub(/\(.*/, "", suite) }
suite != "" && /RUN\(/ {
  test = $0
  gsub(/.*RUN\(|\).*/, "", test)
  if (test in threaded && what == "suite") { print suite; suite = "" }
}
