package verify_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"tattle/internal/cli"
	"tattle/internal/verify"
)

// An audit is done on the command line, and verified.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	scores, run := filepath.Join(dir, "scores.csv"), filepath.Join(dir, "audit")
	rows := strings.Repeat("no,a,.9,.1\nno,b,.8,.2\nyes,a,.2,.8\nyes,b,.1,.9\n", 20)
	if err := os.WriteFile(scores, []byte("y,s1,prob:no,prob:yes\n"+rows), 0o666); err != nil {
		log.Fatal(err)
	}
	cli.Execute(context.Background(), []string{"audit", "--outputs", scores, "--attacks", "logistic", "--no-defences", "--permutations", "99", "--fail-on", "never", "--out", run}, io.Discard, io.Discard)
	result, err := verify.Run(context.Background(), run, verify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	sentence, _, _ := strings.Cut(result.Verified, "\n")
	fmt.Println(sentence)
	fmt.Println(len(result.Found), "differences")
	// Output:
	// every figure of the audit of 80 examples follows from the outputs that it kept
	// 0 differences
}
