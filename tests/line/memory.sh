#!/bin/bash
# The planned peak of a worker against its measured one (VmHWM): memory.sh DATA
# resnet20 at batch 64: within 5 %. With half of that as the limit: a smaller micro-batch, and the worker stays under it.
source "$(dirname "$0")/common.sh"
data=$1/golden/resnet8
needs "$data"
cd "$work"

quietly partyline model resnet20 -o resnet20.onnx
measure() { # NAME RANKS OPTION...: compiles, trains two steps, leaves NAME.plan.json and NAME.memory.json
  local name=$1 ranks=$2
  shift 2
  quietly partyline compile resnet20.onnx -n "$ranks" --global-batch $((64 * ranks)) --momentum 0.9 "$@" -o "$name.party"
  quietly partyline train "$name.party" -n "$ranks" --data "$data/x.npy,$data/y.npy" --steps 2 --val-every 0 \
    --checkpoint "$name" --memory-report "$name.memory.json"
}
measure whole 1
measure two 2
peak=$(python3 -c "import json; print(json.load(open('whole.party/plan.json'))['devices']['local']['memory']['peak'])")
measure half 1 --memory-limit "$((peak / 2))B"

python3 - "$((peak / 2))" <<'PYTHON'
import json, sys
limit = int(sys.argv[1])
micro_batches = {}
for name in ("whole", "two", "half"):
    plan = json.load(open(f"{name}.party/plan.json"))["devices"]["local"]
    micro_batches[name] = plan["micro_batch"]
    measured = max(rank["peak"] for rank in json.load(open(f"{name}.memory.json"))["ranks"])
    planned = plan["memory"]["peak"]
    print(f"{name}: micro-batch {plan['micro_batch']}, planned {planned / 1e6:.1f} MB, measured {measured / 1e6:.1f} MB, "
          f"{100 * (planned / measured - 1):+.1f} %")
    if name != "half":
        assert abs(planned / measured - 1) < 0.05, "they differ by more than 5 %"
    else:
        assert planned <= limit and measured <= limit, f"over the limit of {limit}"
assert micro_batches["whole"] == 64 and 1 <= micro_batches["half"] < 64, micro_batches
PYTHON
