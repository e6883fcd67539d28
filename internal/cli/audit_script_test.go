package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"tattle/internal/npy"

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
	case "people":
		writePeople(&b, n)
	case "visits":
		writeVisits(&b, n)
	default:
		writeScores(&b, n, args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}

// mkEmbeddings FILE PEOPLE writes one to three vectors of each person. Three of the numbers depend on the gender.
func mkEmbeddings(ts *testscript.TestScript, _ bool, args []string) {
	people, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	ts.Check(writeEmbeddings(&b, people))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}

func writeEmbeddings(b *bytes.Buffer, people int) error {
	const width = 12
	r := rand.New(rand.NewPCG(1, 9))
	var x []float32
	var gender []string
	var person []int64
	for p := range people {
		center, sex := make([]float64, width), r.IntN(2)
		for k := range center {
			if center[k] = r.NormFloat64(); k < 3 {
				center[k] += float64(sex)
			}
		}
		for range 1 + p%3 {
			for _, c := range center {
				x = append(x, float32(c+.2*r.NormFloat64()))
			}
			gender, person = append(gender, "fm"[sex:sex+1]), append(person, int64(p))
		}
	}
	w := npy.NewWriter(b)
	return errors.Join(
		w.Add("vectors", []int{len(person), width}, x),
		w.Add("gender", []int{len(person)}, gender),
		w.Add("person", []int{len(person)}, person),
		w.Close(),
	)
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

// writePeople writes columns that are not called as tattle's own: the outputs q0, q1 and q2 of
// the three outcomes know nothing else, and the embedding e_0 … e_7 holds sex, and age less
// clearly.
func writePeople(b *bytes.Buffer, n int) {
	r := rand.New(rand.NewPCG(1, 4))
	b.WriteString("outcome,sex,race,age,q0,q1,q2,e_0,e_1,e_2,e_3,e_4,e_5,e_6,e_7\n")
	for range n {
		y, sex, race, age := r.IntN(3), r.IntN(2), r.IntN(2), 20+r.IntN(50)
		fmt.Fprintf(b, "%c,%c,%c,%d", "abc"[y], "fm"[sex], "BW"[race], age)
		for k := range 3 {
			z := r.NormFloat64()
			if k == y {
				z += 3
			}
			fmt.Fprintf(b, ",%.4f", z)
		}
		for k := range 8 {
			z := r.NormFloat64()
			switch {
			case k < 4:
				z += float64(sex) - .5
			case k < 6:
				z += float64(age-45) / 15
			}
			fmt.Fprintf(b, ",%.4f", z)
		}
		b.WriteString("\n")
	}
}

// writeVisits writes n people with four outputs each, which differ little and know nothing of s1; s2 moves them.
func writeVisits(b *bytes.Buffer, n int) {
	r := rand.New(rand.NewPCG(1, 5))
	b.WriteString("patient,y,s1,s2,score:0,score:1,score:2\n")
	for i := range n {
		y, s, moved, z := r.IntN(3), r.IntN(2), r.IntN(2), [3]float64{}
		for k := range z {
			z[k] = r.NormFloat64()
		}
		z[y] += 4
		z[(y+1)%3] += 3 * float64(moved)
		for range 4 {
			fmt.Fprintf(b, "p%d,%d,%c,%c", i, y, "ab"[s], "cd"[moved])
			for _, v := range z {
				fmt.Fprintf(b, ",%.4f", v+.1*r.NormFloat64())
			}
			b.WriteString("\n")
		}
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
