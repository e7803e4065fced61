# What the tests of the whole line share; each of them sources it. `work` is a folder of the test's own, which goes away
# with it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# An interpreter with the packages from PyPI that a test compares with.
python=${PARTYLINE_PYTHON:-python3}

skip() { # REASON
  echo "skipped: $1"
  exit 77 # ctest's SKIP_RETURN_CODE
}
needs() { # FILE...
  for file in "$@"; do
    [ -e "$file" ] || skip "$file is not there"
  done
}
needs_packages() { # PACKAGE...
  for package in "$@"; do
    "$python" -c "import $package" 2>/dev/null || skip "$python cannot import $package: install $* from PyPI (PIL is \
pillow there), or name an interpreter that has them in PARTYLINE_PYTHON"
  done
}
# Runs a command; what it says is kept in $work/out and shown where it fails.
quietly() {
  "$@" >"$work/out" 2>&1 || {
    cat "$work/out"
    echo "FAILED: $*"
    exit 1
  }
}
