package progress_test

import (
	"fmt"
	"io"

	"tattle/internal/progress"
)

// A bar is for terminals; elsewhere there are lines now and then.
func Example() {
	bar := progress.New(io.Discard, "training", 10)
	defer bar.Close()
	for i := range 10 {
		bar.Set(i+1, 10)
	}
	fmt.Println(progress.Terminal(io.Discard) == nil)
	// Output: true
}
