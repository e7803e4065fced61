#!/bin/bash
# What `export` writes, read by others: exported.sh DATA NETWORK TOLERANCE
# Trained for ten steps and exported, every exporter's file keeps its names, opsets and IR version, passes ONNX's checker,
# and ONNX Runtime's logits on the first eight inputs are those of `evaluate --logits` within 1e-4. Those of
# legacy_train are PyTorch's after the same ten steps within TOLERANCE.
source "$(dirname "$0")/common.sh"
data=$1/golden/$2 tolerance=$3
needs "$data"
needs_packages onnx.checker onnxruntime numpy
cd "$work"

"$python" - "$data" <<'PYTHON'
import numpy, sys
for name in "xy":
    numpy.save(f"{name}8.npy", numpy.load(f"{sys.argv[1]}/{name}.npy")[:8])
PYTHON
read -r lr momentum decay < <("$python" -c "
import json; e = json.load(open('$data/expected.json')); print(e['lr'], e['momentum'], e['weight_decay'])")
for file in legacy_train legacy_eval dynamo_train dynamo_eval; do
  quietly partyline compile "$data/$file.onnx" --global-batch 8 --lr "$lr" --momentum "$momentum" \
    --weight-decay "$decay" --batchnorm torch -n 1 -o $file.party
  quietly partyline train $file.party -n 1 --data "$data/x.npy,$data/y.npy" --no-shuffle --epochs 1 --val-every 0 \
    --checkpoint $file.ckpt
  quietly partyline evaluate $file.party -n 2 --data x8.npy,y8.npy --checkpoint $file.ckpt --logits $file.npy
  quietly partyline export $file.party --checkpoint $file.ckpt -o $file.onnx
  "$python" - "$data" $file "$tolerance" <<'PYTHON'
import numpy, onnx, onnxruntime, sys
data, name, tolerance = sys.argv[1], sys.argv[2], float(sys.argv[3])
before, after = onnx.load(f"{data}/{name}.onnx"), onnx.load(f"{name}.onnx")
onnx.checker.check_model(after, full_check=True)
assert after.ir_version == before.ir_version and after.opset_import == before.opset_import
def interface(model):
    return [[(v.name, v.type.tensor_type.elem_type) for v in values] for values in (model.graph.input, model.graph.output)]
def initializers(model):
    return {v.name: (v.data_type, tuple(v.dims)) for v in model.graph.initializer}
def nodes(model, separate):
    """A BatchNormalization that trains has outputs 1 and 2, exported it has not."""
    return [(n.name, n.op_type, list(n.input), n.output[0]) for n in model.graph.node if n.output[0] not in separate]
# Initializers that an exporter merged through Identity nodes are parameters of their own, and stay so.
separate = initializers(after).keys() - initializers(before).keys()
assert separate <= {n.output[0] for n in before.graph.node if n.op_type == "Identity"}, separate
assert interface(before) == interface(after) and nodes(before, separate) == nodes(after, separate)
assert initializers(before).items() <= initializers(after).items()
assert any(a.raw_data != b.raw_data for a, b in zip(before.graph.initializer, after.graph.initializer)), "not trained"
session = onnxruntime.InferenceSession(f"{name}.onnx", providers=["CPUExecutionProvider"])
x = numpy.load("x8.npy")
theirs, = session.run(None, {session.get_inputs()[0].name: x})
ours = numpy.load(f"{name}.npy")
assert ours.shape == theirs.shape and numpy.isfinite(ours).all()
worst = numpy.abs(ours - theirs).max()
print(f"{name}: largest difference from ONNX Runtime {worst:.1e}", end="")
assert worst <= 1e-4
if name == "legacy_train":
    golden = numpy.load(f"{data}/eval_logits_after.npy")
    difference = numpy.abs(ours - golden).max()
    print(f", from PyTorch {difference:.1e}", end="")
    assert difference <= tolerance
print()
PYTHON
done
