package try

import (
	"testing"

	"tattle/internal/must"
)

// A header that names a column twice is refused before the page lists its columns.
func TestColumnsTwice(t *testing.T) {
	_, err := Columns([]byte("a,a,y,s\n.5,.1,0,1\n"))
	must.Fail(t, err, `line 1: columns 1 and 2 are both called "a": rename one`)
}
