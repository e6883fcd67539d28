package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/must"
)

// The numbers of a column are an attribute without classes where that is allowed; rows without a
// number are left out, and subsets and joined sets keep the others in their order.
func TestNumbers(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,age,y\n")
	for i := range 60 {
		age := fmt.Sprint(20 + i/2)
		if i == 7 {
			age = ""
		}
		fmt.Fprintf(&b, "%d,%s,%c\n", i, age, "ab"[i%2])
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	must.Do(t, os.WriteFile(path, []byte(b.String()), 0o600))
	o := Options{Target: "y", Sensitive: []string{"age:number"}, Seed: 1}
	must.Fail(t, must.Err(OpenParts(context.Background(), path, o)), "numbers are neither target nor attribute here")
	o.Numbers = true
	p := must.Get(OpenParts(context.Background(), path, o))(t)
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "1 of 60 examples left out: age has no number") {
		t.Errorf("notes: %s", notes)
	}
	all := Join(p.Train, p.Validation, p.Test)
	a := all.Sensitive[0]
	if all.Len() != 59 || !a.Numeric() || a.Labels != nil || len(a.Numbers) != 59 {
		t.Fatalf("%d examples, %+v", all.Len(), a)
	}
	half := all.Subset([]int{3, 1})
	if h := half.Sensitive[0].Numbers; h[0] != a.Numbers[3] || h[1] != a.Numbers[1] {
		t.Errorf("subset %v of %v", h, a.Numbers[:4])
	}
	before := half.Sum()
	if half.Sensitive[0].Numbers[0]++; half.Sum() == before {
		t.Error("the hash does not depend on the numbers")
	}
	o.Sensitive = []string{"y:number"}
	o.Target = "age: <30, >=30"
	must.Fail(t, must.Err(OpenParts(context.Background(), path, o)), `want finite numbers`)
}
