// Batch normalisation: training and inference form, and the gradients.
include "ir/PartyBase.td"

def Party_BatchNormOp : Party_Op<"batch_norm", [DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
    DeclareOpInterfaceMethods<GradientOpInterface>, DeclareOpInterfaceMethods<InferenceOpInterface>,
    DeclareOpInterfaceMethods<StatisticsOpInterface>, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Normalises every channel by the statistics of the micro-batch";
  let description = [{
    Results: the normalised, scaled and shifted tensor, the channels' means and population variances. The running
    statistics move towards these once per step: running = momentum * running + (1 - momentum) * statistic (ONNX's rule).
  }];
  let arguments = (ins Party_Float:$input, Party_Float:$scale, Party_Float:$bias, Party_Float:$running_mean,
                   Party_Float:$running_variance, F64Attr:$epsilon, F64Attr:$momentum, UnitAttr:$channels_last);
  let results = (outs Party_Float:$output, Party_Float:$mean, Party_Float:$variance);
  let hasVerifier = 1;
}

def Party_BatchNormStatisticsOp : Party_Op<"batch_norm_statistics", [
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "Means and population variances of the channels of the micro-batch";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$mean, Party_Float:$variance);
}

def Party_BatchNormInferenceOp : Party_Op<"batch_norm_inference", [FusibleOpInterface,
    DeclareOpInterfaceMethods<GradientOpInterface>, DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "Channels-last normalisation by given statistics, which are constants to the gradient";
  let arguments = (ins Party_Float:$input, Party_Float:$scale, Party_Float:$bias, Party_Float:$mean,
                   Party_Float:$variance, F64Attr:$epsilon);
  let results = (outs Party_Float:$output);
  let hasVerifier = 1;
}

def Party_BatchNormInferenceGradientOp : Party_Op<"batch_norm_inference_gradient", [FusibleOpInterface,
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The gradient of the input where the statistics are given";
  let arguments = (ins Party_Float:$output_gradient, Party_Float:$variance, Party_Float:$scale, F64Attr:$epsilon);
  let results = (outs Party_Float:$input_gradient);
  let hasVerifier = 1;
}

def Party_BatchNormParameterGradientOp : Party_Op<"batch_norm_parameter_gradient", [
    DeclareOpInterfaceMethods<FusibleOpInterface, ["sumsRows"]>,
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The gradients of scale and bias, whatever the statistics are of";
  let arguments = (ins Party_Float:$input, Party_Float:$output_gradient, Party_Float:$mean, Party_Float:$variance,
                   F64Attr:$epsilon);
  let results = (outs Party_Float:$scale_gradient, Party_Float:$bias_gradient);
  let hasVerifier = 1;
}

def Party_BatchNormInputGradientOp : Party_Op<"batch_norm_input_gradient", [FusibleOpInterface,
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The gradient of the input, through the statistics too";
  let arguments = (ins Party_Float:$input, Party_Float:$output_gradient, Party_Float:$mean, Party_Float:$variance,
                   Party_Float:$scale, Party_Float:$scale_gradient, Party_Float:$bias_gradient, F64Attr:$epsilon);
  let results = (outs Party_Float:$input_gradient);
  let hasVerifier = 1;
}

def : OnnxImport<"BatchNormalization", [7, 9, 14, 15], "importBatchNormalization", "spatial = 1">;
