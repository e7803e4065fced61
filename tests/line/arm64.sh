#!/bin/bash
# One x86 rank and one arm64 rank under qemu train as two x86 ranks do: arm64.sh DATA REPOSITORY
# Builds the arm64 worker first (scripts/build-worker). The losses agree within 1e-5, of a network without BatchNorm and
# of one with it and with depthwise convolutions, whose micro-batches are the same.
source "$(dirname "$0")/common.sh"
golden=$1/golden repository=$2
needs "$golden"
command -v qemu-aarch64 >/dev/null || skip "qemu-aarch64 is not installed"
cd "$repository" # the runner in the cluster file counts from here

quietly scripts/build-worker --target arm64-linux
for network in lenet mobilenet_tiny; do
  data=$golden/$network
  options=(--global-batch 8 --micro-batch 4 --batchnorm-batch 4 --lr 0.05 --momentum 0.9 --weight-decay 1e-4)
  training=(--data "$data/x.npy,$data/y.npy" --no-shuffle --epochs 1 --val-every 0 --hash-every 1)
  quietly partyline compile "$data/legacy_train.onnx" "${options[@]}" -n 2 -o "$work/x86.party"
  quietly partyline train "$work/x86.party" -n 2 "${training[@]}" --log "$work/x86.jsonl"
  quietly partyline compile "$data/legacy_train.onnx" "${options[@]}" --cluster models/clusters/x86-and-arm64.yaml \
    -o "$work/mixed.party"
  quietly partyline train "$work/mixed.party" --shares 1,1 "${training[@]}" --log "$work/mixed.jsonl"
  python3 - "$work" "$network" <<'PYTHON'
import json, sys
def losses(name): return [e["loss"] for e in map(json.loads, open(f"{sys.argv[1]}/{name}.jsonl")) if "loss" in e]
x86, mixed = losses("x86"), losses("mixed")
assert len(x86) == len(mixed) == 10
worst = max(abs(a - b) / abs(a) for a, b in zip(x86, mixed))
print(f"{sys.argv[2]}, ten steps, x86 + arm64 against x86 + x86: largest relative difference of the losses {worst:.1e}")
sys.exit(worst > 1e-5)
PYTHON
  rm -r "$work"/*.party "$work"/*.jsonl
done
