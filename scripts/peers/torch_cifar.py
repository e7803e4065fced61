"""Trains an ONNX model on CIFAR-10 in PyTorch, as tests/line/cifar_accuracy.sh does with Partyline.

DATA has train/CLASS/*.jpg and test/CLASS/*.jpg. The rate rises for one epoch and falls as a cosine to 0. Prints the
accuracy on the test images in per cent, as its last line.
"""
import argparse
import math
import pathlib
import sys

import numpy
import torch
import torch.nn.functional as F
from PIL import Image

from torch_model import TorchModel

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


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--lr", type=float, required=True)
    parser.add_argument("--momentum", type=float, required=True)
    parser.add_argument("--weight-decay", type=float, required=True)
    parser.add_argument("--threads", type=int, required=True)
    return parser.parse_args()


def main():
    given = options()
    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)
    images, labels = read(given.data / "train")
    test = read(given.data / "test")
    # The layout in which PyTorch is faster with these networks.
    model = TorchModel(given.model).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=given.lr, momentum=given.momentum,
                                weight_decay=given.weight_decay)
    steps = len(labels) // given.batch
    for epoch in range(given.epochs):
        order = torch.randperm(len(labels))
        for step in range(steps):
            done = epoch * steps + step
            factor = (done + 1) / steps
            if epoch:
                factor = (1 + math.cos(math.pi * (done - steps) / ((given.epochs - 1) * steps))) / 2
            for group in optimizer.param_groups:
                group["lr"] = given.lr * factor
            batch = order[step * given.batch:(step + 1) * given.batch]
            x = images[batch].contiguous(memory_format=torch.channels_last)
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x), labels[batch])
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}", file=sys.stderr, flush=True)
    print(f"{accuracy(model, *test):.2f}")


main()
