package nn

import (
	"math"
	"testing"
)

// unaryCases are the functions with settings that show them.
func unaryCases() []*Unary {
	settings := map[string][2]float64{
		"Elu": {.7}, "Celu": {1.7}, "Selu": {1.6732632, 1.050701}, "ThresholdedRelu": {.3}, "Swish": {1.3},
		"HardSigmoid": {.2, .5}, "Clip": {-.45, .95},
	}
	var ops []*Unary
	for _, name := range UnaryFunctions() {
		s := settings[name]
		ops = append(ops, &Unary{Function: name, Alpha: s[0], Beta: s[1]})
	}
	ops = append(ops, &Unary{Function: "Clip", Alpha: 0, Beta: math.Inf(1)}, &Unary{Function: "Elu", Alpha: -.5})
	return ops
}

// positiveOnly reports the functions that testOperator, which shows inputs of both signs and steps
// over 0, cannot be used on.
func positiveOnly(o *Unary) bool {
	return o.Function == "Sqrt" || o.Function == "Reciprocal" || o.Function == "Log"
}

// positiveDraw makes positive numbers of normal ones.
func positiveDraw(v float64) float64 { return math.Exp(v / 2) }

// isStep reports the functions that are constant between jumps.
func isStep(o *Unary) bool {
	switch o.Function {
	case "Floor", "Ceil", "Round", "Sign", "Not":
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
