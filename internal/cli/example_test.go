package cli_test

import (
	"context"
	"fmt"
	"os"

	"tattle/internal/cli"
)

// Execute runs one command line and returns its exit status.
func Example() {
	status := cli.Execute(context.Background(), []string{"audit"}, os.Stdout, os.Stdout)
	fmt.Println(status)
	// Output:
	// tattle: error: audit needs one of --model, --endpoint and --outputs; 0 are given
	// tattle: hint: tattle audit --help has an example of each
	// 2
}
