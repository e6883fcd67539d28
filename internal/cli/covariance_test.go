package cli

import (
	"math"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// mkCovariance FILE N [KIND] writes the covariance of noise on N numbers, in float64:
// 1/(1 + |i − j|), with variances from 1 to 2. The KIND single writes it in float32; singular,
// skew, negative and nan write what is no covariance.
func mkCovariance(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	c := make([]float64, n*n)
	std := func(i int) float64 { return math.Sqrt(1 + float64(i)/float64(n)) }
	for i := range n {
		for j := range n {
			c[i*n+j] = std(i) * std(j) / (1 + math.Abs(float64(i-j)))
		}
	}
	var data any = c
	switch append(args, "")[2] {
	case "single":
		single := make([]float32, len(c))
		for i, v := range c {
			single[i] = float32(v)
		}
		data = single
	case "singular":
		for i := range n {
			for j := range n {
				c[i*n+j] = std(i) * std(j)
			}
		}
	case "skew":
		c[1] += .1
	case "negative":
		c[1], c[n] = 3, 3
	case "nan":
		c[n+1] = math.NaN()
	}
	writeNPY(ts, args[0], []int{n, n}, data)
}
