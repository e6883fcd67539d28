package nn

import (
	"math"
	"testing"

	"tattle/internal/must"
)

// unaryCases are the functions with settings that show them.
func unaryCases() []*Unary {
	var ops []*Unary
	for _, name := range UnaryFunctions() {
		if name == "Clip" {
			ops = append(ops, &Unary{Function: name, Alpha: -.45, Beta: .95}, &Unary{Function: name, Beta: math.Inf(1)})
			continue
		}
		ops = append(ops, &Unary{Function: name})
	}
	return ops
}

// positiveOnly reports the functions that testOperator, which shows inputs of both signs and steps
// over 0, cannot be used on.
func positiveOnly(o *Unary) bool {
	return o.Function == "Sqrt" || o.Function == "Log"
}

// positiveDraw makes positive numbers of normal ones.
func positiveDraw(v float64) float64 { return math.Exp(v / 2) }

// isStep reports the functions that are constant between jumps.
func isStep(o *Unary) bool {
	switch o.Function {
	case "Floor", "Ceil", "Round", "Sign":
		return true
	}
	return isNarrowed(o)
}

// isNarrowed reports the functions whose slope counts as 1 although they round.
func isNarrowed(o *Unary) bool { return o.Function == "Float16" || o.Function == "BFloat16" }

func TestUnary(t *testing.T) {
	for _, op := range unaryCases() {
		t.Run(op.Function, func(t *testing.T) {
			c := opCase{op: op, in: [][]int{{3, 7}}, out: 21}
			switch {
			case positiveOnly(op):
				testOperatorAt(t, op, positiveDraw, []int{3, 7})
			case isNarrowed(op):
				testAdjoint(t, c, op.kernel32(c.in...), 2e-5)
				testAdjoint(t, c, op.kernel64(c.in...), 1e-13)
				testAbsent(t, c)
				testPrecision(t, c)
			case isStep(op):
				testDifference(t, c)
				testAbsent(t, c)
				testPrecision(t, c)
			default:
				testOperator(t, op, []int{3, 7})
				testOperator(t, op, []int{1100})
			}
		})
	}
}

// TestTanhNearZero: there the float32 kernel is off by a rounding of 1, which the bound of a float32 pass has to allow for.
func TestTanhNearZero(t *testing.T) {
	const n = 1000
	net := must.Get(NewNet(&Graph{Input: "x", InputShape: []int{n}, Output: "y", Nodes: []*Node{{Name: "y", Op: &Unary{Function: "Tanh"}, Inputs: []string{"x"}, Output: "y"}}}))(t)
	x, wide, y := make([]float32, n), make([]float64, n), make([]float32, n)
	for i := range x {
		x[i] = float32(i-n/2) * 1e-5
		wide[i] = float64(x[i])
	}
	exact, bound := make([]float64, n), make([]float64, n)
	net.Forward(y, x)
	net.ForwardError32(exact, bound, wide)
	for i, v := range y {
		if off := math.Abs(float64(v) - math.Tanh(wide[i])); off > bound[i] {
			t.Fatalf("tanh %g is %g off, the bound is %g", x[i], off, bound[i])
		}
	}
}
