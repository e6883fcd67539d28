package nn

import (
	"math"
	"testing"
)

// TestUnaryIsPyTorchs compares values and derivatives with PyTorch 1.13's in float64, at
// the kinks too.
func TestUnaryIsPyTorchs(t *testing.T) {
	x := []float64{-3.7, -3, -1.1, -.2, 0, .3, 1.9, 3, 4.2}
	for _, c := range []struct {
		op            *Unary
		values, slope []float64
	}{
		{&Unary{Function: "Abs"}, []float64{3.7, 3, 1.1, 0.2, 0, 0.3, 1.9, 3, 4.2},
			[]float64{-1, -1, -1, -1, 0, 1, 1, 1, 1}},
		{&Unary{Function: "Ceil"}, []float64{-3, -3, -1, 0, 0, 1, 2, 3, 5},
			[]float64{0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{&Unary{Function: "Clip", Alpha: -.2, Beta: 1.9}, []float64{-0.2, -0.2, -0.2, -0.2, 0, 0.3, 1.9, 1.9, 1.9},
			[]float64{0, 0, 0, 1, 1, 1, 1, 0, 0}},
		{&Unary{Function: "Cos"}, []float64{-0.848100031710408, -0.989992496600445, 0.453596121425577, 0.980066577841242, 1, 0.955336489125606, -0.323289566863503, -0.989992496600445, -0.490260821340699},
			[]float64{-0.529836140908493, 0.141120008059867, 0.891207360061435, 0.198669330795061, 0, -0.29552020666134, -0.946300087687414, -0.141120008059867, 0.871575772413588}},
		{&Unary{Function: "Erf"}, []float64{-0.999999832848942, -0.999977909503001, -0.880205069574082, -0.222702589210478, 0, 0.328626759459127, 0.992790429235258, 0.999977909503001, 0.999999997144506},
			[]float64{1.27927408453401e-06, 0.000139253051946748, 0.336479597793244, 1.08413478710486, 1.12837916709551, 1.03126090961896, 0.0305247404354478, 0.000139253051946748, 2.46320409866834e-08}},
		{&Unary{Function: "Exp"}, []float64{0.0247235264703394, 0.0497870683678639, 0.33287108369808, 0.818730753077982, 1, 1.349858807576, 6.68589444227927, 20.0855369231877, 66.6863310409252},
			[]float64{0.0247235264703394, 0.0497870683678639, 0.33287108369808, 0.818730753077982, 1, 1.349858807576, 6.68589444227927, 20.0855369231877, 66.6863310409252}},
		{&Unary{Function: "Floor"}, []float64{-4, -3, -2, -1, 0, 0, 1, 3, 4},
			[]float64{0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{&Unary{Function: "HardSwish"}, []float64{0, 0, -0.348333333333333, -0.0933333333333333, 0, 0.165, 1.55166666666667, 3, 4.2},
			[]float64{0, -0.5, 0.133333333333333, 0.433333333333333, 0.5, 0.6, 1.13333333333333, 1, 1}},
		{&Unary{Function: "Gelu"}, []float64{-0.000398859013866415, -0.00404969409489031, -0.149232667041021, -0.0841480581121794, 0, 0.185373426656686, 1.8454385363496, 2.99595030590511, 4.19994394785413},
			[]float64{-0.00146388726756037, -0.0119456472041839, -0.103971333789423, 0.342531751765806, 0.5, 0.73232776682711, 1.09595348825588, 1.01194564720418, 1.00023421513556}},
		{&Unary{Function: "Neg"}, []float64{3.7, 3, 1.1, 0.2, 0, -0.3, -1.9, -3, -4.2},
			[]float64{-1, -1, -1, -1, -1, -1, -1, -1, -1}},
		{&Unary{Function: "Round"}, []float64{-4, -3, -1, 0, 0, 0, 2, 3, 4},
			[]float64{0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{&Unary{Function: "Sigmoid"}, []float64{0.0241270214176692, 0.0474258731775668, 0.249739894404882, 0.450166002687522, 0.5, 0.574442516811659, 0.869891525637002, 0.952574126822433, 0.985225968306727},
			[]float64{0.0235449082551805, 0.0451766597309121, 0.187369879547521, 0.24751657271186, 0.25, 0.244458311690746, 0.113180259261931, 0.045176659730912, 0.0145557596807992}},
		{&Unary{Function: "Sign"}, []float64{-1, -1, -1, -1, 0, 1, 1, 1, 1},
			[]float64{0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{&Unary{Function: "Sin"}, []float64{0.529836140908493, -0.141120008059867, -0.891207360061435, -0.198669330795061, 0, 0.29552020666134, 0.946300087687414, 0.141120008059867, -0.871575772413588},
			[]float64{-0.848100031710408, -0.989992496600445, 0.453596121425577, 0.980066577841242, 1, 0.955336489125606, -0.323289566863503, -0.989992496600445, -0.490260821340699}},
		{&Unary{Function: "Tanh"}, []float64{-0.998778241281131, -0.99505475368673, -0.80049902176063, -0.197375320224904, 0, 0.291312612451591, 0.956237458127739, 0.99505475368673, 0.999550366459533},
			[]float64{0.00244202474337039, 0.00986603716544017, 0.359201316160275, 0.961042982966117, 1, 0.915136961826629, 0.0856099236734005, 0.00986603716544017, 0.000899064910612418}},
	} {
		tolerance := 1e-14
		if f := c.op.Function; f == "Celu" || f == "HardSigmoid" { // 1/alpha is of float32 there
			tolerance = 1e-7
		}
		f, k := isPyTorchs(t, c.op.Function, c.op, []int{9}, x, c.values, 5e-15)
		slope := make([]float64, 9)
		k.vjp(f, [][]float64{slope}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}, 1)
		closeTo(t, c.op.Function+"'s slope", slope, c.slope, tolerance)
	}
}

// isPyTorchs compares an operator's output with PyTorch's.
func isPyTorchs(t *testing.T, call string, op Op, in []int, x, want []float64, tolerance float64) (*frame[float64], kernel[float64]) {
	t.Helper()
	k := op.kernel64(in)
	f := &frame[float64]{batch: 1, x: [][]float64{x}, y: make([]float64, len(want))}
	k.forward(f)
	for i, w := range want {
		if !(math.Abs(f.y[i]-w) <= tolerance*(1+math.Abs(w))) {
			t.Errorf("%s: %v, want %v", call, f.y, want)
			break
		}
	}
	return f, k
}

// TestNormPyTorch compares with torch.nn.functional (1.13.1) in float64.
func TestNormPyTorch(t *testing.T) {
	x := make([]float64, 12)
	for i := range x {
		x[i] = math.Sin(float64(i*i)) * float64(1+i%3)
	}
	scale := &Param{Name: "scale", Shape: []int{6}, Data: []float32{1, 2, -1, .5, 3, -.25}}
	shift := &Param{Name: "shift", Shape: []int{6}, Data: []float32{0, 1, -1, 2, .5, .125}}
	for _, c := range []struct {
		op   Op
		in   []int
		want []float64
	}{
		{&LayerNorm{Scale: scale, Shift: shift}, []int{2, 6}, []float64{0.1614818485715696, 4.1631915701240825, 0.7543520723144468, 2.254619529414033, -0.4732001238548541, 0.16839114471556957, -0.6181276567999289, -1.184217902679774, -2.323838766258056, 1.7845937794599516, -1.3869179898677169, -0.2365457365627739}},
		{&LayerNorm{Axes: 2, Epsilon: .5}, []int{3, 2, 2}, []float64{0.027520260529462708, 1.08405372284509, -1.3978179420218704, 0.2862439586473177, 0.42776510024143793, 0.6227109921919034, -0.025893350389074924, -1.0245827420442666, 0.8715932146261236, -0.8347293013412938, -1.027431558924161, 0.990567645639331}},
	} {
		isPyTorchs(t, c.op.Kind(), c.op, c.in, x, c.want, 5e-13)
	}
}

// TestResizePyTorch compares with PyTorch 1.13's interpolate of a picture, in
// float64 but for antialias.
func TestResizePyTorch(t *testing.T) {
	x := []float64{1, 2, 4, 8, 3, 9, 27, 5, 7, 6, 1, 2}
	for _, c := range []struct {
		call string // F.interpolate(x, …)
		op   resizing
		want []float64
	}{
		{"size=(5, 3), mode='bilinear', align_corners=False", resizing{[]int{5, 3}, nil, Resize{Mode: "linear", Coordinates: "half_pixel"}},
			[]float64{1.16666667, 3, 7.33333333, 2.3, 9, 7.86666667, 4, 18, 8.66666667, 5.7, 9.3, 4.56666667, 6.83333333, 3.5, 1.83333333}},
		{"size=(5, 3), mode='bilinear', align_corners=False", resizing{[]int{5, 3}, nil, Resize{Mode: "linear", Coordinates: "pytorch_half_pixel"}},
			[]float64{1.16666667, 3, 7.33333333, 2.3, 9, 7.86666667, 4, 18, 8.66666667, 5.7, 9.3, 4.56666667, 6.83333333, 3.5, 1.83333333}},
		{"size=(2, 7), mode='bilinear', align_corners=True", resizing{[]int{2, 7}, nil, Resize{Mode: "linear", Coordinates: "align_corners"}},
			[]float64{1, 1.5, 2, 3, 4, 6, 8, 7, 6.5, 6, 3.5, 1, 1.5, 2}},
		{"scale_factor=(1.7, .6), mode='bilinear', align_corners=False, recompute_scale_factor=False", resizing{[]int{5, 2}, []float64{1.7, .6}, Resize{Mode: "linear", Coordinates: "half_pixel"}},
			[]float64{1.33333333, 4, 2.73529412, 12.7941176, 4.89215686, 26.3235294, 5.93137255, 12.4705882, 6.66666667, 1}},
		{"size=(2, 7), mode='bilinear', align_corners=False, antialias=True", resizing{[]int{2, 7}, nil, Resize{Mode: "linear", Coordinates: "half_pixel", Antialias: true, ExcludeOutside: true}},
			[]float64{1.75000012, 2.77678609, 4.41964293, 8.62500095, 12.2142849, 8.92857075, 6.875, 5.5, 6.08035755, 7.0089283, 8.9375, 10.2053566, 5.84821367, 3.125}},
		{"size=(5, 3), mode='bicubic', align_corners=False", resizing{[]int{5, 3}, nil, Resize{Mode: "cubic", Coordinates: "half_pixel", CubicA: CubicPyTorch}},
			[]float64{0.874574074, 0.99975, 7.36375926, 1.81102778, 10.912875, 8.33465741, 3.54861111, 20.625, 8.46990741, 5.80181944, 11.319, 4.44203241, 7.26917593, 1.6505, 1.1264537}},
		{"size=(2, 7), mode='bicubic', align_corners=True", resizing{[]int{2, 7}, nil, Resize{Mode: "cubic", Coordinates: "align_corners", CubicA: CubicPyTorch}},
			[]float64{1, 1.3125, 2, 2.71875, 4, 6.1875, 8, 7, 6.96875, 6, 3.3125, 1, 1.03125, 2}},
		{"scale_factor=(1.7, .6), mode='bicubic', align_corners=False, recompute_scale_factor=False", resizing{[]int{5, 2}, []float64{1.7, .6}, Resize{Mode: "cubic", Coordinates: "half_pixel", CubicA: CubicPyTorch}},
			[]float64{0.942232225, 1.76036154, 1.98490753, 14.2353832, 3.76406864, 27.018306, 5.84809022, 14.1582981, 7.20962644, -1.08623804}},
		// PyTorch's antialiased cubic has another coefficient.
		{"size=(5, 3), mode='bicubic', align_corners=False, antialias=True", resizing{[]int{5, 3}, nil, Resize{Mode: "cubic", Coordinates: "half_pixel", CubicA: -.5, Antialias: true, ExcludeOutside: true}},
			[]float64{0.95760113, 1.67996395, 6.79823875, 1.78602409, 9.23487568, 9.09619522, 3.45308924, 18.9856319, 11.4668179, 5.88508844, 9.60631847, 5.16865206, 7.30952883, 2.2555573, 0.712103426}},
		{"size=(5, 3), mode='nearest'", resizing{[]int{5, 3}, nil, Resize{Mode: "nearest", Coordinates: "asymmetric", Nearest: "floor"}},
			[]float64{1, 2, 4, 1, 2, 4, 3, 9, 27, 3, 9, 27, 7, 6, 1}},
		{"size=(5, 3), mode='nearest-exact'", resizing{[]int{5, 3}, nil, Resize{Mode: "nearest", Coordinates: "half_pixel", Nearest: "round_prefer_ceil"}},
			[]float64{1, 4, 8, 1, 4, 8, 3, 27, 5, 7, 1, 2, 7, 1, 2}},
	} {
		got := make([]float64, len(c.want))
		mustNet(t, c.op.graph(t, 3, 4)).Forward64(got, x)
		closeTo(t, c.call, got, c.want, 1e-6)
	}
}
