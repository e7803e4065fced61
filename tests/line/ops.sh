#!/bin/bash
# The table of operators names every operator of ONNX up to opset 21 once.
source "$(dirname "$0")/common.sh"
partyline ops --format md >"$work/table"
# What has got an import must be taken off the list of what has none.
partyline ops >"$work/text"
awk '/^  /{ sub(/^[^:]*:/, ""); for (i = 1; i <= NF; ++i) print $i }' "$work/text" | sort >"$work/unsupported"
awk '/^$/{ exit } { print $1 }' "$work/text" | sort >"$work/trained"
both=$(comm -12 "$work/unsupported" "$work/trained")
[ -z "$both" ] || { echo "FAILED: trained, and in tools/commands/unsupported_operators.cpp: $both"; exit 1; }
"$python" -c "import onnx.defs" 2>/dev/null || { echo "not compared: $python cannot import onnx"; exit 0; }
"$python" - "$work/table" <<'PYTHON'
import onnx.defs, sys
first = {}
for schema in onnx.defs.get_all_schemas_with_history():
    if schema.domain == "":
        first[schema.name] = min(first.get(schema.name, 99), schema.since_version)
table = [line.split("|")[1].strip() for line in open(sys.argv[1]).readlines()[2:]]
known = {name for name, version in first.items() if version <= 21}
assert set(table) == known and len(table) == len(set(table)), set(table) ^ known
print(f"{len(table)} operators")
PYTHON
