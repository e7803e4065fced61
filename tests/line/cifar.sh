#!/bin/bash
# resnet20 on CIFAR-10 with two ranks: cifar.sh DATA
# 65 % test accuracy within five epochs; stopped after two and resumed, the same bits as not stopped.
source "$(dirname "$0")/common.sh"
archive=$1/cifar10-jpeg.tar.xz
needs "$archive"
cd "$work"
mkdir data
tar xf "$archive" -C data

partyline model resnet20 -o resnet20.onnx
partyline compile resnet20.onnx -n 2 --global-batch 128 --lr 0.04 --momentum 0.9 --weight-decay 1e-4 \
  --preprocess cifar -o resnet20.party
train() { partyline train resnet20.party -n 2 --data data "$@"; }
train --epochs 2 --checkpoint stopped
train --epochs 5 --checkpoint stopped --resume
train --epochs 5 --checkpoint straight --log straight.jsonl
cmp stopped/step-00001955.ckpt straight/step-00001955.ckpt
python3 - <<'PYTHON'
import json
accuracies = [entry["top1"] for entry in map(json.loads, open("straight.jsonl")) if "top1" in entry]
print("top 1 after each epoch:", accuracies)
assert len(accuracies) == 5 and max(accuracies) >= 0.65
PYTHON
