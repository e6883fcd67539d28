package dataset_test

import (
	"context"
	"fmt"
	"log"

	"tattle/internal/data/dataset"
)

// Data are opened by their path; "glyphs" are generated, and need no file.
func ExampleOpenInputs() {
	set, _, err := dataset.OpenInputs(context.Background(), "glyphs", dataset.Options{
		Part: dataset.Test, Limit: dataset.Limit{Most: 3}, Seed: 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	x := make([]float32, 784)
	set.Examples(x, []int{0})
	fmt.Println(set.Len(), set.Shape, set.YName)
	// Output: 3 [1 28 28] digit
}
