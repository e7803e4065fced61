// RUN: partyline-opt %s --split-input-file --verify-diagnostics

func.func @range() {
  // expected-error @+1 {{must change a range of elements [first, last)}}
  party.sgd {first = 16 : i64, last = 16 : i64, momentum = 0.9 : f64, weight_decay = 0.0 : f64}
  return
}

// -----

func.func @before() {
  // expected-error @+1 {{must change a range of elements [first, last)}}
  party.moving_average {first = -16 : i64, last = 16 : i64, rate = 0.9 : f64}
  return
}

// -----

func.func @momentum() {
  // expected-error @+1 {{momentum must lie between 0 and 1}}
  party.sgd {first = 0 : i64, last = 16 : i64, momentum = -0.9 : f64, weight_decay = 0.0 : f64}
  return
}

// -----

func.func @decay() {
  // expected-error @+1 {{weight_decay must be a number that is not negative}}
  party.sgd {first = 0 : i64, last = 16 : i64, momentum = 0.9 : f64, weight_decay = -1.0 : f64}
  return
}

// -----

func.func @beta() {
  // expected-error @+1 {{beta2 must be at least 0 and less than 1}}
  party.adamw {first = 0 : i64, last = 16 : i64, beta1 = 0.9 : f64, beta2 = 1.0 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64}
  return
}

// -----

func.func @epsilon() {
  // expected-error @+1 {{epsilon must be a positive number}}
  party.adamw {first = 0 : i64, last = 16 : i64, beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 0.0 : f64, weight_decay = 0.0 : f64}
  return
}

// -----

func.func @rate() {
  // expected-error @+1 {{rate must lie between 0 and 1}}
  party.moving_average {first = 0 : i64, last = 16 : i64, rate = 0x7FF8000000000000 : f64}
  return
}

// -----

func.func @statistic(%g: tensor<8xf32>) {
  // expected-error @+1 {{rate must lie between 0 and 1}}
  party.store_statistic %g {name = "mean", rate = 1.5 : f64} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @batched(%g: tensor<?x8xf32>) {
  // expected-error @+1 {{stores a value with a batch; a weight has none}}
  party.store_gradient %g {name = "w"} : (tensor<?x8xf32>) -> ()
  return
}

// -----

func.func @elements() {
  // expected-error @+1 {{elements must be those of a tensor inside of the range}}
  party.lars {first = 0 : i64, last = 16 : i64, elements = 17 : i64, momentum = 0.9 : f64, weight_decay = 0.0 : f64, trust = 0.001 : f64}
  return
}

// -----

func.func @trust() {
  // expected-error @+1 {{trust must be a positive number}}
  party.lars {first = 0 : i64, last = 16 : i64, elements = 10 : i64, momentum = 0.9 : f64, weight_decay = 0.0 : f64, trust = 0.0 : f64}
  return
}

// -----

func.func @variance_of(%g: tensor<8xf32>) {
  // expected-error @+1 {{variance_of must be a positive number of values}}
  party.store_statistic %g {name = "v", rate = 0.9 : f64, variance_of = 0 : i64} : (tensor<8xf32>) -> ()
  return
}
