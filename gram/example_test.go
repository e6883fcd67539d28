package gram_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"tattle/gram"
)

// X has the rows (1, 0, 1) and (0, 2, 0): X Xᵀ + I is diagonal, with 3 and 5.
func Example() {
	dir, err := os.MkdirTemp("", "gram")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	x := []float32{1, 0, 1, 0, 2, 0}
	m := gram.New(gram.Options{Dir: dir, Rows: 2, Cols: 3, Block: 1, Shift: 1})
	fill := func(first int, dst []float32) error {
		copy(dst, x[3*first:])
		return nil
	}
	ctx := context.Background()
	if err := m.Build(ctx, fill); err != nil {
		log.Fatal(err)
	}
	y := []float64{6, 20}
	if err := m.Solve(ctx, y, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", y)
	// Output: [2.000 4.000]
}
