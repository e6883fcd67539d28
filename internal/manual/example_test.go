package manual_test

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"tattle/internal/manual"
)

func ExamplePage() {
	app := kong.Must(&struct {
		Audit struct{} `cmd:"" help:"Audit a model."`
	}{}, kong.Name("tattle"), kong.Description("Measures things.")).Model
	for line := range strings.Lines(manual.Page(app, "1.0")) {
		if strings.Contains(line, "tattle") {
			fmt.Print(line)
		}
	}
	// Output:
	// tattle \- Measures things
	// .B tattle
}
