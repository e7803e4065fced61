#!/bin/bash
# Every optimizer and loss, with a moving learning rate: training.sh DIGITS
# Two ranks as one within rounding; stopped and resumed, the bits of not stopping; it learns.
source "$(dirname "$0")/common.sh"
digits=$1
cd "$work"

quietly partyline model lenet --input 1x8x8 --classes 10 -o lenet.onnx
check() { # NAME COMPILE-OPTION...
  local name=$1
  shift
  quietly partyline compile lenet.onnx --global-batch 16 --preprocess "$digits/digits.json" --lr-schedule cosine:3 \
    --warmup 20steps "$@" -o "$name.party"
  train() { quietly partyline train "$name.party" --data "$digits" --val-every 0 "$@"; }
  train -n 1 --steps 10 --log "$name-one.jsonl"
  train -n 2 --steps 10 --log "$name-two.jsonl"
  train -n 2 --steps 150 --log "$name.jsonl" --checkpoint "$name-straight"
  train -n 2 --steps 60 --checkpoint "$name-broken"
  train -n 2 --steps 150 --checkpoint "$name-broken" --resume
  cmp "$name-straight/step-00000150.ckpt" "$name-broken/step-00000150.ckpt"
  python3 - "$name" <<'PYTHON'
import json, sys
name = sys.argv[1]
def losses(file): return [e["loss"] for e in map(json.loads, open(file)) if "step" in e]
one, two, straight = (losses(f"{name}{suffix}.jsonl") for suffix in ("-one", "-two", ""))
assert len(one) == len(two) == 10 and len(straight) == 150
worst = max(abs(a - b) / abs(a) for a, b in zip(one, two))
first, last = sum(straight[:10]) / 10, sum(straight[-10:]) / 10
print(f"{name}: two ranks against one {worst:.1e}, loss {first:.3f} -> {last:.3f}, resumed to the same bits")
assert worst < 1e-5 and last < 0.8 * first
PYTHON
}
check sgd --lr 0.05 --momentum 0.9 --weight-decay 1e-4
check adamw --optimizer adamw --lr 0.003 --weight-decay 0.01
check lars --optimizer lars --lr 0.2 --momentum 0.9 --weight-decay 1e-4 --trust 0.02
check smoothed --label-smoothing 0.1 --lr 0.05 --momentum 0.9 --clip-norm 1
check mse --loss mse --lr 0.1 --momentum 0.9
check bce --loss bce --lr 0.1 --momentum 0.9 --freeze 'conv1*'
# One-hot targets are made of the digits' labels, so there is an accuracy.
quietly partyline evaluate bce.party --data "$digits" --checkpoint bce-straight
grep -q 'top 1' out
