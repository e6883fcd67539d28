package main

import (
	"fmt"
	"os"
	"strings"
)

// The output of tests that pass is left out.
func Example() {
	failed, err := summarise(os.Stdout, strings.NewReader(`{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
`))
	fmt.Println(failed, err)
	// Output:
	// skipped: no tests
	// false <nil>
}
