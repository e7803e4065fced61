"""Times training steps of an ONNX model in PyTorch:  torch_step.py MODEL.onnx BATCH THREADS LAYOUT HOW

LAYOUT is nchw or nhwc, HOW eager or compiled. For every line on stdin, a number of seconds, steps are run for so long
and the median step time in ms is printed. A step is what Partyline's is: forward, backward, SGD with momentum.
"""
import statistics
import sys
import time

import torch
import torch.nn.functional as F

from torch_model import TorchModel

file, batch, threads, layout, how = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
torch.set_num_threads(threads)
torch.manual_seed(1)
model = TorchModel(file)
inputs = torch.rand([batch] + model.input_shape) * 2 - 1
labels = torch.zeros(batch, dtype=torch.long)
if layout == "nhwc":
    inputs = inputs.contiguous(memory_format=torch.channels_last)
    model = model.to(memory_format=torch.channels_last)
forward = torch.compile(model) if how == "compiled" else model
optimizer = torch.optim.SGD(model.parameters(), lr=0.0, momentum=0.9)


def step():
    optimizer.zero_grad(set_to_none=True)
    F.cross_entropy(forward(inputs), labels).backward()
    optimizer.step()


for _ in range(2):
    step()
print("ready", flush=True)
for line in sys.stdin:
    end, times = time.perf_counter() + float(line), []
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    print(statistics.median(times) * 1e3, flush=True)
