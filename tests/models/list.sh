#!/bin/bash
# `partyline model --list`: text and JSON say the same, and what they say adds up.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
partyline model --list >"$work/text"
partyline model --list --format json >"$work/json"
python3 - "$work" <<'PYTHON'
import json, sys
rows = {line.split()[0]: line.split() for line in open(f"{sys.argv[1]}/text") if line.strip()}
networks = json.load(open(f"{sys.argv[1]}/json"))
assert {"alexnet", "resnet152", "squeezenet_cifar"} <= {network["name"] for network in networks}
for network in networks:
    assert network["bytes"] == 4 * (network["parameters"] + network["batch_norm_state"]), network
    assert rows[network["name"]][1:7] == [
        "x".join(map(str, network["input"])), str(network["parameters"]), str(network["batch_norm_state"]),
        str(network["bytes"]), f"{network['bytes'] / 2**20:.2f}", f"{network['forward_gflop']:.3f}"], network
    if network["name"] == "resnet50":  # 3.86 billion multiply-adds
        assert (network["classes"], round(network["forward_gflop"], 2)) == (1000, 7.72), network
PYTHON

if partyline model resnet20 --format json -o "$work/resnet20.onnx" 2>"$work/error"; then
  echo "--format is of no use without --list, yet accepted"
  exit 1
fi
grep -q -- --list "$work/error"
