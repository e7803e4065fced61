#!/bin/bash
# Every network of the paper in its own size: compiled, and trained for three steps of two images with finite losses:
# zoo.sh [NETWORK...]
source "$(dirname "$0")/common.sh"
cd "$work"
if [ $# -eq 0 ]; then
  set -- alexnet googlenet inception_v3 mobilenet_v1 mobilenet_v2 resnet50 resnet101 resnet152 squeezenet1_0 squeezenet1_1
fi
for network in "$@"; do
  quietly partyline model "$network" -o model.onnx
  partyline model --list --format json >list.json
  python3 - "$network" <<'PYTHON'
import array, json, random, sys
channels, height, width = next(n["input"] for n in json.load(open("list.json")) if n["name"] == sys.argv[1])
def write(name, shape, kind, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes())
random.seed(1)
write("x.npy", (6, channels, height, width), "<f4",
      array.array("f", (random.gauss(0, 1) for _ in range(6 * channels * height * width))))
write("y.npy", (6,), "<i8", array.array("q", (random.randrange(1000) for _ in range(6))))
PYTHON
  start=$(date +%s)
  quietly partyline compile model.onnx --global-batch 2 --micro-batch 2 --batchnorm-batch 2 --lr 0.001 -o model.party
  compiled=$(date +%s)
  quietly partyline train model.party --data x.npy,y.npy --no-shuffle --val-every 0 --log log.jsonl
  python3 - "$network" $((compiled - start)) <<'PYTHON'
import json, math, sys
losses = [entry["loss"] for entry in map(json.loads, open("log.jsonl")) if "step" in entry]
print(f"{sys.argv[1]}: compiled in {sys.argv[2]} s, losses", *(f"{loss:.4f}" for loss in losses))
assert len(losses) == 3 and all(map(math.isfinite, losses))
PYTHON
  rm -rf model.party log.jsonl
done
