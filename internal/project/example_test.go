package project_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"tattle/internal/project"
)

// The command line gives --seed, so that of the file is left out.
func Example() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, project.File)
	if err := os.WriteFile(path, []byte("[audit]\ntarget = 'income'\nseed = 7\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	parser := kong.Must(&struct {
		Audit struct {
			Target string
			Seed   int
		} `cmd:""`
	}{})
	flags, err := project.Read(path, parser.Model)
	if err != nil {
		log.Fatal(err)
	}
	line, err := kong.Trace(parser, []string{"audit", "--seed", "8"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(flags.For(line))
	// Output: [--target=income]
}
