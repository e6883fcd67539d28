package file_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"tattle/internal/file"
)

// What is written below a confined folder stays in it, whatever links are there.
func ExampleConfine() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	release, err := file.Confine(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer release()
	os.Symlink(os.TempDir(), filepath.Join(dir, "link"))
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }
	fmt.Println(file.Write(filepath.Join(dir, "a.txt"), hello) == nil)
	fmt.Println(file.Write(filepath.Join(dir, "link", "a.txt"), hello) == nil)
	// Output:
	// true
	// false
}
