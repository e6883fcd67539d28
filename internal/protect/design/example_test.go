package design_test

import (
	"fmt"

	"tattle/internal/protect/design"
)

// Limits as a command line has them.
func Example() {
	share, candidates, err := design.ParseIdentify("1%@60000")
	fmt.Println(share, candidates, err)
	p, err := design.ParseProtect("gender: auc 0.6")
	fmt.Println(p.Attribute, p.AUC, err)
	// Output:
	// 0.01 60000 <nil>
	// gender 0.6 <nil>
}
