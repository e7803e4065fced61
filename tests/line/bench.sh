#!/bin/bash
# partyline bench: bench.sh
# Every kernel of a step with its time, its work and its share of the machine's peak, as text and as JSON.
source "$(dirname "$0")/common.sh"
cd "$work"

partyline model resnet20 -o resnet20.onnx >/dev/null
partyline compile resnet20.onnx --global-batch 16 -o resnet20.party >/dev/null 2>&1
partyline bench resnet20.party --seconds 1 --by-kernel --json bench.json | tee text
grep -q '^step .* GFLOP/s .* GB/s, .* and .* % of it' text
python3 - <<'PYTHON'
import json
bench = json.load(open("bench.json"))
# Forward, and input and weight gradients: three times the network's 82 MFLOP an image, less the first layer's input
# gradient, with a few per cent of elementwise work.
gflop = sum(op["gflop"] for op in bench["ops"]) / bench["micro_batch"]
assert 3 * 0.081 < gflop < 3.3 * 0.083, gflop
assert abs(bench["step"]["gflop"] / bench["micro_batch"] - gflop) < 1e-9
assert sum(op["ms"] for op in bench["ops"]) < 3 * bench["step"]["ms"]
# No kernel computes faster than the machine, but for convolutions by Winograd's algorithm, 16 products of 36 that are
# counted; one whose data stay in a cache may move more than memory does.
highest = 1.3 * 36 / 16 * bench["peak"]["gflop_per_s"]
fast = [op for op in bench["ops"] if op["ms"] > 0.1 and not 0 <= op["gflop_per_s"] < highest]
assert not fast, (bench["peak"], fast)
# Every op writes something; the update reads gradients, and reads and writes weights.
assert all(0 < op["written"] <= op["bytes"] for op in bench["ops"])
sgd = [op for op in bench["ops"] if "sgd" in op["op"]]
assert sgd and all(abs(3 * op["written"] - op["bytes"]) < 1 for op in sgd), sgd
# Statistics are read alone: streams of reads are their peak.
statistics = [op for op in bench["ops"] if "statistics" in op["kernel"]]
assert statistics and all(op["written"] < 0.05 * op["bytes"] for op in statistics), statistics
PYTHON
if partyline bench resnet20.party --class phone 2>errors; then
  echo "FAILED: an unknown class is taken"
  exit 1
fi
grep -q "no class 'phone'; it has: local" errors
