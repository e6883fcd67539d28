package dataset

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"tattle/internal/must"
)

const (
	fiveRows = `5
Bald Black_Hair Blond_Hair Brown_Hair Mouth_Slightly_Open
000001.jpg -1 -1 -1  1  1
000002.jpg -1  1  1 -1  1
000003.jpg -1  1 -1 -1 -1
000004.jpg  1 -1 -1 -1 -1
000005.jpg  1 -1  1 -1 -1
`
	fiveParts = "000001.jpg 0\n000002.jpg 0\n000003.jpg 1\n000004.jpg 2\n000005.jpg 2\n"
)

var fivePictures = []string{
	"img_align_celeba/000001.jpg", "img_align_celeba/000002.jpg", "img_align_celeba/000003.jpg",
	"img_align_celeba/000004.jpg", "img_align_celeba/000005.jpg",
}

func TestReadCelebA(t *testing.T) {
	comma := func(text, header string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for i, line := range lines {
			lines[i] = strings.Join(strings.Fields(line), ",")
		}
		return header + strings.Join(lines, "\n")
	}
	home := tree(texts(map[string]string{"Anno/list_attr_celeba.txt": fiveRows, "Eval/list_eval_partition.txt": fiveParts}, append(fivePictures, "logo.png", "other/000001.jpg")...))
	_, rows, _ := strings.Cut(fiveRows, "\n")
	asCSV := tree(texts(map[string]string{"list_attr_celeba.csv": comma(rows, "image_id,"), "list_eval_partition.csv": comma(fiveParts, "image_id,partition\n")}, fivePictures...))
	for name, fsys := range map[string]fstest.MapFS{"as CelebA's home has it": home, "as CSV files": asCSV} {
		l, err := presetsOf()[KindCelebA].readLists(fsys, "celeba", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, want := strings.Join(l.files, " "), strings.Join([]string{fivePictures[0], fivePictures[2], fivePictures[4]}, " "); got != want {
			t.Errorf("%s: files %s, want %s", name, got, want)
		}
		if got := l.text(t, "HairColor") + " " + l.text(t, "Bald") + " " + l.text(t, "MouthOpen"); got != "brown|black|blond 0|0|1 1|0|0" {
			t.Errorf("%s: labels %s", name, got)
		}
		if !slices.Equal(l.split, []Split{Train, Validation, Test}) || len(l.notes) != 1 || !strings.Contains(l.notes[0], "2 pictures of 5 left out") {
			t.Errorf("%s: parts %v, notes %v", name, l.split, l.notes)
		}
	}
}

func TestReadCelebAErrors(t *testing.T) {
	for _, c := range map[string]struct{ list, parts, want string }{
		"cut off":       {fiveRows[:len(fiveRows)-8], fiveParts, "line 7 has 3 fields and the first row 6"},
		"no number":     {strings.Replace(fiveRows, "5\n", "x\n", 1), fiveParts, "line 1: want the number"},
		"another value": {strings.Replace(fiveRows, "000003.jpg -1", "000003.jpg  2", 1), fiveParts, `line 5: Bald is "2"`},
		"no picture":    {strings.Replace(fiveRows, "000003", "000009", 1), fiveParts, `1 of 5 rows have no picture: line 5, column "image_id": no picture "000009.jpg"`},
		"twice":         {strings.Replace(fiveRows, "000003", "000001", 1), fiveParts, "line 5: img_align_celeba/000001.jpg has a row already, line 3"},
		"no hair":       {strings.Replace(fiveRows, "Brown_Hair", "Brown", 1), fiveParts, "has no column Brown_Hair"},
		"all bald":      {strings.ReplaceAll(fiveRows, " 1", " -1"), fiveParts, "no picture has exactly one"},
		"empty":         {"", fiveParts, "has no rows"},
		"quoted":        {strings.Replace(fiveRows, "000003", "\"000003", 1), fiveParts, "line 5: has a quotation mark"},
		"blank line":    {"\n" + strings.Replace(fiveRows, "000003.jpg -1", "000003.jpg  2", 1), fiveParts, `line 6: Bald is "2"`},
		"part 3":        {fiveRows, strings.Replace(fiveParts, "jpg 2", "jpg 3", 1), `line 4: part "3"`},
		"no part":       {fiveRows, fiveParts[:len(fiveParts)-13], "has no row for 000005.jpg"},
		"part twice":    {fiveRows, fiveParts + "000001.jpg 1\n", "line 6: \"000001.jpg\" is there twice"},
		"two of a line": {fiveRows, fiveParts + "000006.jpg\n", "line 6 has 1 fields and the first row 2"},
	} {
		must.Fail(t, must.Err(presetsOf()[KindCelebA].readLists(tree(texts(map[string]string{"list_attr_celeba.txt": c.list, "list_eval_partition.txt": c.parts}, fivePictures...)), "celeba", Options{})), c.want)
	}
	must.Fail(t, must.Err(presetsOf()[KindCelebA].readLists(tree(texts(nil, fivePictures...)), "celeba", Options{})), "has no list_attr_celeba.txt")                                                        // no list
	must.Fail(t, must.Err(presetsOf()[KindCelebA].readLists(tree(texts(map[string]string{"list_attr_celeba.txt": "", "a/list_attr_celeba.txt": ""}, fivePictures...)), "celeba", Options{})), "holds both") // two lists
	l, err := presetsOf()[KindCelebA].readLists(tree(texts(map[string]string{"list_attr_celeba.txt": fiveRows}, fivePictures...)), "celeba", Options{})
	if err != nil || l.split != nil || !strings.Contains(l.notes[1], "not the official ones") {
		t.Errorf("without a partition: %+v, %v", l, err)
	}
	for _, claimed := range []string{"4", "6"} {
		l, err := presetsOf()[KindCelebA].readLists(tree(texts(map[string]string{"list_attr_celeba.txt": strings.Replace(fiveRows, "5\n", claimed+"\n", 1)}, fivePictures...)), "celeba", Options{})
		if err != nil || len(l.files) != 3 || !strings.Contains(l.notes[0], "has 5 rows, and its first line says "+claimed+": all 5 are used") {
			t.Errorf("%s: %+v, %v", claimed, l, err)
		}
	}
}

// consistent checks what every reader promises of its labels.
func consistent(t *testing.T, l *labels) {
	t.Helper()
	seen := map[string]bool{}
	for _, name := range l.files {
		if seen[name] {
			t.Fatalf("%q twice", name)
		}
		seen[name] = true
	}
	for _, c := range l.columns {
		if len(c.values) != len(l.files) {
			t.Fatalf("column %q has %d values for %d files", c.name, len(c.values), len(l.files))
		}
	}
	if l.split != nil && len(l.split) != len(l.files) {
		t.Fatalf("%d parts for %d files", len(l.split), len(l.files))
	}
}

// FuzzReadLists reads any lists of pictures as those of each set.
func FuzzReadLists(f *testing.F) {
	f.Add(fiveRows, fiveParts)
	f.Add("1\nBlack_Hair Blond_Hair Brown_Hair\n1.jpg 1 -1 0", "000001.jpg 0")
	f.Add("file,age\n1.jpg,30\n2.jpg,40\n", "")
	f.Add("\ufefffile;split\n1.jpg;train\n2.jpg;test\n", "split")
	f.Add("file\tage\n\"1.jpg\"\t\"3\n0\"\n2\t1", "file")
	f.Fuzz(func(t *testing.T, list, second string) {
		celeba := tree(texts(map[string]string{"list_attr_celeba.txt": list, "list_eval_partition.txt": second}, fivePictures...))
		others := tree(texts(map[string]string{"labels.csv": list}, "a/1.jpg", "a/2.jpg", "b/2.jpg"))
		for kind, fsys := range map[string]fstest.MapFS{KindCelebA: celeba, KindImages: others, KindFairFace: others} {
			if l, err := presetsOf()[kind].readLists(fsys, "faces", Options{FileColumn: second}); err == nil {
				consistent(t, l)
			}
		}
	})
}
