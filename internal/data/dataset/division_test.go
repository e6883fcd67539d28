package dataset

import (
	"slices"
	"testing"

	"tattle/internal/must"
)

// TestDivisions divides tables and folders. A table is divided by its first column that names parts. Folders that name the same
// part are not taken for classes.
func TestDivisions(t *testing.T) {
	for _, text := range []string{
		"partition,a,split\ntrain,1,left\nvalidation,2,right\ntest,3,left\n",
		"split,a,partition\nleft,1,train\nright,2,validation\nleft,3,test\n",
		"Partition,split\ntrain,test\nval,train\ntest,val\n",
	} {
		l := must.Get(decodeTable("t.csv", []byte(text), nil))(t)
		if _, err := l.takeSplit(); err != nil || !slices.Equal(l.split, []Split{Train, Validation, Test}) {
			t.Errorf("%s%v, %v", text, l.split, err)
		}
	}
	files := []string{"val/cat/1.png", "valid/dog/2.png"}
	if split := partsAt(files, 0); !slices.Equal(split, []Split{Validation, Validation}) || folderSplit(files) != nil {
		t.Errorf("%v, %v", split, folderSplit(files))
	}
}
