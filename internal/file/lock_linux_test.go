package file

import (
	"os"
	"path/filepath"
	"testing"

	"tattle/internal/must"
)

// A folder that was removed while it was waited for is not taken for the one that has its
// name now.
func TestThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	os.Mkdir(dir, 0o777)
	f := must.Get(os.Open(dir))(t)
	defer f.Close()
	if !there(dir, f) {
		t.Error("it is there")
	}
	os.Rename(dir, dir+".old")
	if there(dir, f) {
		t.Error("nothing is there")
	}
	os.Mkdir(dir, 0o777)
	if there(dir, f) {
		t.Error("another is there")
	}
}
