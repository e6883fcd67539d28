package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
)

// BenchmarkRun audits 100,000 raw outputs of 10 classes for three attributes of 2, 5
// and 10 classes, of which they tell some, by all attacks. MiB-system is the memory
// that was taken of the system.
func BenchmarkRun(b *testing.B) {
	s := drawnTelling(100_000, 10, 2, 5, 10)
	for b.Loop() {
		must.Get((&Record{Sample: s}).Audit(context.Background(), Options{}))(b)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MiB-system")
}

// drawnTelling draws Gaussian scores that tell y well and, of each attribute, a little.
func drawnTelling(n, width int, classes ...int) *Sample {
	r := rand.New(rand.NewPCG(1, 1))
	s := &Sample{Name: "drawn", Kind: curious.Raw, Target: "y", Outputs: make([]float32, n*width), Y: make([]int, n)}
	for j := range width {
		s.Classes = append(s.Classes, fmt.Sprint(j))
	}
	for k, size := range classes {
		a := Attribute{Name: fmt.Sprintf("s%d", k+1), Labels: make([]int, n)}
		for v := range size {
			a.Values = append(a.Values, fmt.Sprint(v))
		}
		s.Sensitive = append(s.Sensitive, a)
	}
	for i := range n {
		row := s.Outputs[i*width:][:width]
		for j := range row {
			row[j] = float32(r.NormFloat64())
		}
		s.Y[i] = r.IntN(width)
		row[s.Y[i]] += 4
		for k, a := range s.Sensitive {
			a.Labels[i] = r.IntN(len(a.Values))
			row[(a.Labels[i]+3*k)%width] += .7
		}
	}
	return s
}
