#!/bin/bash
# The accuracy that networks reach on CIFAR-10 here and in PyTorch with the same settings, the mean of several seeds:
# cifar_accuracy.sh DATA [EPOCHS [SEEDS [NETWORK...]]]
# Within one point of PyTorch, and 65 % at least. On two cores of 40 GFLOP/s SqueezeNet takes half an hour a run,
# MobileNet-v2 several hours.
set -euo pipefail
archive=$1/cifar10-jpeg.tar.xz
epochs=${2:-10} seeds=${3:-3}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- squeezenet_cifar mobilenet_v2_cifar
peers=$(realpath "$(dirname "$0")/../../scripts/peers")
python=${PARTYLINE_PYTHON:-python3}
if [ ! -f "$archive" ]; then
  echo "skipped: $archive is not there"
  exit 77
fi
if ! "$python" -c "import onnx, torch, numpy, PIL" 2>/dev/null; then
  echo "skipped: $python cannot import onnx, torch, numpy and PIL: install them (and pillow) from PyPI, or name an" \
    "interpreter that has them in PARTYLINE_PYTHON"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir data
tar xf "$archive" -C data

for network in "$@"; do
  case $network in
  squeezenet*) rate=0.02 ;; # without BatchNorm
  *) rate=0.1 ;;
  esac
  for seed in $(seq "$seeds"); do
    partyline model "$network" --seed "$seed" -o model.onnx >/dev/null
    partyline compile model.onnx --global-batch 64 --micro-batch 64 --batchnorm-batch 64 --batchnorm torch --lr $rate \
      --lr-schedule cosine --warmup 1 --momentum 0.9 --weight-decay 5e-4 --preprocess cifar -o model.party >/dev/null 2>&1
    partyline train model.party --data data --epochs "$epochs" --seed "$seed" --log log.jsonl --progress none
    ours=$(python3 -c 'import json; print([100 * e["top1"] for e in map(json.loads, open("log.jsonl")) if "top1" in e][-1])')
    theirs=$("$python" "$peers/torch_cifar.py" model.onnx data "$epochs" $rate "$seed")
    echo "$network, seed $seed: $ours % here, $theirs % in PyTorch" | tee -a "$network.txt"
    rm -rf model.party log.jsonl
  done
done
python3 - "$@" <<'PYTHON'
import re, sys
good = True
for network in sys.argv[1:]:
    pairs = [tuple(map(float, re.findall(r"([\d.]+) %", line))) for line in open(network + ".txt")]
    ours, theirs = (sum(column) / len(pairs) for column in zip(*pairs))
    print(f"{network}: {ours:.2f} % here, {theirs:.2f} % in PyTorch, mean of {len(pairs)}")
    good = good and ours >= 65 and ours >= theirs - 1
sys.exit(not good)
PYTHON
