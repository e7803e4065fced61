// Resize and Upsample: made of other ops.
include "ir/PartyBase.td"

def : OnnxImport<"Resize", [10, 11, 13, 18, 19], "importResize", "nearest and linear, constant sizes, spatial axes; no antialiasing">;
def : OnnxImport<"Upsample", [7, 9], "importResize", "nearest and linear, constant sizes, spatial axes">;
