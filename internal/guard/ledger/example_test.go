package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"tattle/internal/guard/ledger"
)

// The same input of a subject keeps its release; each request needs budget.
func Example() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	l, err := ledger.Open(dir, ledger.Options{Budget: ledger.Budget{Releases: 2}})
	if err != nil {
		panic(err)
	}
	defer l.Close()
	subject := l.Subject("alice")
	for _, c := range []struct {
		x       float32
		release int64
	}{{1, 7}, {1, 8}, {2, 9}} {
		input := l.Input(subject, "model", []float32{c.x})
		kept, debited, err := l.Debit(context.Background(), subject, []ledger.Input{input}, [][]int64{{c.release}})
		var exhausted *ledger.ExhaustedError
		if errors.As(err, &exhausted) {
			fmt.Println("no budget:", exhausted.Used, "used")
			continue
		}
		fmt.Println(kept, debited, err)
	}
	// Output:
	// [[7]] 1 <nil>
	// [[7]] 1 <nil>
	// no budget: 2 used
}
