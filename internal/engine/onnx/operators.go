package onnx

import (
	"strings"
	"sync"

	"tattle/internal/engine/nn"
)

// operator describes an ONNX operator (ONNX, Operators.md). Opsets 7 to 25 are read by one
// reader, whose comment names the latest version that it follows, and where older versions
// differ.
type operator struct {
	inputs     int    // the most that it has
	attributes string // that its readers know
	traits     traits
	read       func(*nodeReader) // adds operators to the graph, or computes constants
}

// traits say how an operator may be read where its inputs are not float32, or not finite.
type traits uint16

const (
	exact    traits = 1 << iota // moves, chooses or compares numbers of any type, and returns the same type
	integral                    // computes integers from integers
	converts                    // accepts any type, and returns another
	free                        // does not copy elements, however large the constant
	discrete                    // computes integers or bools where they are constants
	constant                    // needs constants
	late                        // is added to the graph even where all inputs are constants
	boolean                     // gives 0 and 1
	infinite                    // may have a constant ±Inf
	text                        // converts, and may be given text
	ordered                     // keeps the order of scores
)

const (
	anyNumber  = 1 << 10 // of inputs
	windowed   = "auto_pad dilations kernel_shape pads strides "
	arg        = "axis keepdims select_last_index"
	conversion = "round_mode saturate "
	resizing   = "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value " +
		"keep_aspect_ratio_policy mode nearest_mode"
)

// functions are the operators of one input that nn.Unary has by the same name.
var functions = map[string]traits{
	"Abs": exact, "Ceil": exact, "Floor": exact, "Neg": exact, "Round": exact, "Sign": exact,
	"Cos": 0, "Erf": 0, "Exp": 0, "HardSwish": 0, "Log": 0, "Sigmoid": ordered, "Sin": 0, "Sqrt": 0, "Tanh": 0,
}

// reducers are the reductions, which ONNX has with Reduce before the name.
var reducers = map[string]traits{
	"L1": 0, "L2": 0, "LogSum": 0, "LogSumExp": 0, "Max": exact, "Mean": 0, "Min": exact, "Prod": discrete, "Sum": integral, "SumSquare": 0,
}

// logical are the operators of two inputs that give 0 and 1.
var logical = map[string]traits{
	"Equal": converts, "Greater": converts, "GreaterOrEqual": converts, "Less": converts, "LessOrEqual": converts,
	"And": discrete, "Or": discrete, "Xor": discrete,
}

// table holds all operators that are supported, by name; before those of ai.onnx.ml stand the domain and a dot.
var table struct {
	sync.Once
	operators map[string]operator
}

// operators returns the table. No package variable starts with it, so that a program that reads no model is linked without them.
func operators() map[string]operator {
	table.Do(func() {
		table.operators = standardOperators()
		for name, op := range classicalOperators() {
			table.operators[classicalDomain+"."+name] = op
		}
	})
	return table.operators
}

func standardOperators() map[string]operator {
	operators := map[string]operator{
		// Shapes and the order of entries.
		"Concat":          {anyNumber, "axis", exact, (*nodeReader).concat},
		"DepthToSpace":    {1, "blocksize mode", exact, (*nodeReader).depthToSpace},
		"Expand":          {2, "", exact, (*nodeReader).expand},
		"Flatten":         {1, "axis", exact | free, (*nodeReader).flatten},
		"Gather":          {2, "axis", exact, (*nodeReader).gather},
		"GatherElements":  {2, "axis", exact, (*nodeReader).gatherElements},
		"GatherND":        {2, "batch_dims", exact, (*nodeReader).gatherND},
		"Identity":        {1, "", exact | free | ordered, elementwise(&nn.Identity{})},
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
		"Range":            {3, "", discrete | constant, (*nodeReader).rangeOf},
		"Shape":            {1, "end start", converts | free | text, (*nodeReader).readShape},
		"Size":             {1, "", converts | free | text, (*nodeReader).readSize},

		// Control flow.
		"If": {1, "then_branch else_branch", converts | late | text, (*nodeReader).readIf},

		// Two or more inputs that broadcast.
		"Add":   {2, "", integral | infinite, (*nodeReader).add},
		"Div":   {2, "", discrete | ordered, pairwise("Div")},
		"Max":   {anyNumber, "", exact | infinite, several("Max")},
		"Mean":  {anyNumber, "", 0, (*nodeReader).mean},
		"Min":   {anyNumber, "", exact | infinite, several("Min")},
		"Mod":   {2, "fmod", discrete | constant, (*nodeReader).mod},
		"Mul":   {2, "", integral | ordered, pairwise("Mul")},
		"PRelu": {2, "", 0, (*nodeReader).prelu},
		"Pow":   {2, "", discrete, pairwise("Pow")},
		"Sub":   {2, "", integral | infinite, pairwise("Sub")},
		"Sum":   {anyNumber, "", integral, several("Add")},
		"Where": {3, "", exact | infinite, (*nodeReader).where},

		// One input, entry by entry.
		"Cast":      {1, conversion + "to", converts | text | ordered, (*nodeReader).cast},
		"CastLike":  {2, conversion, converts | text, (*nodeReader).castLike},
		"Clip":      {3, "max min", exact | ordered, (*nodeReader).clip},
		"Dropout":   {3, "ratio seed", exact, (*nodeReader).dropout},
		"Gelu":      {1, "approximate", 0, (*nodeReader).gelu},
		"LeakyRelu": {1, "alpha", 0, (*nodeReader).leakyReLU},
		"Relu":      {1, "", exact, elementwise(&nn.ReLU{})},

		// Along axes.
		"ArgMax":     {1, arg, constant, nil},
		"ArgMin":     {1, arg, constant, nil},
		"Hardmax":    {1, "axis", exact, softmax(last(&nn.Hardmax{}))},
		"LogSoftmax": {1, "axis", 0, softmax(logSoftmax)},
		"Softmax":    {1, "axis", ordered, softmax(last(&nn.Softmax{}))},

		// Products of matrices.
		"Einsum": {anyNumber, "equation", late, (*nodeReader).einsum},
		"Gemm":   {3, "alpha beta transA transB", late, (*nodeReader).gemm},
		"MatMul": {2, "", late, (*nodeReader).matMul},

		// Images.
		"AveragePool":       {1, windowed + "ceil_mode count_include_pad", late, (*nodeReader).averagePool},
		"Conv":              {3, windowed + "group", late, (*nodeReader).conv},
		"ConvTranspose":     {3, windowed + "group output_padding output_shape", late, (*nodeReader).convTranspose},
		"GlobalAveragePool": {1, "", late, globalPool("Mean")},
		"GlobalMaxPool":     {1, "", exact | late, globalPool("Max")},
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
	for function, t := range functions {
		operators[function] = operator{1, "", t, elementwise(&nn.Unary{Function: function})}
	}
	for function, c := range compounds() {
		var names []string
		for _, s := range c.settings {
			names = append(names, s.name)
		}
		operators[function] = operator{1, strings.Join(names, " "), c.traits, compound(c.settings, c.of)}
	}
	for function, t := range reducers {
		operators["Reduce"+function] = operator{2, "axes keepdims noop_with_empty_axes", t, (*nodeReader).reduce}
	}
	for name, t := range logical {
		operators[name] = operator{2, "", t | boolean | infinite, pairwise(name)}
	}
	return operators
}
