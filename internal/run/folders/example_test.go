package folders_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"tattle/internal/run"
	"tattle/internal/run/folders"
)

// words makes folders that hold one file, with the folder's name.
type words struct{}

func (words) Manifest(_ context.Context, names []string) (run.Manifest, error) {
	return run.Manifest{Command: "words", Shards: len(names), Settings: folders.Settings{Names: names}}, nil
}

func (words) Finished(_, dir string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(dir, "word.txt")); err != nil {
		return nil, nil
	}
	return []string{"word.txt"}, nil
}

func (words) Make(_ context.Context, name, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "word.txt"), []byte(name), 0o666)
}

func (words) Label(name string) string      { return "the word " + name }
func (words) Unpacked(string, string) error { return nil }
func (words) Done(string, time.Duration)    {}

// A stage computes the folders that are missing.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, names := range [][]string{{"one", "two"}, {"one", "two", "three"}} {
		s := folders.Stage{Dir: filepath.Join(dir, "shards"), Root: dir, Names: names, Pool: run.Leader{}, Set: words{}}
		err := s.Run(context.Background(), func(missing []string) error {
			fmt.Println("missing:", missing)
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	three, err := os.ReadFile(filepath.Join(dir, "three", "word.txt"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(three))
	// Output:
	// missing: [one two]
	// missing: [three]
	// three
}
