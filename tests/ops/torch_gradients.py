"""Gradients of the mean cross-entropy by PyTorch, in double and in float:  torch_gradients.py FOLDER

FOLDER holds model.onnx, inputs (float32) and labels (int32). Writes FOLDER/double/NAME and FOLDER/float/NAME, the
gradient of every parameter as doubles.
"""
import os
import pathlib
import sys

import numpy
import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts" / "peers"))
from torch_model import TorchModel

folder = sys.argv[1]
labels = torch.from_numpy(numpy.fromfile(os.path.join(folder, "labels"), numpy.int32)).long()
for name, dtype in (("double", torch.float64), ("float", torch.float32)):
    model = TorchModel(os.path.join(folder, "model.onnx")).to(dtype)
    inputs = numpy.fromfile(os.path.join(folder, "inputs"), numpy.float32)
    inputs = torch.from_numpy(inputs.reshape([len(labels)] + model.input_shape)).to(dtype)
    F.cross_entropy(model(inputs), labels).backward()
    os.makedirs(os.path.join(folder, name))
    for parameter, key in model.keys.items():
        model.get_parameter(key).grad.double().numpy().tofile(os.path.join(folder, name, parameter))
