#!/bin/bash
# Several ranks as one, a dead rank, and resuming: ranks.sh DIGITS
source "$(dirname "$0")/common.sh"
digits=$1
cd "$work"
# Begins a long job in the background, its number in $job, and waits for its first checkpoint. By the full path of this
# run's own folder, so that its workers can be told from those of tests beside it.
begin() { # FOLDER
  timeout 120 partyline train lenet.party --data "$digits" --epochs 10000 -n 2 --checkpoint "$work/$1" \
    --checkpoint-every 50 --val-every 0 >out 2>&1 &
  job=$!
  for _ in $(seq 100); do
    ls "$1"/step-*.ckpt >/dev/null 2>&1 && break
    sleep 0.1
  done
}
end() { # waits for the job, which must have failed
  local status=0
  wait "$job" || status=$?
  [ "$status" = 1 ] || { cat out; echo "ended with $status"; exit 1; }
}
resume() { # FOLDER
  local last
  last=$(find "$1" -name 'step-*.ckpt' | sort | tail -n 1 | grep -oE '[1-9][0-9]*')
  quietly partyline train lenet.party --data "$digits" --steps $((last + 20)) -n 2 --checkpoint "$1" --resume \
    --val-every 0
}

quietly partyline model lenet --input 1x8x8 --classes 10 -o lenet.onnx
quietly partyline compile lenet.onnx --global-batch 4 --lr 0.01 --momentum 0.9 --preprocess "$digits/digits.json" \
  -o lenet.party

echo "unequal shares (1 and 3 samples) give the update of one rank with all of them"
quietly partyline train lenet.party --data "$digits" --steps 5 -n 1 --log one.jsonl --val-every 0
quietly partyline train lenet.party --data "$digits" --steps 5 -n 2 --shares 1,3 --log two.jsonl --val-every 0
python3 - <<'PYTHON'
import json
def losses(name): return [e["loss"] for e in map(json.loads, open(name)) if "loss" in e and "step" in e]
one, two = losses("one.jsonl"), losses("two.jsonl")
assert len(one) == len(two) == 5
worst = max(abs(a - b) / abs(a) for a, b in zip(one, two))
print(f"  largest relative difference {worst:.1e}")
assert worst < 1e-5
PYTHON

echo "stopping and resuming gives the bits of not stopping"
quietly partyline train lenet.party --data "$digits" --steps 500 -n 2 --checkpoint straight --val-every 0
quietly partyline train lenet.party --data "$digits" --steps 200 -n 2 --checkpoint broken --val-every 0
quietly partyline train lenet.party --data "$digits" --steps 500 -n 2 --checkpoint broken --resume --val-every 0
cmp straight/step-00000500.ckpt broken/step-00000500.ckpt

echo "kill -9 of a rank ends the job within 10 s, with an error, and the last checkpoint resumes"
begin killed
victim=$(pgrep -n -f "partyline-worker train .*--checkpoint $work/killed")
kill -9 "$victim"
started=$SECONDS
end
[ $((SECONDS - started)) -le 10 ] || { echo "took $((SECONDS - started)) s"; exit 1; }
grep -q "rank 1" out || { cat out; echo "does not name the rank"; exit 1; }
resume killed

echo "an interrupted job has ended when partyline returns, and resumes"
begin interrupted
kill -TERM "$(pgrep -P "$job")" # partyline, not the timeout; a shell's background jobs ignore SIGINT
end
if pgrep -f "partyline-worker train .*--checkpoint $work/interrupted"; then
  echo "workers go on"
  exit 1
fi
resume interrupted
