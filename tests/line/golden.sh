#!/bin/bash
# Golden networks through the whole line: golden.sh DATA NETWORK
# Every exporter's file of a network without BatchNorm gives the ten losses of expected.json within 1e-4 on 1, 2 and 4
# ranks; a network with BatchNorm its legacy_train file within 2e-3 on one rank, the other files train.
# A second run of the same command gives the same bits.
source "$(dirname "$0")/common.sh"
data=$1/golden/$2
needs "$data"
read -r lr momentum decay < <(python3 -c "
import json; e = json.load(open('$data/expected.json')); print(e['lr'], e['momentum'], e['weight_decay'])")

train() { # FILE RANKS: losses into $work/FILE-RANKS.jsonl
  quietly partyline train "$work/$1.party" --data "$data/x.npy,$data/y.npy" --no-shuffle --epochs 1 -n "$2" \
    --log "$work/$1-$2.jsonl" --checkpoint "$work/ckpt-$1-$2"
}
compare() { # FILE RANKS TOLERANCE
  python3 - "$work/$1-$2.jsonl" "$data/expected.json" "$3" "$1 on $2 ranks" <<'PYTHON'
import json, sys
losses = [entry["loss"] for entry in map(json.loads, open(sys.argv[1])) if "step" in entry and "loss" in entry][:10]
expected = json.load(open(sys.argv[2]))["losses"]
assert len(losses) == 10, f"{sys.argv[4]}: {len(losses)} losses"
worst = max(abs(a - b) / abs(b) for a, b in zip(losses, expected))
print(f"{sys.argv[4]}: largest relative difference {worst:.1e}")
sys.exit(worst > float(sys.argv[3]))
PYTHON
}

batch_norm=$(python3 -c "
import json; print(int(any('running' in k for k in json.load(open('$data/expected.json'))['parameter_l2_after'])))")
for file in legacy_train legacy_eval dynamo_train dynamo_eval; do
  quietly partyline compile "$data/$file.onnx" --global-batch 8 --lr "$lr" --momentum "$momentum" --weight-decay "$decay" \
    -o "$work/$file.party"
  train "$file" 1
  if [ "$batch_norm" = 0 ]; then
    compare "$file" 1 1e-4
    for ranks in 2 4; do
      train "$file" "$ranks"
      compare "$file" "$ranks" 1e-4
    done
  elif [ "$file" = legacy_train ]; then
    compare "$file" 1 2e-3
  fi
done

first=$(sha256sum <"$work/ckpt-legacy_train-1/step-00000010.ckpt")
rm -r "$work/ckpt-legacy_train-1"
train legacy_train 1
second=$(sha256sum <"$work/ckpt-legacy_train-1/step-00000010.ckpt")
[ "$first" = "$second" ] || { echo "two runs of the same command differ"; exit 1; }
echo "two runs of the same command are the same to the bit"
