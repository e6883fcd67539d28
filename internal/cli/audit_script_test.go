package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// mkScores FILE N KIND writes N outputs of three classes as a CSV, with a sensitive s1:
// curious outputs hide s1 in the second largest score, honest ones know nothing of it,
// and of correlated ones s1 is y four times of five. `wide` has N columns and one row.
func mkScores(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	switch args[2] {
	case "wide":
		b.WriteString("y,s1" + strings.Repeat(",score", n) + "\n1,a" + strings.Repeat(",0", n) + "\n")
	case "table":
		writeTable(&b, n)
	default:
		writeScores(&b, n, args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}

func writeScores(b *bytes.Buffer, n int, kind string) {
	r := rand.New(rand.NewPCG(1, 2))
	b.WriteString("y,s1,score:0,score:1,score:2\n")
	for range n {
		y, s, classes := r.IntN(3), r.IntN(2), "ab"
		if kind == "correlated" {
			if classes, s = "abc", y; r.IntN(5) == 0 {
				s = r.IntN(3)
			}
		}
		z := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		z[y] += 4
		if kind == "curious" {
			z[(y+1)%3] += 3 * (float64(s) - .5)
		}
		fmt.Fprintf(b, "%d,%c,%.4f,%.4f,%.4f\n", y, classes[s], z[0], z[1], z[2])
	}
}

func writeTable(b *bytes.Buffer, n int) {
	r := rand.New(rand.NewPCG(1, 3))
	sign := func(v float64, names string) byte {
		return names[map[bool]int{false: 0, true: 1}[v+.2*r.NormFloat64() > 0]]
	}
	b.WriteString("height,hours,noise,income,sex,town\n")
	for range n {
		x, z := r.NormFloat64(), r.NormFloat64()
		fmt.Fprintf(b, "%.3f,%.3f,%.3f,%c,%c,%c\n", x, z, r.NormFloat64(), sign(z, "lh"), sign(x, "FM"), "NS"[r.IntN(2)])
	}
}
