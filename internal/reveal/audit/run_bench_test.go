package audit

import (
	"context"
	"runtime"
	"testing"

	"tattle/internal/must"
)

// BenchmarkAudit audits 100,000 raw outputs of 10 classes by all attacks, for three attributes of 2, 5 and 10 classes.
// They tell a little of the first. MiB-system is the memory that was taken of the system.
func BenchmarkAudit(b *testing.B) {
	s := made{n: 100_000, classes: 10, values: []int{2, 5, 10}, shift: .3, seed: 1}.sample()
	for b.Loop() {
		must.Get((&Record{Sample: s}).Audit(context.Background(), Options{}))(b)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MiB-system")
}
