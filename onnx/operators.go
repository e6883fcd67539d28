package onnx

import "tattle/nn"

// operator describes an ONNX operator (ONNX, Operators.md). Opsets 7 to 25 are read by one
// reader, whose comment names the latest version that it follows, and where older versions
// differ.
type operator struct {
	inputs     int    // the most that it has
	attributes string // that its readers know
	traits     traits
	read       func(*nodeReader) // adds operators to the graph; nil if all inputs must be constants
	fold       func(*nodeReader) // computes the outputs if all inputs are constants; nil if read does
}

// traits say how an operator may be read where its inputs are not float32.
type traits uint8

const (
	exact    traits = 1 << iota // moves, chooses or compares numbers of any type, and returns the same type
	integral                    // computes integers from integers
	converts                    // accepts any type, and returns another
	free                        // does not copy elements, however large the constant
)

const (
	anyNumber  = 1 << 10 // of inputs
	windowed   = "auto_pad dilations kernel_shape pads strides "
	reduction  = "axes keepdims noop_with_empty_axes"
	arg        = "axis keepdims select_last_index"
	conversion = "round_mode saturate "
	resizing   = "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value " +
		"keep_aspect_ratio_policy mode nearest_mode"
)

// operators are all operators that are supported, by name.
var operators map[string]operator

func init() {
	operators = map[string]operator{
		// Shapes and the order of entries.
		"Concat":          {anyNumber, "axis", exact, (*nodeReader).concat, (*nodeReader).foldConcat},
		"DepthToSpace":    {1, "blocksize mode", exact, (*nodeReader).depthToSpace, nil},
		"Expand":          {2, "", exact, (*nodeReader).expand, (*nodeReader).expand},
		"Flatten":         {1, "axis", exact | free, (*nodeReader).flatten, (*nodeReader).flatten},
		"Gather":          {2, "axis", exact, (*nodeReader).gather, (*nodeReader).gather},
		"GatherElements":  {2, "axis", exact, (*nodeReader).gatherElements, (*nodeReader).gatherElements},
		"GatherND":        {2, "batch_dims", exact, (*nodeReader).gatherND, (*nodeReader).gatherND},
		"Identity":        {1, "", exact | free, elementwise(&nn.Identity{}), (*nodeReader).foldIdentity},
		"NonZero":         {1, "", 0, nil, (*nodeReader).foldNonZero},
		"Pad":             {4, "mode pads value", exact, (*nodeReader).pad, (*nodeReader).pad},
		"Reshape":         {2, "allowzero", exact | free, (*nodeReader).reshape, (*nodeReader).reshape},
		"Scatter":         {3, "axis", exact, (*nodeReader).scatterElements, nil},
		"ScatterElements": {3, "axis reduction", exact, (*nodeReader).scatterElements, (*nodeReader).scatterElements},
		"ScatterND":       {3, "reduction", exact, (*nodeReader).scatterND, (*nodeReader).scatterND},
		"Slice":           {5, "axes ends starts", exact, (*nodeReader).slice, (*nodeReader).slice},
		"SpaceToDepth":    {1, "blocksize", exact, (*nodeReader).spaceToDepth, nil},
		"Split":           {2, "axis num_outputs split", exact, (*nodeReader).split, (*nodeReader).split},
		"Squeeze":         {2, "axes", exact | free, (*nodeReader).squeeze, (*nodeReader).squeeze},
		"Tile":            {2, "", exact, (*nodeReader).tile, (*nodeReader).tile},
		"Transpose":       {1, "perm", exact, (*nodeReader).transpose, (*nodeReader).transpose},
		"Trilu":           {2, "upper", exact, (*nodeReader).trilu, (*nodeReader).trilu},
		"Unsqueeze":       {2, "axes", exact | free, (*nodeReader).unsqueeze, (*nodeReader).unsqueeze},

		// Constants.
		"Constant":         {0, "value value_float value_floats value_int value_ints", 0, nil, (*nodeReader).foldConstant},
		"ConstantOfShape":  {1, "value", 0, nil, (*nodeReader).foldConstantOfShape},
		"CumSum":           {2, "exclusive reverse", 0, nil, (*nodeReader).foldCumSum},
		"DequantizeLinear": {3, "axis", 0, nil, (*nodeReader).foldDequantize},
		"EyeLike":          {1, "dtype k", 0, nil, (*nodeReader).foldEyeLike},
		"OneHot":           {3, "axis", 0, nil, (*nodeReader).foldOneHot},
		"Range":            {3, "", 0, nil, (*nodeReader).foldRange},
		"Shape":            {1, "end start", converts | free, (*nodeReader).readShape, (*nodeReader).readShape},
		"Size":             {1, "", converts | free, (*nodeReader).readSize, (*nodeReader).readSize},

		// Control flow.
		"If": {1, "then_branch else_branch", converts, (*nodeReader).readIf, (*nodeReader).readIf},

		// Two or more inputs that broadcast.
		"Add":   {2, "", integral, (*nodeReader).add, (*nodeReader).foldBinary},
		"Div":   {2, "", 0, pairwise("Div"), (*nodeReader).foldBinary},
		"Max":   {anyNumber, "", exact, several("Max"), (*nodeReader).foldBinary},
		"Mean":  {anyNumber, "", 0, (*nodeReader).mean, nil},
		"Min":   {anyNumber, "", exact, several("Min"), (*nodeReader).foldBinary},
		"Mod":   {2, "fmod", 0, nil, (*nodeReader).foldMod},
		"Mul":   {2, "", integral, pairwise("Mul"), (*nodeReader).foldBinary},
		"PRelu": {2, "", 0, (*nodeReader).prelu, nil},
		"Pow":   {2, "", 0, pairwise("Pow"), (*nodeReader).foldPow},
		"Sub":   {2, "", integral, pairwise("Sub"), (*nodeReader).foldBinary},
		"Sum":   {anyNumber, "", integral, several("Add"), (*nodeReader).foldBinary},
		"Where": {3, "", exact, (*nodeReader).where, (*nodeReader).foldWhere},

		"And":            {2, "", 0, pairwise("And"), (*nodeReader).foldBinary},
		"Equal":          {2, "", converts, pairwise("Equal"), (*nodeReader).foldCompare},
		"Greater":        {2, "", converts, pairwise("Greater"), (*nodeReader).foldCompare},
		"GreaterOrEqual": {2, "", converts, pairwise("GreaterOrEqual"), (*nodeReader).foldCompare},
		"Less":           {2, "", converts, pairwise("Less"), (*nodeReader).foldCompare},
		"LessOrEqual":    {2, "", converts, pairwise("LessOrEqual"), (*nodeReader).foldCompare},
		"Or":             {2, "", 0, pairwise("Or"), (*nodeReader).foldBinary},
		"Xor":            {2, "", 0, pairwise("Xor"), (*nodeReader).foldBinary},

		// One input, entry by entry.
		"Abs":             {1, "", exact, unary("Abs"), (*nodeReader).foldUnary},
		"Cast":            {1, conversion + "to", converts, (*nodeReader).cast, (*nodeReader).foldCast},
		"CastLike":        {2, conversion, converts, (*nodeReader).castLike, (*nodeReader).foldCastLike},
		"Ceil":            {1, "", exact, unary("Ceil"), (*nodeReader).foldUnary},
		"Celu":            {1, "alpha", 0, unary("Celu", setting{"alpha", 1}), nil},
		"Clip":            {3, "max min", exact, (*nodeReader).clip, (*nodeReader).foldClip},
		"Cos":             {1, "", 0, unary("Cos"), (*nodeReader).foldUnary},
		"Dropout":         {3, "ratio seed", exact, (*nodeReader).dropout, nil},
		"Elu":             {1, "alpha", 0, unary("Elu", setting{"alpha", 1}), nil},
		"Erf":             {1, "", 0, unary("Erf"), nil},
		"Exp":             {1, "", 0, unary("Exp"), (*nodeReader).foldUnary},
		"Floor":           {1, "", exact, unary("Floor"), (*nodeReader).foldUnary},
		"Gelu":            {1, "approximate", 0, (*nodeReader).gelu, nil},
		"HardSigmoid":     {1, "alpha beta", 0, unary("HardSigmoid", setting{"alpha", .2}, setting{"beta", .5}), nil},
		"HardSwish":       {1, "", 0, unary("HardSwish"), nil},
		"LeakyRelu":       {1, "alpha", 0, (*nodeReader).leakyReLU, nil},
		"Log":             {1, "", 0, unary("Log"), (*nodeReader).foldUnary},
		"Mish":            {1, "", 0, unary("Mish"), nil},
		"Neg":             {1, "", exact, unary("Neg"), (*nodeReader).foldUnary},
		"Not":             {1, "", 0, unary("Not"), (*nodeReader).foldUnary},
		"Reciprocal":      {1, "", 0, unary("Reciprocal"), (*nodeReader).foldUnary},
		"Relu":            {1, "", exact, elementwise(&nn.ReLU{}), nil},
		"Round":           {1, "", exact, unary("Round"), (*nodeReader).foldUnary},
		"Selu":            {1, "alpha gamma", 0, unary("Selu", setting{"alpha", seluAlpha}, setting{"gamma", seluGamma}), nil},
		"Sigmoid":         {1, "", 0, unary("Sigmoid"), nil},
		"Sign":            {1, "", exact, unary("Sign"), (*nodeReader).foldUnary},
		"Sin":             {1, "", 0, unary("Sin"), (*nodeReader).foldUnary},
		"Softplus":        {1, "", 0, unary("Softplus"), nil},
		"Softsign":        {1, "", 0, unary("Softsign"), nil},
		"Sqrt":            {1, "", 0, unary("Sqrt"), (*nodeReader).foldUnary},
		"Swish":           {1, "alpha", 0, unary("Swish", setting{"alpha", 1}), nil},
		"Tanh":            {1, "", 0, unary("Tanh"), nil},
		"ThresholdedRelu": {1, "alpha", 0, unary("ThresholdedRelu", setting{"alpha", 1}), nil},

		// Along axes.
		"ArgMax":          {1, arg, 0, nil, (*nodeReader).foldArg},
		"ArgMin":          {1, arg, 0, nil, (*nodeReader).foldArg},
		"Hardmax":         {1, "axis", exact, softmax(&nn.Hardmax{}), nil},
		"LogSoftmax":      {1, "axis", 0, softmax(&nn.LogSoftmax{}), nil},
		"ReduceL1":        {2, reduction, 0, (*nodeReader).reduce, (*nodeReader).reduce},
		"ReduceL2":        {2, reduction, 0, (*nodeReader).reduce, (*nodeReader).reduce},
		"ReduceLogSum":    {2, reduction, 0, (*nodeReader).reduce, nil},
		"ReduceLogSumExp": {2, reduction, 0, (*nodeReader).reduce, nil},
		"ReduceMax":       {2, reduction, exact, (*nodeReader).reduce, (*nodeReader).reduce},
		"ReduceMean":      {2, reduction, 0, (*nodeReader).reduce, (*nodeReader).reduce},
		"ReduceMin":       {2, reduction, exact, (*nodeReader).reduce, (*nodeReader).reduce},
		"ReduceProd":      {2, reduction, 0, (*nodeReader).reduce, (*nodeReader).reduce},
		"ReduceSum":       {2, reduction, integral, (*nodeReader).reduce, (*nodeReader).reduce},
		"ReduceSumSquare": {2, reduction, 0, (*nodeReader).reduce, (*nodeReader).reduce},
		"Softmax":         {1, "axis", 0, softmax(&nn.Softmax{}), nil},

		// Products of matrices.
		"Einsum": {anyNumber, "equation", 0, (*nodeReader).einsum, nil},
		"Gemm":   {3, "alpha beta transA transB", 0, (*nodeReader).gemm, nil},
		"MatMul": {2, "", 0, (*nodeReader).matMul, nil},

		// Images.
		"AveragePool":       {1, windowed + "ceil_mode count_include_pad", 0, (*nodeReader).averagePool, nil},
		"Conv":              {3, windowed + "group", 0, (*nodeReader).conv, nil},
		"ConvTranspose":     {3, windowed + "group output_padding output_shape", 0, (*nodeReader).convTranspose, nil},
		"GlobalAveragePool": {1, "", 0, (*nodeReader).globalAveragePool, nil},
		"GlobalMaxPool":     {1, "", exact, (*nodeReader).globalMaxPool, nil},
		"MaxPool":           {1, windowed + "ceil_mode storage_order", exact, (*nodeReader).maxPool, nil},
		"Resize":            {4, resizing, 0, (*nodeReader).resize, nil},
		"Upsample":          {2, "mode scales", 0, (*nodeReader).upsample, nil},

		// Norms.
		"BatchNormalization":    {5, "epsilon momentum spatial training_mode", 0, (*nodeReader).batchNorm, nil},
		"GroupNormalization":    {3, "epsilon num_groups stash_type", 0, (*nodeReader).groupNorm, nil},
		"InstanceNormalization": {3, "epsilon", 0, (*nodeReader).instanceNorm, nil},
		"LRN":                   {1, "alpha beta bias size", 0, (*nodeReader).localResponse, nil},
		"LayerNormalization":    {3, "axis epsilon stash_type", 0, (*nodeReader).layerNorm, nil},
		"RMSNormalization":      {2, "axis epsilon stash_type", 0, (*nodeReader).rmsNorm, nil},
	}
}
