#!/bin/bash
# Attention as PyTorch's exporters write it: attention.sh
# A transformer's block with chunk and scaled_dot_product_attention, exported in three ways, gives PyTorch's losses.
source "$(dirname "$0")/common.sh"
needs_packages torch onnx onnxscript numpy
cd "$work"

cat >export.py <<'PYTHON'
import json, numpy, torch, torch.nn.functional as F
from torch import nn
class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(x).chunk(3, -1))
        return self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, width))
class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.norm1, self.norm2 = nn.Conv2d(3, 32, 4, 4), nn.LayerNorm(32), nn.LayerNorm(32)
        self.attention, self.head = Attention(32, 4), nn.Linear(32, 5)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))
    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = x + self.attention(self.norm1(x))
        return self.head((x + self.mlp(self.norm2(x))).mean(1))
torch.manual_seed(1)
model, sample = Transformer().train(), torch.randn(2, 3, 16, 16)
for norm in model.norm1, model.norm2: # the optimizing exporter makes one tensor of two equal ones
    nn.init.normal_(norm.weight, 1, 0.1)
    nn.init.normal_(norm.bias, 0, 0.1)
common = {"input_names": ["input"], "output_names": ["logits"]}
torch.onnx.export(model, sample, "legacy.onnx", dynamo=False, opset_version=17, do_constant_folding=False,
                  training=torch.onnx.TrainingMode.TRAINING, dynamic_axes={"input": {0: "N"}, "logits": {0: "N"}}, **common)
for name, optimize in ("plain", False), ("optimized", True):
    torch.onnx.export(model, (sample,), name + ".onnx", dynamo=True, optimize=optimize,
                      dynamic_shapes=({0: torch.export.Dim("N")},), **common)
x, y = torch.randn(40, 3, 16, 16), torch.randint(5, (40,))
numpy.save("x.npy", x.numpy())
numpy.save("y.npy", y.numpy())
optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9), []
for step in range(5):
    part = slice(8 * step, 8 * step + 8)
    loss = F.cross_entropy(model(x[part]), y[part])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
json.dump(losses, open("torch.json", "w"))
PYTHON
quietly "$python" export.py

for name in legacy plain optimized; do
  quietly partyline compile $name.onnx --global-batch 8 --lr 0.05 --momentum 0.9 -o $name.party
  quietly partyline train $name.party --data x.npy,y.npy --no-shuffle --steps 5 --log $name.jsonl
  "$python" - $name <<'PYTHON'
import json, sys
expected = json.load(open("torch.json"))
losses = [e["loss"] for e in map(json.loads, open(sys.argv[1] + ".jsonl")) if "step" in e]
worst = max(abs(a - b) / b for a, b in zip(losses, expected))
print(f"{sys.argv[1]}: five losses against PyTorch's {worst:.1e}")
assert len(losses) == len(expected) == 5 and worst < 1e-5, (losses, expected)
PYTHON
done
