package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/protect/measure"
)

// A net that standardises its columns itself gets them as they are stored. Sensitive columns of
// text are not inputs.
func TestForeignTable(t *testing.T) {
	dir := t.TempDir()
	d := &nn.Dense{In: 1, Out: 2, Weight: &nn.Param{Name: "w", Shape: []int{2, 1}, Data: []float32{0, 1}}, Bias: &nn.Param{Name: "b", Shape: []int{2}, Data: []float32{0, -1000}}}
	model := filepath.Join(dir, "m.onnx")
	must.Do(t, onnx.Write(model, &nn.Graph{Name: "threshold", Input: "x", InputShape: []int{1}, Output: "y", Nodes: []*nn.Node{{Name: "d", Op: d, Inputs: []string{"x"}, Output: "y"}}}))
	var rows strings.Builder
	rows.WriteString("income,age,class,sex,split\n")
	for i := range 120 {
		fmt.Fprintf(&rows, "%d,%d,%d,%s,%s\n", 600+800*(i%2), 20+i%50, i%2, []string{"f", "m"}[i/2%2], []string{"train", "test", "test"}[i%3])
	}
	data := filepath.Join(dir, "d.csv")
	must.Do(t, os.WriteFile(data, []byte(rows.String()), 0o600))
	q := &Request{Model: model, Data: data, Target: "class", Sensitive: []string{"sex", "age:number"}, ModelOptions: measure.ModelOptions{Preprocess: "mean=0 std=1"}}
	s := must.Get(q.Open(t.Context(), ""))(t)
	set := s.Examples.Set
	if set.Len() != 80 || !slices.Equal(set.Values[:4], []float32{1400, 600, 600, 1400}) || len(set.Sensitive) != 2 || set.Sensitive[0].Name != "sex" || set.Sensitive[1].Numbers == nil {
		t.Errorf("%d examples of %v, sensitive %+v", set.Len(), set.Values, set.Sensitive)
	}
}
