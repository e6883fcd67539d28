// Command tattle measures what a machine-learned model gives away about its
// inputs.
package main

import (
	"os"

	"tattle/internal/cli"
)

func main() { os.Exit(cli.Main()) }
