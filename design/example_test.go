package design_test

import (
	"fmt"

	"tattle/design"
)

func ExampleParseResolvable() {
	n, within, err := design.ParseResolvable("10@0.5")
	if err != nil {
		panic(err)
	}
	fmt.Println(design.Target{Directions: n, Within: within, AttackMSE: .6})
	// Output: at most 10 directions within 0.5 and a mean-square error of the linear attack of 0.6
}
