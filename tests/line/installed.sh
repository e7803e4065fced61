#!/bin/bash
# What `cmake --install` leaves runs without the build tree: installed.sh DIGITS CMAKE BUILD
source "$(dirname "$0")/common.sh"
digits=$1 cmake=$2 build=$3
cd "$work"

quietly "$cmake" --install "$build" --prefix "$work/prefix"
ls prefix/share/doc/partyline/LICENSE prefix/share/partyline/clusters/two-ranks.yaml
export PATH="$work/prefix/bin:/usr/bin:/bin"
[ "$(command -v partyline)" = "$work/prefix/bin/partyline" ]
quietly partyline model lenet --input 1x8x8 --classes 10 -o lenet.onnx
quietly partyline compile lenet.onnx --global-batch 8 --preprocess "$digits/digits.json" -o lenet.party
quietly partyline train lenet.party --data "$digits" --steps 2 -n 2 --val-every 0
