package reproduce_test

import (
	"fmt"

	"tattle/reproduce"
)

// One line of paper B's Table 3 with what has to be trained for it.
func Example() {
	x, err := reproduce.Get("table3")
	if err != nil {
		fmt.Println(err)
		return
	}
	c := x.Tables[0].Cells[0]
	fmt.Println(x.Title)
	fmt.Println(c.Row, c.Quantity.Head(), c.Published.Mean, "±", c.Published.Std)
	fmt.Println(c.Training, "of", len(x.Trainings))
	// Output:
	// Table 3: Age and Race of UTKFace
	// [Y=2 Std raw (1,0)] δy 0.8303 ± 0.0033
	// age2-standard of 52
}
