#!/bin/bash
# partyline compile --tune: tune.sh DIGITS
# Measures, remembers, and trains as without it, but for rounding.
source "$(dirname "$0")/common.sh"
digits=$1
export PARTYLINE_CACHE=$work/cache
cd "$work"

partyline model lenet --input 1x8x8 --classes 10 -o lenet.onnx >/dev/null
compile() { # NAME OPTION...
  partyline compile lenet.onnx --global-batch 32 --lr 0.05 --preprocess "$digits/digits.json" -o "$1.party" "${@:2}" >"$1.out" 2>"$1.err" || {
    cat "$1.out" "$1.err"
    exit 1
  }
}
compile plain
compile tuned --tune -v
grep -E 'local: candidate [0-5] for conv2d_[0-9a-f]+ .*: 1( [0-9.]+){5} of' tuned.out
grep 'tuning local: turn 3 of 3, candidate 5 of 5' tuned.err
grep -E 'local: other schedules for [0-9]+ of [0-9]+ kernels: a step takes [0-9]+ % of the time' tuned.out

compile again --tune
if grep tuning again.err; then
  echo "FAILED: what was measured is measured again"
  exit 1
fi
cmp tuned.party/step-local.so again.party/step-local.so

# Other schedules, whatever was the fastest here.
for record in cache/candidates/*/*; do
  echo 1 >"$record"
done
compile other --tune
if cmp -s plain.party/step-local.so other.party/step-local.so; then
  echo "FAILED: what the cache says is not taken"
  exit 1
fi
for name in plain other; do
  partyline train $name.party --data "$digits" --steps 20 --log $name.jsonl >/dev/null
done
python3 - <<'PYTHON'
import json
plain, other = [[json.loads(line)["loss"] for line in open(name + ".jsonl") if '"loss"' in line] for name in ("plain", "other")]
assert len(plain) == len(other) >= 20, (len(plain), len(other))
worst = max(abs(a - b) / abs(a) for a, b in zip(plain, other))
print("largest relative difference of a loss:", worst)
assert worst < 1e-4, (plain, other)
PYTHON

cat >phone.yaml <<'YAML'
version: 1
name: one phone
devices:
  phone: {target: arm-64-linux, memory: 1 GB, threads: 2, compute: {gflops: 20, bandwidth: 10 GB/s}}
network:
  link: {bandwidth: 100 Mb/s, latency: 1 ms}
hosts:
  - {name: a, address: 127.0.0.1, device: phone}
YAML
if partyline compile lenet.onnx --cluster phone.yaml --tune -o phone.party 2>errors; then
  echo "FAILED: a phone's kernels are timed here"
  exit 1
fi
grep -q "class 'phone' is for arm-64-linux.*which this machine cannot run" errors
