#!/bin/bash
# Builds targets under a sanitizer preset and runs the default tests of that tree which match:
# sanitize.sh PRESET TESTS TARGET...
set -euo pipefail
preset=$1 tests=$2
shift 2
scripts/build "$preset" "$@"
# Libraries from packages (MLIR, OpenMPI, protobuf) keep memory to the end of the process: leaks are not looked for.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
ctest --test-dir "build/$preset" --output-on-failure --parallel 2 --no-tests=error -LE long -R "$tests"
