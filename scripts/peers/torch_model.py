"""An ONNX graph of the zoo's operators as a PyTorch module: what Partyline is compared with."""
import numpy
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper


def padding(attributes):
    """(symmetric padding, what F.pad has to add before)."""
    top, left, bottom, right = attributes.get("pads", [0, 0, 0, 0])
    symmetric = (top, left) == (bottom, right)
    return ((top, left), None) if symmetric else (0, (left, right, top, bottom))


def conv(x, weight, bias, attributes):
    symmetric, before = padding(attributes)
    x = F.pad(x, before) if before else x
    return F.conv2d(x, weight, bias, attributes.get("strides", 1), symmetric, attributes.get("dilations", 1),
                    attributes.get("group", 1))


def max_pool(x, attributes):
    symmetric, before = padding(attributes)
    x = F.pad(x, before, value=-numpy.inf) if before else x
    return F.max_pool2d(x, attributes["kernel_shape"], attributes.get("strides", 1), symmetric,
                        ceil_mode=bool(attributes.get("ceil_mode", 0)))


def average_pool(x, attributes):
    symmetric, before = padding(attributes)
    if before:
        raise NotImplementedError("an average over padding that is not symmetric")
    return F.avg_pool2d(x, attributes["kernel_shape"], attributes.get("strides", 1), symmetric,
                        ceil_mode=bool(attributes.get("ceil_mode", 0)),
                        count_include_pad=bool(attributes.get("count_include_pad", 0)))


class TorchModel(torch.nn.Module):
    """The model in an ONNX file: trained initializers are parameters, by their ONNX names."""

    def __init__(self, file):
        super().__init__()
        graph = onnx.load(file).graph
        self.input, self.output = graph.input[0].name, graph.output[0].name
        self.input_shape = [dim.dim_value for dim in graph.input[0].type.tensor_type.shape.dim][1:]
        # Names of modules and parameters must not have dots.
        self.keys, self.constants, self.state = {}, {}, {}
        statistics = {name for node in graph.node if node.op_type == "BatchNormalization" for name in node.input[3:5]}
        settings = {name for node in graph.node if node.op_type in ("Clip", "Dropout") for name in node.input[1:]}
        for tensor in graph.initializer:
            array = torch.from_numpy(numpy_helper.to_array(tensor).copy())
            if tensor.name in statistics:
                self.state[tensor.name] = array
            elif tensor.name in settings or not array.is_floating_point():
                self.constants[tensor.name] = array.tolist()
            else:
                self.keys[tensor.name] = tensor.name.replace(".", "/")
                self.register_parameter(self.keys[tensor.name], torch.nn.Parameter(array))
        self.nodes = [(node.op_type, list(node.input), node.output[0],
                       {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}) for node in graph.node]

    def forward(self, x):
        values = {self.input: x}
        weights = {name: self._parameters[key] for name, key in self.keys.items()}
        for kind, names, output, attributes in self.nodes:
            operands = [values[name] if name in values else weights.get(name) for name in names]
            values[output] = self.evaluate(kind, names, operands, attributes)
        return values[self.output]

    def evaluate(self, kind, names, operands, attributes):
        x = operands[0]
        if kind == "Conv":
            return conv(x, operands[1], operands[2] if len(operands) > 2 else None, attributes)
        if kind == "BatchNormalization":
            mean, variance = (self.state[name].to(x.dtype) for name in names[3:5])
            return F.batch_norm(x, mean, variance, operands[1], operands[2], training=self.training,
                                momentum=1 - attributes.get("momentum", 0.9), eps=attributes.get("epsilon", 1e-5))
        if kind == "Relu":
            return F.relu(x)
        if kind == "Clip":
            return F.hardtanh(x, *(self.constants[name] for name in names[1:]))
        if kind == "MaxPool":
            return max_pool(x, attributes)
        if kind == "AveragePool":
            return average_pool(x, attributes)
        if kind == "GlobalAveragePool":
            return x.mean((2, 3), keepdim=True)
        if kind == "LRN":
            return F.local_response_norm(x, attributes["size"], attributes["alpha"], attributes["beta"],
                                         attributes.get("bias", 1.0))
        if kind == "Concat":
            return torch.cat(operands, attributes["axis"])
        if kind == "Add":
            return x + operands[1]
        if kind == "Flatten":
            return x.flatten(attributes.get("axis", 1))
        if kind == "Gemm":
            weight = operands[1] if attributes.get("transB", 0) else operands[1].T
            return F.linear(x, weight, operands[2] if len(operands) > 2 else None)
        if kind == "Dropout":
            return F.dropout(x, self.constants[names[1]] if len(names) > 1 and names[1] else 0.5, self.training)
        if kind == "Identity":
            return x
        raise NotImplementedError("the operator " + kind)
