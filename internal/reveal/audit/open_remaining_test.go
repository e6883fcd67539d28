package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// table writes columns of n rows: y of the given values in turn, s, and the others by cell.
func table(others []string, values []string, n int, cell func(row, column int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "y,s,%s\n", strings.Join(others, ","))
	for i := range n {
		fmt.Fprintf(&b, "%s,%d", values[i%len(values)], i/3%2)
		for j := range others {
			b.WriteString("," + cell(i, j))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Columns without a name that says so are the outputs if they match the classes.
func TestOpenRemaining(t *testing.T) {
	number := func(i, j int) string { return fmt.Sprint(float64((i*7+j*3)%11) / 4) }
	for _, c := range []struct {
		others, values []string
		cell           func(row, column int) string
		classes        []string
		first          float32 // output of the first row
		note           string
	}{
		{[]string{"q0", "q1", "q2"}, []string{"0", "1", "2"}, number, []string{"0", "1", "2"}, 0, "taken for the outputs: q0, q1, q2"},
		{[]string{"age", "q0", "q1"}, []string{"0", "1"}, number, []string{"0", "1"}, .75, "outputs: q0, q1"},
		{[]string{"out.cat", "out.dog", "income"}, []string{"dog", "cat"}, number, []string{"cat", "dog"}, 0, "outputs: out.cat, out.dog"},
		{[]string{"cat", "dog"}, []string{"dog", "cat"}, number, []string{"cat", "dog"}, 0, "outputs: cat, dog"},
	} {
		s, err := openText(t, table(c.others, c.values, 24, c.cell), OpenOptions{Target: "y", Sensitive: []string{"s"}})
		if err != nil {
			t.Errorf("%v: %v", c.others, err)
			continue
		}
		if !slices.Equal(s.Classes, c.classes) || s.Outputs[0] != c.first || !strings.Contains(strings.Join(s.Notes, "\n"), c.note) {
			t.Errorf("%v: classes %v, first output %v, notes %q", c.others, s.Classes, s.Outputs[0], s.Notes)
		}
	}
}

// Where several columns could be the outputs, or one of them has no number, nothing is guessed.
func TestOpenRemainingRefuses(t *testing.T) {
	number := func(i, j int) string { return fmt.Sprint(float64((i*7+j*3)%11) / 4) }
	for _, c := range []struct {
		others, values []string
		cell           func(row, column int) string
		want           string
	}{
		{[]string{"age", "income", "weight"}, []string{"0", "1"}, number, "with --scores, also for classes without examples; there are y, s, age, income, weight"},
		{[]string{"q0", "q1", "f0", "f1"}, []string{"0", "1"}, number, "several kinds, such as q0 and f0: name those of one kind with --scores"},
		{[]string{"e0", "e1", "e2", "e3"}, []string{"0", "1"}, number, "with --scores"},
		{[]string{"name"}, []string{"0", "1"}, func(i, _ int) string { return fmt.Sprint("n", i) }, "with --scores"},
		{[]string{"q0", "q1"}, []string{"0", "1"}, func(i, j int) string {
			if i == 4 && j == 1 {
				return ""
			}
			return number(i, j)
		}, "line 6, column q1: the score is missing"},
	} {
		_, err := openText(t, table(c.others, c.values, 24, c.cell), OpenOptions{Target: "y", Sensitive: []string{"s"}})
		must.Fail(t, err, c.want)
	}
	var many []string // labels of so many values are numbers, and have no classes
	for i := range 300 {
		many = append(many, fmt.Sprint(i))
	}
	_, err := openText(t, table([]string{"q0", "q1"}, many, 600, number), OpenOptions{Target: "y", Sensitive: []string{"s"}})
	must.Fail(t, err, "with --scores")
	must.Fail(t, must.Err(openText(t, table([]string{"q0", "q1"}, []string{"0", "1"}, 24, number), OpenOptions{}))) // columns to be guessed, beside labels without names
}
