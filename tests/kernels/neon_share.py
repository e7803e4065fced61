#!/usr/bin/env python3
"""How much of an arm64 core's peak the inner loops of the convolutions reach:  neon_share.py KERNELGEN

Every kernel is compiled for arm-64-linux; the loop that holds the most multiply-adds is taken out of the object and
given to llvm-mca, which models the core. Share: multiply-adds of four floats, against the two that the core begins in
a cycle. Fails where a share is below the family's bound.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The Cortex-A76 of phones is the same core; LLVM 19 has no model of it by that name (it takes an old one's).
CORES = ["neoverse-n1"]
FAMILIES = ["conv2d", "conv2d_input_gradient", "conv2d_weight_gradient"]
# name: (channels, output channels, image, kernel, stride, groups, least share)
SHAPES = {
    "3x3 64": (64, 64, 56, 3, 1, 1, 0.9),
    "3x3 256": (256, 256, 14, 3, 1, 1, 0.9),
    "3x3 512": (512, 512, 7, 3, 1, 1, 0.9),
    "1x1 64-256": (64, 256, 56, 1, 1, 1, 0.9),
    "1x1 1024-256": (1024, 256, 14, 1, 1, 1, 0.9),
    "depthwise 128": (128, 128, 56, 3, 1, 128, 0.6),
    "depthwise 128 stride 2": (128, 128, 56, 3, 2, 128, 0.6),
}


def tool(name):
    for candidate in (name + "-19", name):
        if shutil.which(candidate):
            return candidate
    sys.exit(f"{name} is missing: it comes with Debian's llvm-19")


def specification(family, shape):
    channels, outputs, image, kernel, stride, groups, _ = shape
    parameters = {"in_channels": channels, "out_channels": outputs, "in_height": image, "in_width": image,
                  "out_height": image // stride, "out_width": image // stride, "kernel_h": kernel, "kernel_w": kernel,
                  "stride_h": stride, "stride_w": stride, "pad_top": kernel // 2, "pad_left": kernel // 2,
                  "dilation_h": 1, "dilation_w": 1, "groups": groups}
    return parameters | ({"bias": 0} if family == "conv2d" else {})


def products(body):
    return sum(line.startswith("fmla") for line in body)


def inner_loops(code):
    """The bodies of the innermost loops with multiply-adds, of [(address, instruction)]."""
    places = {address: i for i, (address, _) in enumerate(code)}
    loops = []
    for end, (address, instruction) in enumerate(code):
        target = re.match(r"(?:b\.\w+|cbn?z|tbn?z|b)\s.*?0x([0-9a-f]+) <", instruction)
        if target and int(target[1], 16) <= address and int(target[1], 16) in places:
            loops.append((places[int(target[1], 16)], end))
    bodies = {(first, last): [instruction for _, instruction in code[first:last + 1]] for first, last in loops}
    busy = {loop for loop, body in bodies.items() if products(body)}
    return [bodies[a] for a in busy if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in busy)]


def main_loop(object_file):
    """The innermost loop with the most multiply-adds."""
    text = subprocess.run([tool("llvm-objdump"), "-d", "--no-show-raw-insn", object_file], check=True,
                          capture_output=True, text=True).stdout
    bodies = []
    for section in text.split("Disassembly of section ")[1:]:
        code = [(int(address, 16), instruction.strip())
                for address, instruction in re.findall(r"^\s*([0-9a-f]+):\s+(.*)$", section, re.MULTILINE)]
        bodies += inner_loops(code)
    return max(bodies, key=products)


def share(body, core):
    """(share of peak, multiply-adds, loads and stores to the stack)"""
    # Branches lead to the loop's begin, whatever the address was.
    code = "\n".join(["begin:"] + [re.sub(r"0x[0-9a-f]+ <.*>$", "begin", line.split("//")[0].strip()) for line in body])
    report = subprocess.run([tool("llvm-mca"), "-mtriple=aarch64-linux-gnu", f"-mcpu={core}", "--iterations=200",
                             "--instruction-info=false", "--resource-pressure=false"],
                            input=code, check=True, stdout=subprocess.PIPE, text=True).stdout
    cycles = int(re.search(r"Total Cycles:\s+(\d+)", report)[1]) / 200
    return products(body) / (2 * cycles), products(body), sum("[sp" in line for line in body)


def main():
    kernelgen = sys.argv[1]
    too_low = []
    print(f"{'kernel':24} {'family':24}", *(f"{core:>12}" for core in CORES), "  multiply-adds, stack accesses in the loop")
    with tempfile.TemporaryDirectory() as folder:
        requests = [{"symbol": f"k{i}_{family}", "family": family, "parameters": specification(family, shape)}
                    for i, shape in enumerate(SHAPES.values()) for family in FAMILIES]
        file = pathlib.Path(folder) / "kernels.json"
        file.write_text(json.dumps(requests))
        subprocess.run([kernelgen, "--target", "arm-64-linux", "--output", folder, "--jobs", "2", file], check=True,
                       stdout=subprocess.DEVNULL)
        for i, (name, shape) in enumerate(SHAPES.items()):
            for family in FAMILIES:
                body = main_loop(pathlib.Path(folder) / f"k{i}_{family}.o")
                shares = [share(body, core) for core in CORES]
                print(f"{name:24} {family:24}", *(f"{part:11.0%} " for part, _, _ in shares),
                      f"  {shares[0][1]}, {shares[0][2]}")
                if min(part for part, _, _ in shares) < shape[-1]:
                    too_low.append(f"{name} {family}: below {shape[-1]:.0%}")
    if too_low:
        sys.exit("\n".join(too_low))


main()
