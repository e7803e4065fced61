"""Trains an ONNX model on CIFAR-10 in PyTorch:  torch_cifar.py MODEL.onnx DATA EPOCHS RATE SEED

DATA has train/CLASS/*.jpg and test/CLASS/*.jpg. The settings are those of tests/line/cifar_accuracy.sh: batches of 64,
momentum 0.9, weight decay 5e-4, a rate that rises for one epoch and falls as a cosine to 0. Prints the accuracy on the
test images in per cent, as its last line.
"""
import math
import pathlib
import sys

import numpy
import torch
import torch.nn.functional as F
from PIL import Image

from torch_model import TorchModel

BATCH = 64
MEAN, DEVIATION = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)


def read(folder):
    images, labels = [], []
    for label, name in enumerate(sorted(path.name for path in folder.iterdir())):
        for file in sorted((folder / name).iterdir()):
            images.append(numpy.asarray(Image.open(file)))
            labels.append(label)
    pixels = torch.from_numpy(numpy.stack(images)).permute(0, 3, 1, 2).float() / 255
    mean, deviation = (torch.tensor(values).view(1, 3, 1, 1) for values in (MEAN, DEVIATION))
    return (pixels - mean) / deviation, torch.tensor(labels)


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        right = sum((model(images[i:i + 250]).argmax(1) == labels[i:i + 250]).sum().item()
                    for i in range(0, len(labels), 250))
    model.train()
    return 100 * right / len(labels)


def main():
    file, data = sys.argv[1], pathlib.Path(sys.argv[2])
    epochs, rate, seed = int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
    torch.manual_seed(seed)
    images, labels = read(data / "train")
    test = read(data / "test")
    model = TorchModel(file)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9, weight_decay=5e-4)
    steps = len(labels) // BATCH
    for epoch in range(epochs):
        order = torch.randperm(len(labels))
        for step in range(steps):
            done = epoch * steps + step
            factor = (done + 1) / steps
            if epoch:
                factor = (1 + math.cos(math.pi * (done - steps) / ((epochs - 1) * steps))) / 2
            for group in optimizer.param_groups:
                group["lr"] = rate * factor
            batch = order[step * BATCH:(step + 1) * BATCH]
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimizer.step()
        print(f"epoch {epoch + 1}: {accuracy(model, *test):.2f} %", file=sys.stderr, flush=True)
    print(f"{accuracy(model, *test):.2f}")


main()
