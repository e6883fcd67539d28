//go:build !(js && wasm)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "tattle-wasm runs in a browser only: make try builds the page docs/try")
	os.Exit(2)
}
