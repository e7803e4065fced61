#!/bin/bash
# Mistakes of a user end in a message and the right exit code: errors.sh DIGITS CLUSTERS
source "$(dirname "$0")/common.sh"
set +e
digits=$1 clusters=$2
cd "$work"
failures=0

expect() { # CODE PATTERN COMMAND...: the exit code, and what stderr or stdout must say
  local code=$1 pattern=$2
  shift 2
  "$@" >out 2>&1
  local status=$?
  if [ "$status" != "$code" ] || ! grep -Eq "$pattern" out; then
    echo "FAILED: $* ended with $status (expected $code) and said:"
    cat out
    failures=$((failures + 1))
  fi
}

partyline model lenet --input 1x8x8 --classes 10 -o lenet.onnx >/dev/null
options=(--global-batch 8 --preprocess "$digits/digits.json")
partyline compile lenet.onnx "${options[@]}" -o lenet.party >out 2>&1 || { cat out; exit 1; }

head -c 3000 lenet.onnx >short.onnx
expect 2 'short.onnx' partyline plan short.onnx
expect 2 'missing.onnx' partyline plan missing.onnx
expect 2 'micro-batch' partyline plan lenet.onnx --micro-batch many
expect 2 'unit|memory' partyline plan lenet.onnx --memory-limit 100
expect 3 'does not fit|too large|needs' partyline plan lenet.onnx --memory-limit 1MB
expect 2 'finite' partyline compile lenet.onnx --lr nan -o nan.party
expect 2 'finite' partyline compile lenet.onnx --momentum nan -o nan.party
expect 2 'beta1' partyline compile lenet.onnx --optimizer adamw --momentum 0.9 -o nan.party
expect 3 "named like 'body" partyline plan lenet.onnx --freeze 'body*'
expect 2 'zigzag.*cosine' partyline compile lenet.onnx --lr-schedule zigzag -o nan.party
expect 2 'warm-up' partyline train lenet.party --data "$digits" --warmup soon
expect 2 '' partyline frobnicate
expect 0 'partyline' partyline --version
expect 0 'Example' partyline plan --help
# All operators that cannot be trained are named at once: here LeNet's poolings and its Flatten, renamed in the file.
LC_ALL=C sed 's/MaxPool/MaxPoul/g; s/Flatten/Flattin/g' lenet.onnx >strange.onnx
for said in 'strange.onnx: 3 nodes cannot be trained' 'pool1/MaxPoul' 'pool2/MaxPoul' 'flatten/Flattin'; do
  expect 3 "$said" partyline plan strange.onnx
done

printf 'version: 1\nname: x\ndevices:\n  a:\n    tarjet: host\n' >typo.yaml
expect 2 'typo.yaml:5' partyline plan lenet.onnx --cluster typo.yaml
for cluster in "$clusters"/*.yaml; do
  expect 0 '' partyline plan lenet.onnx --cluster "$cluster"
done

# Data: a label out of range, a wrong count, a file that is no image.
mkdir labels counts
cp "$digits"/*ubyte labels
printf '\x0b' | dd of=labels/train-labels-idx1-ubyte bs=1 seek=20 conv=notrunc 2>/dev/null
expect 2 'label' partyline train lenet.party --data labels --steps 1
cp "$digits"/*ubyte counts
truncate -s -5 counts/train-images-idx3-ubyte
expect 2 'train-images' partyline train lenet.party --data counts --steps 1
mkdir -p images/train/0
for class in 1 2 3 4 5 6 7 8 9; do mkdir images/train/$class; echo x >images/train/$class/a.jpg; done
echo "no image" >images/train/0/broken.jpg
expect 2 'jpg' partyline train lenet.party --data images --steps 1
expect 2 'nowhere' partyline train lenet.party --data nowhere --steps 1
# Targets: binary cross-entropy takes numbers from 0 to 1, no loss one that is none.
python3 - <<'PYTHON'
import struct
def save(name, shape, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header + struct.pack(f"<{len(values)}f", *values))
save("x.npy", (8, 1, 8, 8), [0.5] * 512)
for name, wrong in {"high": 1.5, "low": -0.25, "none": float("nan"), "good": 1.0}.items():
    save(name + ".npy", (8, 10), [0.0] * 53 + [wrong] + [0.0] * 26)
PYTHON
for loss in bce mse; do
  partyline compile lenet.onnx --global-batch 8 --loss $loss -o $loss.party >out 2>&1 || { cat out; exit 1; }
  expect 2 'none.npy: sample 5 has the target nan' partyline train $loss.party --data x.npy,none.npy --steps 1
  expect 0 '' partyline train $loss.party --data x.npy,good.npy --steps 1
done
expect 2 'high.npy: sample 5 has the target 1.5.*from 0 to 1' partyline train bce.party --data x.npy,high.npy --steps 1
expect 2 'low.npy: sample 5 has the target -0.25' partyline train bce.party --data x.npy,low.npy --steps 1
expect 0 '' partyline train mse.party --data x.npy,high.npy --steps 1

# A step library that was changed; a checkpoint of another model.
cp -r lenet.party changed.party
printf 'x' >>"$(ls changed.party/step-*.so)"
expect 2 'hash|step-' partyline train changed.party --data "$digits" --steps 1
partyline model lenet --input 1x8x8 --classes 10 --seed 5 -o other.onnx >/dev/null
partyline compile other.onnx "${options[@]}" -o other.party >out 2>&1 || { cat out; exit 1; }
partyline train other.party --data "$digits" --steps 2 --checkpoint other.ckpt >out 2>&1 || { cat out; exit 1; }
expect 2 'other.ckpt' partyline evaluate lenet.party --data "$digits" --checkpoint other.ckpt
expect 2 'other.ckpt' partyline export lenet.party --checkpoint other.ckpt -o x.onnx
expect 2 'nothing' partyline export lenet.party --checkpoint nothing -o x.onnx

expect 2 'lenet.onnx: is no cluster binary' partyline train lenet.onnx --data "$digits"
expect 2 'lenet.onnx: is no cluster binary' partyline inspect lenet.onnx

# A run that is refused costs nothing; one that goes on with another learning rate is told so.
train() { partyline train lenet.party --data "$digits" --checkpoint run.ckpt --log run.jsonl --val-every 0 "$@"; }
expect 0 'done: 2 steps, loss of the last one .*; run.ckpt/step-00000002.ckpt' train --steps 2 --lr-schedule cosine:3
expect 2 'add --resume' train --steps 4
[ "$(wc -l <run.jsonl)" = 2 ] || { echo "FAILED: the log of an earlier run is gone"; failures=$((failures + 1)); }
expect 0 'note: the last step had the learning rate' train --steps 3 --resume
train --steps 4 --resume >out 2>&1
grep -q 'note: the last step had' out && { echo "FAILED: the same learning rate is called another"; failures=$((failures + 1)); }
[ "$(wc -l <run.jsonl)" = 4 ] || { echo "FAILED: a resumed run does not add to its log"; failures=$((failures + 1)); }

[ "$failures" = 0 ] && echo "all mistakes end as they should"
exit "$failures"
