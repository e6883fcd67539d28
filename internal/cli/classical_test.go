package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// mkPeople writes a table of people: MODEL'S columns, their income, and what comes after.
func mkPeople(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	r := rand.New(rand.NewPCG(4, 5))
	var b strings.Builder
	fmt.Fprintln(&b, "sex,income,age,town")
	for range n {
		age, sex, income := 20+r.IntN(45), []string{"f", "m"}[r.IntN(2)], "low"
		if (age > 40) == (r.IntN(8) > 0) {
			income = "high"
		}
		years := strconv.Itoa(age)
		if slices.Contains(args, "missing") && r.IntN(50) == 0 {
			years, sex = "", "x"
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s\n", sex, income, years, []string{"a", "b"}[r.IntN(2)])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}
