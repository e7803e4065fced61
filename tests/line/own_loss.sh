#!/bin/bash
# Losses that a model brings: own_loss.sh
# Ignored labels and class weights give, on one rank and on two, the losses of plain SGD in double precision; every
# reduction, and labels for every pixel, those of ONNX Runtime; the exported model keeps its loss.
source "$(dirname "$0")/common.sh"
needs_packages onnx.checker onnxruntime numpy
cd "$work"

cat >models.py <<'PYTHON'
import numpy, onnx
from onnx import TensorProto, helper, numpy_helper
rng = numpy.random.default_rng(1)
def model(name, op, images, **attributes):
    shape = ["N", 3, 4, 4] if images else ["N", 6]
    labels = ["N", 4, 4] if images else ["N"]
    weights = {"w": rng.normal(size=(5, 3, 3, 3) if images else (5, 6)), "b": rng.normal(size=5),
               "class_weights": numpy.array([0.5, 1, 2, 0, 3])}
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["scores"], pads=[1] * 4) if images else
             helper.make_node("Gemm", ["x", "w", "b"], ["scores"], transB=1)]
    if op == "NegativeLogLikelihoodLoss":
        nodes.append(helper.make_node("LogSoftmax", ["scores"], ["logarithms"], axis=1))
    weighted = attributes.pop("weighted", False)
    inputs = [nodes[-1].output[0], "y"] + ["class_weights"] * weighted
    nodes.append(helper.make_node(op, inputs, ["loss"], name="the_loss", **attributes))
    per_label = attributes.get("reduction") == "none"
    graph = helper.make_graph(
        nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape),
                      helper.make_tensor_value_info("y", TensorProto.INT64, labels)],
        [helper.make_tensor_value_info("loss", TensorProto.FLOAT, labels if per_label else [])],
        [numpy_helper.from_array(v.astype("float32"), k) for k, v in weights.items() if weighted or k != "class_weights"])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), name + ".onnx")
cross, likelihood = "SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"
model("rows", cross, False, ignore_index=-1, weighted=True)
model("kept", cross, False, ignore_index=-1)
model("sum", likelihood, False, ignore_index=-1, weighted=True, reduction="sum")
model("none", cross, False, ignore_index=-1, weighted=True, reduction="none")
model("pixels", likelihood, True, ignore_index=-1, weighted=True)
for kind, x, y in ("rows", (50, 6), (50,)), ("pixels", (50, 3, 4, 4), (50, 4, 4)):
    labels = rng.integers(-1, 5, y)
    labels[48:] = -1 # nothing counts in the last step
    numpy.save(kind + "-x.npy", rng.normal(size=x).astype("float32"))
    numpy.save(kind + "-y.npy", labels)
PYTHON
"$python" models.py

check() { # MODEL DATA
  quietly partyline compile "$1.onnx" --global-batch 16 --micro-batch 3 --lr 0.1 --momentum 0.9 -n 2 -o "$1.party"
  grep -q "the loss is the model's own: node 'the_loss'" "$1.party/plan.json" || { echo "FAILED: the plan of $1"; exit 1; }
  train() { quietly partyline train "$1.party" --data "$2-x.npy,$2-y.npy" --no-shuffle --epochs 3 --val-every 0 "${@:3}"; }
  train "$1" "$2" -n 1 --log "$1-one.jsonl" --checkpoint "$1.ckpt"
  train "$1" "$2" -n 2 --log "$1-two.jsonl"
  train "$1" "$2" -n 2 --shares 1,3 --log "$1-unequal.jsonl"
  quietly partyline export "$1.party" --checkpoint "$1.ckpt" -o "$1-trained.onnx"
  quietly partyline evaluate "$1.party" -n 2 --data "$2-x.npy,$2-y.npy" --checkpoint "$1.ckpt"
  "$python" - "$1" "$2" "$(cat out)" <<'PYTHON'
import json, numpy, onnx, onnxruntime, re, sys
name, kind, said = sys.argv[1:]
x, y = numpy.load(kind + "-x.npy"), numpy.load(kind + "-y.npy")
def run(file, x, y, output="loss"):
    model = onnx.load(file)
    model.graph.output[0].name = output
    if output != "loss":
        model.graph.output[0].type.tensor_type.ClearField("shape")
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = {"x": x, "y": y}
    return session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})[0]
def losses(suffix): return [e["loss"] for e in map(json.loads, open(f"{name}-{suffix}.jsonl")) if "step" in e]
def far(a, b): return float(max(abs(numpy.array(a) - b) / numpy.maximum(abs(numpy.array(b)), 1)))
one = losses("one")
assert len(one) == 12 and one[3] == one[7] == one[11] == 0, one
ranks = max(far(losses("two"), one), far(losses("unequal"), one))
first = far([one[0]], [run(name + ".onnx", x[:16], y[:16]).mean()])
loss, right, kept = re.search(r"\((\d+) of (\d+)\).*loss ([\d.]+)", said).group(3, 1, 2)
predicted = run(name + "-trained.onnx", x, y, "scores").argmax(1)
assert (int(right), int(kept)) == ((predicted == y).sum(), (y != -1).sum()), said
trained = run(name + "-trained.onnx", x, y).mean()
assert abs(float(loss) - trained) < 1e-4 * max(1, trained), (said, trained)
before, after = onnx.load(name + ".onnx"), onnx.load(name + "-trained.onnx")
onnx.checker.check_model(after, full_check=True)
assert before.graph.node == after.graph.node and before.graph.output == after.graph.output
assert before.graph.input == after.graph.input
line = f"{name}: ranks {ranks:.1e}, first step against ONNX Runtime {first:.1e}"
assert ranks < 1e-5 and first < 1e-5, line
if name in ("rows", "kept"): # SGD by hand
    w, b, *weights = (onnx.numpy_helper.to_array(t).astype("float64") for t in before.graph.initializer)
    weights = weights[0] if weights else numpy.ones(5)
    vw, vb, expected = 0, 0, []
    for step in range(12):
        part = slice(step % 4 * 16, step % 4 * 16 + 16)
        sample, label = x[part].astype("float64"), y[part]
        scores = sample @ w.T + b
        p = numpy.exp(scores) / numpy.exp(scores).sum(1, keepdims=True)
        counts = numpy.where(label == -1, 0, weights[label])
        divisor = counts.sum() or 1
        expected.append((counts * -numpy.log(p[range(len(label)), label])).sum() / divisor)
        gradient = (p - numpy.eye(5)[label]) * counts[:, None] / divisor
        vw, vb = 0.9 * vw + gradient.T @ sample, 0.9 * vb + gradient.sum(0)
        w, b = w - 0.1 * vw, b - 0.1 * vb
    line += f", 12 steps against SGD by hand {far(one, expected):.1e}"
    assert far(one, expected) < 1e-5, (one, expected)
print(line)
PYTHON
}
check rows rows
check kept rows
check sum rows
check none rows
check pixels pixels

# The model's loss is the only one, and what the data may hold follows from it.
refuse() { # CODE PATTERN COMMAND...
  local status=0
  "${@:3}" >out 2>&1 || status=$?
  { [ "$status" = "$1" ] && grep -q "$2" out; } || { cat out; echo "FAILED: ${*:3} ended with $status"; exit 1; }
}
refuse 3 'a loss of its own' partyline compile rows.onnx --loss mse -o x.party
"$python" -c "import numpy; y = numpy.load('rows-y.npy'); y[7] = -2; numpy.save('bad-y.npy', y)"
refuse 2 'bad-y.npy: sample 7 has label -2' partyline train rows.party --data rows-x.npy,bad-y.npy --steps 1
refuse 2 '4x4' partyline train pixels.party --data pixels-x.npy,rows-y.npy --steps 1
