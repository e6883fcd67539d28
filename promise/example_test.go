package promise_test

import (
	"fmt"

	"tattle/promise"
)

// A promise as a command line has it.
func Example() {
	share, candidates, err := promise.ParseIdentify("1%@60000")
	fmt.Println(share, candidates, err)
	p, err := promise.ParseProtect("gender: auc 0.6")
	fmt.Println(p.Attribute, p.AUC, err)
	// Output:
	// 0.01 60000 <nil>
	// gender 0.6 <nil>
}
