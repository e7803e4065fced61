#!/bin/bash
# The accuracy that small networks reach on CIFAR-10 here and in PyTorch with the same settings, the mean of several
# seeds: cifar_accuracy.sh DATA [EPOCHS [SEEDS [NETWORK...]]]
# Within one point of PyTorch, and 65 % at least. Each training has one thread, as many run as there are cores: two hours
# on two cores of 40 GFLOP/s.
source "$(dirname "$0")/common.sh"
archive=$1/cifar10-jpeg.tar.xz
epochs=${2:-10} seeds=${3:-3}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- squeezenet_cifar mobilenet_v2_cifar
peers=$(realpath "$(dirname "$0")/../../scripts/peers")
needs "$archive"
needs_packages onnx torch numpy PIL
cd "$work"
mkdir data
tar xf "$archive" -C data

# train NETWORK SEED here|pytorch: appends the accuracy to NETWORK.here or NETWORK.pytorch.
train() {
  local network=$1 seed=$2 side=$3 run=$1.$2.$3 batch=64 decay=5e-4 width rate accuracy
  case $network in
  squeezenet*) width=0.5 rate=0.05 ;;
  *) width=0.25 rate=0.1 ;;
  esac
  trap "cat $run.log" ERR
  partyline model "$network" --width-multiplier $width --dropout 0.1 --seed "$seed" -o "$run.onnx" >/dev/null
  if [ "$side" = here ]; then
    partyline compile "$run.onnx" --global-batch $batch --micro-batch $batch --batchnorm-batch $batch \
      --batchnorm torch --preprocess cifar --lr $rate --lr-schedule cosine --warmup 1 --momentum 0.9 \
      --weight-decay $decay -o "$run.party" &>"$run.log"
    partyline train "$run.party" --data data --epochs "$epochs" --seed "$seed" --val-every "$epochs" --threads 1 \
      --progress none --log "$run.jsonl" &>>"$run.log"
    accuracy=$(python3 -c 'import json, sys
print([100 * entry["top1"] for entry in map(json.loads, open(sys.argv[1])) if "top1" in entry][-1])' "$run.jsonl")
  else
    accuracy=$("$python" "$peers/torch_cifar.py" "$run.onnx" data --epochs "$epochs" --seed "$seed" --batch $batch \
      --lr $rate --momentum 0.9 --weight-decay $decay --threads 1 2>"$run.log")
  fi
  echo "$accuracy" >>"$network.$side"
  echo "$network, seed $seed, $side: $accuracy %"
}
export -f train
export epochs peers python

for network in "$@"; do
  for seed in $(seq "$seeds"); do
    echo "$network $seed pytorch"
    echo "$network $seed here"
  done
done | xargs -P "$(nproc)" -L 1 bash -euo pipefail -c 'train "$@"' train
python3 - "$@" <<'PYTHON'
import sys
good = True
for network in sys.argv[1:]:
    sides = [[float(line) for line in open(f"{network}.{side}")] for side in ("here", "pytorch")]
    ours, theirs = (sum(side) / len(side) for side in sides)
    print(f"{network}: {ours:.2f} % here, {theirs:.2f} % in PyTorch, mean of {len(sides[0])}")
    good = good and ours >= 65 and ours >= theirs - 1
sys.exit(not good)
PYTHON
