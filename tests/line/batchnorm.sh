#!/bin/bash
# What becomes of BatchNorm: batchnorm.sh DATA. The plan says how it is trained, or that an exporter folded it away; with
# frozen statistics two ranks are one rank, and the exported model has the statistics that the file had.
source "$(dirname "$0")/common.sh"
data=$1/golden/resnet8
needs "$data"
cd "$work"
says() { # PATTERN FILE OPTION...
  local pattern=$1
  shift
  quietly partyline plan "$@" --global-batch 8
  grep -Eq "$pattern" out || { cat out; echo "FAILED: plan $* does not say '$pattern'"; exit 1; }
}
says 'note: [0-9]+ BatchNorm layers, .*ONNX' "$data/legacy_train.onnx"
says 'note: [0-9]+ BatchNorm layers, .*PyTorch' "$data/legacy_train.onnx" --batchnorm torch
says 'note: [0-9]+ BatchNorm layers, frozen' "$data/legacy_train.onnx" --batchnorm frozen
says 'note: no BatchNorm layer, and every convolution has a bias' "$data/legacy_eval.onnx"
says 'warning: --batchnorm frozen changes nothing' "$data/legacy_eval.onnx" --batchnorm frozen
quietly partyline model lenet -o lenet.onnx
quietly partyline plan lenet.onnx --global-batch 8
! grep -i batchnorm out || { echo "FAILED: LeNet's plan speaks of BatchNorm"; exit 1; }

quietly partyline compile "$data/legacy_train.onnx" --global-batch 8 --lr 0.05 --momentum 0.9 --batchnorm frozen \
  -o frozen.party
for ranks in 1 2; do
  quietly partyline train frozen.party -n $ranks --data "$data/x.npy,$data/y.npy" --no-shuffle --epochs 1 --val-every 0 \
    --log $ranks.jsonl --checkpoint $ranks.ckpt
done
python3 - <<'PYTHON'
import json
one, two = ([e["loss"] for e in map(json.loads, open(f"{ranks}.jsonl")) if "step" in e] for ranks in (1, 2))
worst = max(abs(a - b) / abs(a) for a, b in zip(one, two, strict=True))
print(f"frozen: two ranks against one {worst:.1e}")
assert worst < 1e-5 and one[-1] != one[0]
PYTHON
quietly partyline export frozen.party --checkpoint 1.ckpt -o frozen.onnx
"$python" -c "import onnx" 2>/dev/null || { echo "not compared: $python cannot import onnx"; exit 0; }
"$python" - "$data" <<'PYTHON'
import onnx, sys
from onnx.numpy_helper import to_array
before, after = ({t.name: to_array(t) for t in onnx.load(f).graph.initializer}
                 for f in (f"{sys.argv[1]}/legacy_train.onnx", "frozen.onnx"))
norms = [n for n in onnx.load("frozen.onnx").graph.node if n.op_type == "BatchNormalization"]
assert norms
for norm in norms:
    assert all((before[name] == after[name]).all() for name in norm.input[3:])
    assert all((before[name] != after[name]).any() for name in norm.input[1:3])
print(f"frozen: {len(norms)} layers keep their statistics, and their scales and biases train")
PYTHON
