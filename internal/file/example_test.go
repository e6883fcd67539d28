package file_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"tattle/internal/file"
)

// What a Dir writes stays in its folder, whatever links are there.
func ExampleDir() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	d, err := file.OpenDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	os.Symlink(os.TempDir(), filepath.Join(dir, "link"))
	fmt.Println(d.WriteBytes(filepath.Join(dir, "a.txt"), []byte("hello")) == nil)
	fmt.Println(d.WriteBytes(filepath.Join(dir, "link", "a.txt"), []byte("hello")) == nil)
	// Output:
	// true
	// false
}
