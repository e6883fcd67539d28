package onnx

import "tattle/nn"

// operator describes an ONNX operator (ONNX, Operators.md). Opsets 7 to 25 are read by one
// reader, whose comment names the latest version that it follows, and where older versions
// differ.
type operator struct {
	inputs     int    // the most that it has
	attributes string // that its readers know
	traits     traits
	read       func(*nodeReader) // adds operators to the graph, or computes constants
}

// traits say how an operator may be read where its inputs are not float32.
type traits uint8

const (
	exact    traits = 1 << iota // moves, chooses or compares numbers of any type, and returns the same type
	integral                    // computes integers from integers
	converts                    // accepts any type, and returns another
	free                        // does not copy elements, however large the constant
	discrete                    // computes integers or bools where they are constants
	constant                    // needs constants
	late                        // is added to the graph even where all inputs are constants
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
		"Concat":          {anyNumber, "axis", exact, (*nodeReader).concat},
		"DepthToSpace":    {1, "blocksize mode", exact, (*nodeReader).depthToSpace},
		"Expand":          {2, "", exact, (*nodeReader).expand},
		"Flatten":         {1, "axis", exact | free, (*nodeReader).flatten},
		"Gather":          {2, "axis", exact, (*nodeReader).gather},
		"GatherElements":  {2, "axis", exact, (*nodeReader).gatherElements},
		"GatherND":        {2, "batch_dims", exact, (*nodeReader).gatherND},
		"Identity":        {1, "", exact | free, elementwise(&nn.Identity{})},
		"NonZero":         {1, "", converts | constant, (*nodeReader).nonZero},
		"Pad":             {4, "mode pads value", exact, (*nodeReader).pad},
		"Reshape":         {2, "allowzero", exact | free, (*nodeReader).reshape},
		"Scatter":         {3, "axis", exact, (*nodeReader).scatterElements},
		"ScatterElements": {3, "axis reduction", exact, (*nodeReader).scatterElements},
		"ScatterND":       {3, "reduction", exact, (*nodeReader).scatterND},
		"Slice":           {5, "axes ends starts", exact, (*nodeReader).slice},
		"SpaceToDepth":    {1, "blocksize", exact, (*nodeReader).spaceToDepth},
		"Split":           {2, "axis num_outputs split", exact, (*nodeReader).split},
		"Squeeze":         {2, "axes", exact | free, (*nodeReader).squeeze},
		"Tile":            {2, "", exact, (*nodeReader).tile},
		"Transpose":       {1, "perm", exact, (*nodeReader).transpose},
		"Trilu":           {2, "upper", exact, (*nodeReader).trilu},
		"Unsqueeze":       {2, "axes", exact | free, (*nodeReader).unsqueeze},

		// Constants.
		"Constant":         {0, "value value_float value_floats value_int value_ints", 0, (*nodeReader).constantOf},
		"ConstantOfShape":  {1, "value", converts | constant, (*nodeReader).constantOfShape},
		"CumSum":           {2, "exclusive reverse", discrete | constant, (*nodeReader).cumSum},
		"DequantizeLinear": {3, "axis", converts | constant, (*nodeReader).dequantize},
		"EyeLike":          {1, "dtype k", converts | constant, (*nodeReader).eyeLike},
		"OneHot":           {3, "axis", converts | constant, (*nodeReader).oneHot},
		"Range":            {3, "", converts | constant, (*nodeReader).rangeOf},
		"Shape":            {1, "end start", converts | free, (*nodeReader).readShape},
		"Size":             {1, "", converts | free, (*nodeReader).readSize},

		// Control flow.
		"If": {1, "then_branch else_branch", converts | late, (*nodeReader).readIf},

		// Two or more inputs that broadcast.
		"Add":   {2, "", integral, (*nodeReader).add},
		"Div":   {2, "", discrete, pairwise("Div")},
		"Max":   {anyNumber, "", exact, several("Max")},
		"Mean":  {anyNumber, "", 0, (*nodeReader).mean},
		"Min":   {anyNumber, "", exact, several("Min")},
		"Mod":   {2, "fmod", discrete | constant, (*nodeReader).mod},
		"Mul":   {2, "", integral, pairwise("Mul")},
		"PRelu": {2, "", 0, (*nodeReader).prelu},
		"Pow":   {2, "", discrete, pairwise("Pow")},
		"Sub":   {2, "", integral, pairwise("Sub")},
		"Sum":   {anyNumber, "", integral, several("Add")},
		"Where": {3, "", exact, (*nodeReader).where},

		"And":            {2, "", discrete, pairwise("And")},
		"Equal":          {2, "", converts, pairwise("Equal")},
		"Greater":        {2, "", converts, pairwise("Greater")},
		"GreaterOrEqual": {2, "", converts, pairwise("GreaterOrEqual")},
		"Less":           {2, "", converts, pairwise("Less")},
		"LessOrEqual":    {2, "", converts, pairwise("LessOrEqual")},
		"Or":             {2, "", discrete, pairwise("Or")},
		"Xor":            {2, "", discrete, pairwise("Xor")},

		// One input, entry by entry.
		"Abs":             {1, "", exact, unary("Abs")},
		"Cast":            {1, conversion + "to", converts, (*nodeReader).cast},
		"CastLike":        {2, conversion, converts, (*nodeReader).castLike},
		"Ceil":            {1, "", exact, unary("Ceil")},
		"Celu":            {1, "alpha", 0, unary("Celu", setting{"alpha", 1})},
		"Clip":            {3, "max min", exact, (*nodeReader).clip},
		"Cos":             {1, "", 0, unary("Cos")},
		"Dropout":         {3, "ratio seed", exact, (*nodeReader).dropout},
		"Elu":             {1, "alpha", 0, unary("Elu", setting{"alpha", 1})},
		"Erf":             {1, "", 0, unary("Erf")},
		"Exp":             {1, "", 0, unary("Exp")},
		"Floor":           {1, "", exact, unary("Floor")},
		"Gelu":            {1, "approximate", 0, (*nodeReader).gelu},
		"HardSigmoid":     {1, "alpha beta", 0, unary("HardSigmoid", setting{"alpha", .2}, setting{"beta", .5})},
		"HardSwish":       {1, "", 0, unary("HardSwish")},
		"LeakyRelu":       {1, "alpha", 0, (*nodeReader).leakyReLU},
		"Log":             {1, "", 0, unary("Log")},
		"Mish":            {1, "", 0, unary("Mish")},
		"Neg":             {1, "", exact, unary("Neg")},
		"Not":             {1, "", discrete, unary("Not")},
		"Reciprocal":      {1, "", 0, unary("Reciprocal")},
		"Relu":            {1, "", exact, elementwise(&nn.ReLU{})},
		"Round":           {1, "", exact, unary("Round")},
		"Selu":            {1, "alpha gamma", 0, unary("Selu", setting{"alpha", seluAlpha}, setting{"gamma", seluGamma})},
		"Sigmoid":         {1, "", 0, unary("Sigmoid")},
		"Sign":            {1, "", exact, unary("Sign")},
		"Sin":             {1, "", 0, unary("Sin")},
		"Softplus":        {1, "", 0, unary("Softplus")},
		"Softsign":        {1, "", 0, unary("Softsign")},
		"Sqrt":            {1, "", 0, unary("Sqrt")},
		"Swish":           {1, "alpha", 0, unary("Swish", setting{"alpha", 1})},
		"Tanh":            {1, "", 0, unary("Tanh")},
		"ThresholdedRelu": {1, "alpha", 0, unary("ThresholdedRelu", setting{"alpha", 1})},

		// Along axes.
		"ArgMax":          {1, arg, constant, nil},
		"ArgMin":          {1, arg, constant, nil},
		"Hardmax":         {1, "axis", exact, softmax(&nn.Hardmax{})},
		"LogSoftmax":      {1, "axis", 0, softmax(&nn.LogSoftmax{})},
		"ReduceL1":        {2, reduction, 0, (*nodeReader).reduce},
		"ReduceL2":        {2, reduction, 0, (*nodeReader).reduce},
		"ReduceLogSum":    {2, reduction, 0, (*nodeReader).reduce},
		"ReduceLogSumExp": {2, reduction, 0, (*nodeReader).reduce},
		"ReduceMax":       {2, reduction, exact, (*nodeReader).reduce},
		"ReduceMean":      {2, reduction, 0, (*nodeReader).reduce},
		"ReduceMin":       {2, reduction, exact, (*nodeReader).reduce},
		"ReduceProd":      {2, reduction, discrete, (*nodeReader).reduce},
		"ReduceSum":       {2, reduction, integral, (*nodeReader).reduce},
		"ReduceSumSquare": {2, reduction, 0, (*nodeReader).reduce},
		"Softmax":         {1, "axis", 0, softmax(&nn.Softmax{})},

		// Products of matrices.
		"Einsum": {anyNumber, "equation", late, (*nodeReader).einsum},
		"Gemm":   {3, "alpha beta transA transB", late, (*nodeReader).gemm},
		"MatMul": {2, "", late, (*nodeReader).matMul},

		// Images.
		"AveragePool":       {1, windowed + "ceil_mode count_include_pad", late, (*nodeReader).averagePool},
		"Conv":              {3, windowed + "group", late, (*nodeReader).conv},
		"ConvTranspose":     {3, windowed + "group output_padding output_shape", late, (*nodeReader).convTranspose},
		"GlobalAveragePool": {1, "", late, (*nodeReader).globalAveragePool},
		"GlobalMaxPool":     {1, "", exact | late, (*nodeReader).globalMaxPool},
		"MaxPool":           {1, windowed + "ceil_mode storage_order", exact | late, (*nodeReader).maxPool},
		"Resize":            {4, resizing, late, (*nodeReader).resize},
		"Upsample":          {2, "mode scales", late, (*nodeReader).upsample},

		// Norms.
		"BatchNormalization":    {5, "epsilon momentum spatial training_mode", late, (*nodeReader).batchNorm},
		"GroupNormalization":    {3, "epsilon num_groups stash_type", late, (*nodeReader).groupNorm},
		"InstanceNormalization": {3, "epsilon", late, (*nodeReader).instanceNorm},
		"LRN":                   {1, "alpha beta bias size", late, (*nodeReader).localResponse},
		"LayerNormalization":    {3, "axis epsilon stash_type", late, (*nodeReader).layerNorm},
		"RMSNormalization":      {2, "axis epsilon stash_type", late, (*nodeReader).rmsNorm},
	}
}
