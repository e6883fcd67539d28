package try_test

import (
	"fmt"
	"log"

	"tattle/internal/try"
)

func ExampleColumns() {
	names, err := try.Columns([]byte("answer,sex,score_no,score_yes\nno,f,.9,.1\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names)
	// Output: [answer sex score_no score_yes]
}
