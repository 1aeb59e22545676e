# Writes docs/posix.md, for sdk/posix, from: what our tests call, which of glibc's tests apply, what these call, the
# tests that are known not to pass, those that pass, and posix.txt.
function fail(text) { print "error: " text > "/dev/stderr"; failed = 1 }

# The functions that the test calls, or a file that it includes: into `called`.
function follow(file, depth,    i, n, list) {
  n = split(content[file], list, " ")
  for (i = 1; i <= n; i++)
    if (list[i] !~ /^\+/) called[list[i]]
    else if (depth < 4) follow(substr(list[i], 2), depth + 1)
}

# How many of the tests that call a function pass, by machine.
function count(name,    i, text, same) {
  if (!calls[name]) return "none"
  same = 1
  for (i = 2; i <= machines; i++) if (good[name, i] + 0 != good[name, 1] + 0) same = 0
  text = good[name, 1] + 0
  if (!same) for (i = 2; i <= machines; i++) text = text ", " (good[name, i] + 0)
  return text " of " calls[name]
}

# Ends the table of a family: its options have to be true.
function close_family(    i, n, list) {
  if (!family) return
  n = split(stands, list, " ")
  for (i = 1; i <= n; i++) {
    if (!(list[i] in positive)) fail(list[i] " is not positive in sys/flyball_options.h")
    covered[list[i]]
    if (broken) fail(list[i] " is positive, but " broken " fails")
    if (!tested) fail(list[i] " is positive, but no test calls its functions")
  }
  family = ""
}

function begin_family(line,    colon) {
  close_family()
  colon = index(line, ":")
  family = substr(line, 3, colon - 3)
  stands = substr(line, colon + 2)
  broken = ""
  tested = 0
  print "\n## " family
  if (stands != "") {
    line = stands
    gsub(/ /, "`, `", line)
    print "`" line "`"
  }
  print "\n| function | there | own tests | glibc's tests that pass | what is different |\n|---|---|---|---|---|"
}

# Computes what tests of glibc say, when all of them are known.
function sum_up(    i, test, name) {
  summed = 1
  for (test in applies) {
    for (name in called) delete called[name]
    test_name = test
    sub(/.*\//, "", test_name)
    follow(test_name, 0)
    for (i = 1; i <= machines; i++) {
      if ((test, machine[i]) in pass) continue
      if (!(test in known)) worst[test] = machine[i]
    }
    for (name in called) {
      calls[name]++
      for (i = 1; i <= machines; i++) if ((test, machine[i]) in pass) good[name, i]++
      if (test in worst) bad[name] = test
    }
  }
}

BEGIN {
  machines = split("arm riscv-1 riscv-8", machine, " ")
  n = split(options, list, " ")
  for (i = 1; i <= n; i++) positive[list[i]]
}
FNR == 1 { part++ }
/^#/ || NF == 0 { next }
part == 1 { for (i = 2; i <= NF; i++) own[$i] = own[$i] " " $1; next }
part == 2 { applies[$1]; next }
part == 3 { file = $1; sub(/.*\//, "", file); $1 = ""; content[file] = content[file] $0; next }
part == 4 { known[$1] = 1; suite = substr($1, 1, index($1, "/") - 1); reason = $0; sub(/^[^ ]* /, "", reason); why[reason] = why[reason] " " $1; next }
part == 5 { suite = substr($1, 1, index($1, "/") - 1); for (i = 2; i <= NF; i++) { pass[$1, $i]; total[suite, $i]++ } if (NF == machines + 1 && $1 in known) fail($1 " is known not to pass, and passes on all machines"); next }

part == 6 {
  if (!summed) { sum_up(); head() }
  if (/^= /) { begin_family($0); next }
  name = $1
  sub(/:$/, "", name)
  state = "yes"
  reason = ""
  if (NF > 1) {
    state = $2
    sub(/:$/, "", state)
    reason = $0
    sub(/^[^:]*: */, "", reason)
  }
  if (state !~ /^(yes|partly|refused|no)$/) fail(name ": the state " state " is none")
  n = split(own[name], list, " ")
  tests = ""
  for (i = 1; i <= n && i <= 3; i++) tests = tests (i > 1 ? ", " : "") "[" list[i] "](../sdk/tests/" list[i] ")"
  if (n > 3) tests = tests " and " n - 3 " more"
  if (state == "no") { tests = "" ; numbers = "" } else numbers = count(name)
  if (n > 0 || calls[name]) tested = 1
  else if (state != "no") fail(name " is there, and no test calls it")
  if (name in bad && state != "no") broken = bad[name]
  print "| `" name "` | " state " | " tests " | " numbers " | " reason " |"
}

function head(    i, suite, text) {
  print "<!-- Written by sdk/posix from sdk/posix.txt, the tests, and sdk/passed.txt. -->"
  print "# POSIX, function by function\n"
  print "Which functions of POSIX (IEEE 1003.1-2008, and some of 2024) a C or C++ program finds here, and which tests call them. \"Partly\" and \"no\" have a"
  print "reason; a function that there is not does not link. The tests of glibc are those that apply ([rules](../sdk/glibc/rules)); [sdk/conformance](../sdk/conformance) runs them."
  print "Where machines differ, the numbers are for the Cortex-M3, and RISC-V with 1 and with 8 CPUs. The tests that are known not to pass are"
  print "[listed with the reason](../sdk/conformance.txt).\n"
  print "| tests that pass | Cortex-M3 | RISC-V, 1 CPU | RISC-V, 8 CPUs |\n|---|---|---|---|"
  print "| GCC's C++ library | " total["gcc", "arm"] + 0 " | " total["gcc", "riscv-1"] + 0 " | " total["gcc", "riscv-8"] + 0 " |"
  n = 0
  for (test in applies) n++
  print "| glibc, of " n " | " total["glibc", "arm"] + 0 " | " total["glibc", "riscv-1"] + 0 " | " total["glibc", "riscv-8"] + 0 " |"
}
END {
  close_family()
  for (option in positive) if (!(option in covered)) fail(option " is positive, and no family in posix.txt stands for it")
  exit failed
}
