package paper_test

import (
	"fmt"

	"tattle/internal/paper"
)

// One line of paper B's Table 3 with what has to be trained for it.
func Example() {
	x, err := paper.Get("table3")
	if err != nil {
		fmt.Println(err)
		return
	}
	l := x.Tables[0].Lines[0]
	p := l.Figures[0]
	fmt.Println(x.Title)
	fmt.Println(l.Group, p.Quantity, p.Mean, "±", p.Std)
	fmt.Println(l.Training, "of", len(x.Trainings))
	// Output:
	// Table 3: Age and Race of UTKFace
	// Y=2 honesty 0.8303 ± 0.0033
	// age2-standard of 52
}
