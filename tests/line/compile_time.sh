#!/bin/bash
# How long partyline compile takes for a network of 161 layers, without and with the kernels in the cache:
# compile_time.sh COLD WARM   (the most seconds for each)
source "$(dirname "$0")/common.sh"
cd "$work"
export PARTYLINE_CACHE=$work/cache

partyline model resnet50 -o resnet50.onnx >/dev/null
seconds() {
  local start
  start=$(date +%s%N)
  partyline compile resnet50.onnx -o resnet50.party --global-batch 4 --micro-batch 4 --momentum 0.9 \
    --batchnorm-batch 1 >/dev/null 2>&1
  echo $((($(date +%s%N) - start) / 1000000))
}
cold=$(seconds)
warm=$(for _ in 1 2 3; do seconds; done | sort -n | sed -n 2p)
echo "resnet50 compiled in $cold ms without kernels, in $warm ms with them ($(nproc) cores)"
[ "$cold" -le $(($1 * 1000)) ] && [ "$warm" -le $(($2 * 1000)) ]
