package dataset

import (
	"errors"
	"strings"
	"testing"

	"tattle/internal/must"
)

// Lists that do not match the pictures are an error, or, with SkipMissing, a note that counts.
func TestSkipMissing(t *testing.T) {
	lists := map[string]string{"list_attr_celeba.txt": fiveRows, "list_eval_partition.txt": fiveParts}
	some := tree(texts(lists, fivePictures[0], fivePictures[2], fivePictures[3]))
	must.Fail(t, must.Err(presetsOf()[KindCelebA].readLists(some, "celeba", Options{})), "2 of 5 rows have no picture") // no pictures
	l, err := presetsOf()[KindCelebA].readLists(some, "celeba", Options{SkipMissing: true})
	if err != nil || len(l.files) != 2 || l.text(t, "HairColor") != "brown|black" || !strings.Contains(strings.Join(l.notes, "; "), "list_attr_celeba.txt: 2 of 5 rows left out: no picture") {
		t.Errorf("%+v, %v", l, err)
	}
	must.Fail(t, must.Err(presetsOf()[KindCelebA].readLists(tree(texts(lists, "img_align_celeba/x.jpg")), "celeba", Options{SkipMissing: true})), "none of its 5 rows has a picture") // no picture at all

	short := map[string]string{"list_attr_celeba.txt": strings.TrimSuffix(fiveRows, "000005.jpg  1 -1  1 -1 -1\n"), "list_eval_partition.txt": fiveParts}
	_, err = presetsOf()[KindCelebA].readLists(tree(texts(short, fivePictures...)), "celeba", Options{})
	wantMissing(t, "a picture without a row", err, "1 of 5 pictures have no row (img_align_celeba/000005.jpg)")
	l, err = presetsOf()[KindCelebA].readLists(tree(texts(short, fivePictures...)), "celeba", Options{SkipMissing: true})
	if err != nil || l.text(t, "HairColor") != "brown|black" || !strings.Contains(strings.Join(l.notes, "; "), "1 of 5 pictures left out: no row in list_attr_celeba.txt") {
		t.Errorf("%+v, %v", l, err)
	}
	short = map[string]string{"list_attr_celeba.txt": fiveRows, "list_eval_partition.txt": fiveParts[:len(fiveParts)-13]}
	_, err = presetsOf()[KindCelebA].readLists(tree(texts(short, fivePictures...)), "celeba", Options{})
	wantMissing(t, "a picture without a part", err, "has no row for 000005.jpg")
	l, err = presetsOf()[KindCelebA].readLists(tree(texts(short, fivePictures...)), "celeba", Options{SkipMissing: true})
	if err != nil || len(l.files) != 2 || len(l.split) != 2 || l.text(t, "HairColor") != "brown|black" || !strings.Contains(strings.Join(l.notes, "; "), "list list_eval_partition.txt: 1 of 3 pictures left out: no row") {
		t.Errorf("%+v, %v", l, err)
	}

	csv := map[string]string{"labels.csv": "file,age\n1.jpg,30\n2.jpg,40\n3.jpg,50\n"}
	folder := tree(texts(csv, "1.jpg", "3.jpg", "4.jpg"))
	must.Fail(t, must.Err(presetsOf()[KindImages].readLists(folder, "faces", Options{})), "1 of 3 rows have no picture") // a row without a picture
	l, err = presetsOf()[KindImages].readLists(folder, "faces", Options{SkipMissing: true})
	if err != nil || l.text(t, "age") != "30|50" || strings.Join(l.notes, "; ") != "list labels.csv: 1 of 3 rows left out: no picture; 1 of 3 pictures left out: no row in labels.csv" {
		t.Errorf("%+v, %v", l, err)
	}
	two := tree(texts(map[string]string{"labels.csv": "file,age\n1.jpg,30\n"}, "a/1.jpg", "b/1.jpg"))
	must.Fail(t, must.Err(presetsOf()[KindImages].readLists(two, "faces", Options{SkipMissing: true})), `several pictures are called "1.jpg"`) // two pictures of a name
}

// wantMissing checks an error that --skip-missing avoids.
func wantMissing(t *testing.T, what string, err error, want string) {
	t.Helper()
	must.Fail(t, err, want)
	if _, ok := errors.AsType[*MissingError](err); !ok {
		t.Errorf("%s: %v is not a MissingError", what, err)
	}
}
