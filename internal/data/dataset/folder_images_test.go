package dataset

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"tattle/internal/must"
)

// texts is a file system with files of text beside empty pictures.
func texts(files map[string]string, pictures ...string) map[string][]byte {
	all := map[string][]byte{}
	for name, text := range files {
		all[name] = []byte(text)
	}
	for _, name := range pictures {
		all[name] = nil
	}
	return all
}

func (l *labels) text(t testing.TB, name string) string {
	t.Helper()
	k := must.Get(l.find(name))(t)
	return strings.Join(l.columns[k].values, "|")
}

func TestOpenFSErrors(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	writeZip(t, at("up.zip"), zipped{"a.jpg", nil}, zipped{"../../b.jpg", nil})
	writeZip(t, at("root.zip"), zipped{"/etc/b.jpg", nil})
	writeZip(t, at("back.zip"), zipped{`..\b.jpg`, nil})
	writeZip(t, at("twice.zip"), zipped{"a.jpg", nil}, zipped{"a.jpg", nil})
	writeZip(t, at("good.zip"), zipped{"x/a.jpg", nil}, zipped{"x/", nil}, zipped{"./b.png", nil}, zipped{"__MACOSX/._a.jpg", nil}, zipped{".hidden.jpg", nil})
	whole := must.Get(os.ReadFile(at("good.zip")))(t)
	must.Do(t, os.WriteFile(at("cut.zip"), whole[:len(whole)/2], 0o666))
	for name, want := range map[string]string{
		"up.zip": "no name below a folder", "root.zip": "no name below a folder", "back.zip": "no name below a folder",
		"twice.zip": `holds "a.jpg" twice`, "cut.zip": "not a whole zip", "gone": "no such file or folder",
	} {
		must.Fail(t, must.Err2(openFS(at(name))), at(name), want)
	}
	fsys, closer := must.Get2(openFS(at("good.zip")))(t)
	defer closer.Close()
	pictures, _, err := listPictures(fsys, "good.zip")
	if err != nil || !slices.Equal(pictures, []string{"b.png", "x/a.jpg"}) {
		t.Errorf("pictures %v, %v", pictures, err)
	}
}

// Links to folders are followed once, however they are tied.
func TestListFollowsLinks(t *testing.T) {
	dir := folder(t, map[string][]byte{"a.jpg": nil})
	far := folder(t, map[string][]byte{"b.jpg": nil})
	for name, to := range map[string]string{"far": far, "self": dir, "broken.jpg": filepath.Join(dir, "gone")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	files, err := listFiles(os.DirFS(dir))
	if err != nil || !slices.Contains(files, "far/b.jpg") || !slices.Contains(files, "self/a.jpg") || len(files) > 8 {
		t.Errorf("%v, %v", files, err)
	}
}

func TestDetect(t *testing.T) {
	const fair = "file,age,gender,race\ntrain/1.jpg,3-9,Male,Black\nval/1.jpg,3-9,Male,Black\n"
	files := folder(t, texts(map[string]string{"x.csv": "a,b\n1,2", "adult.test": "1,2", "a.npy": "\x93NUMPY", "odd.bin": "??", "empty": ""}))
	for _, c := range []struct{ want, path string }{
		{KindUTKFace, folder(t, texts(nil, "1_0_2_20161219.jpg", "40_1_4_2.jpg.chip.jpg", "39_1_20170116174525125.jpg.chip.jpg"))},
		{KindCelebA, folder(t, texts(map[string]string{"list_attr_celeba.txt": ""}))},
		{KindFairFace, folder(t, texts(map[string]string{"labels.csv": fair}, "1.jpg"))},
		{KindImages, folder(t, texts(map[string]string{"labels.csv": "file,age\n1.jpg,3"}, "1.jpg"))},
		{KindImages, folder(t, texts(map[string]string{"labels.csv": strings.ReplaceAll(fair, "race", "x")}, "1.jpg"))},
		{KindAdult, folder(t, texts(map[string]string{"adult.data": "1, 2"}))},
		{KindTable, folder(t, texts(map[string]string{"train.csv": "a,b\n1,2"}))},
		{KindMNIST, folder(t, map[string][]byte{"train-images-idx3-ubyte": pictures(3)})},
		{KindMNIST, folder(t, texts(map[string]string{"qmnist-test-labels-idx2-int": ""}))},
		{KindFolders, folder(t, texts(nil, "1.jpg", "2.jpg"))},
		{KindFolders, folder(t, texts(map[string]string{"1.webp": ""}))},
		{KindTable, filepath.Join(files, "x.csv")},
		{KindAdult, filepath.Join(files, "adult.test")},
		{KindArrays, filepath.Join(files, "a.npy")},
		{KindGlyphs, KindGlyphs},
	} {
		if got, err := detect(c.path, ""); err != nil || got != c.want {
			t.Errorf("%s is taken for %q (%v)", c.want, got, err)
		}
	}
	if got, err := detect(folder(t, texts(nil, "1_0_2_1.jpg")), "labels.csv"); err != nil || got != KindImages {
		t.Errorf("pictures with a list of labels are taken for %q (%v)", got, err)
	}
	for name, want := range map[string]string{"odd.bin": "neither a zip", "empty": "is empty", "gone": "no such file"} {
		must.Fail(t, must.Err(detect(filepath.Join(files, name), "")), want)
	}
	must.Fail(t, must.Err(detect(t.TempDir(), "")), "neither pictures")                                                // empty folder
	must.Fail(t, must.Err(kindOf(folder(t, texts(nil, "1.jpg")), "", "", partKinds)), "holds pictures without labels") // pictures alone
	must.Fail(t, must.Err(kindOf(filepath.Join(files, "a.npy"), "", "", partKinds)), "NumPy arrays have no parts")     // arrays in parts
}

// UTKFace's parts have the sizes of B's; the permutation is tested by itself.
func TestReadUTKFace(t *testing.T) {
	var names []string
	for i := range 23705 {
		names = append(names, fmt.Sprintf("%d_%d_%d_2017%011d.jpg.chip.jpg", i%117, i%2, i%5, i))
	}
	names = append(names, "39_1_20170116174525125.jpg.chip.jpg", "61_1_20170109150557335.jpg.chip.jpg", "61_1_20170109142408075.jpg.chip.jpg")
	l := must.Get(readUTKFace(unread(names...), "UTKFace"))(t)
	n := map[Split]int{}
	for _, s := range l.split {
		n[s]++
	}
	if n[Train] != 18964-1896 || n[Validation] != 1896 || n[Test] != 23705-18964 || len(l.files) != 23705 {
		t.Errorf("parts %v of %d files", n, len(l.files))
	}
	if !slices.IsSorted(l.files) || !strings.Contains(l.notes[0], "3 pictures left out") || !strings.Contains(l.notes[0], "39_1_20170116174525125") || !strings.HasPrefix(l.notes[1], "the split is that of the paper's") {
		t.Errorf("not sorted, or notes %v", l.notes)
	}
	for rank, want := range map[int]Split{0: Validation, 1895: Validation, 1896: Train, 18963: Train, 18964: Test, 23704: Test} {
		if i := numpyPermutation(0, 23705)[rank]; l.split[i] != want {
			t.Errorf("rank %d, example %d: %s, want %s", rank, i, l.split[i], want)
		}
	}
}

func TestReadUTKFaceRows(t *testing.T) {
	l, err := readUTKFace(unread("b/1_0_2_1.jpg", "a/100_1_0_2.JPG", "a/26_1_4_3jpg.chip.jpg", "notes.txt", "53__0_1.jpg", "1_2_0_1.jpg", "1_0_5_1.jpg", "131_0_0_1.jpg", "-1_0_0_1.jpg"), "faces")
	must.Do(t, err)
	if note := l.notes[len(l.notes)-1]; !strings.HasSuffix(note, "of 3 pictures and not of 23705") {
		t.Errorf("note %q", note)
	}
	if got, want := strings.Join(l.files, " "), "a/100_1_0_2.JPG b/1_0_2_1.jpg a/26_1_4_3jpg.chip.jpg"; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	if got := l.text(t, "age") + " " + l.text(t, "gender") + " " + l.text(t, "race"); got != "100|1|26 Female|Male|Female White|Asian|Others" {
		t.Errorf("labels %s", got)
	}
	must.Fail(t, must.Err(readUTKFace(unread("a/1_0_2_1.jpg", "b/1_0_2_1.jpg"), "faces")), "a/1_0_2_1.jpg and b/1_0_2_1.jpg") // twice
	must.Fail(t, must.Err(readUTKFace(unread("a.jpg"), "faces")), "no picture is named as UTKFace's")                         // other names
	must.Fail(t, must.Err(readUTKFace(unread("a.txt"), "faces")), "faces: holds no pictures")                                 // no pictures
	must.Fail(t, must.Err(readUTKFace(unread("img_align_celeba.zip"), "celeba.zip")), "img_align_celeba.zip: unpack it")      // zip in a zip
}

func TestReadImages(t *testing.T) {
	for name, c := range map[string]struct{ csv, want string }{
		"plain":  {"file,age\nx/1.jpg,30\nx/2.png,40\n", "30|40"},
		"bases":  {"age;path\n40;2.png\n30;1.jpg\n", "40|30"},
		"bare":   {"\ufeffname\tage\r\n1\t30\r\n2\t 40 \r\n", "30|40"},
		"quoted": {"age, \"image\"\n\"30, or so\", \"./x/1.jpg\"\n40,x\\2.png\n", "30, or so|40"},
		"index":  {",file,age\n0,1.jpg,30\n1,2.png,40\n", "30|40"},
	} {
		l, err := presetsOf()[KindImages].readLists(tree(texts(map[string]string{"y/labels.csv": c.csv}, "x/1.jpg", "x/2.png")), "faces", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := l.text(t, "age"); got != c.want || l.split != nil {
			t.Errorf("%s: %q, want %q; parts %v", name, got, c.want, l.split)
		}
		if len(l.notes) > 0 {
			t.Errorf("%s: notes %v", name, l.notes)
		}
	}
}

func TestReadImagesErrors(t *testing.T) {
	for _, c := range map[string]struct{ csv, want string }{
		"missing":     {"file,age\n1.jpg,1\n9.jpg,2\n", `line 3, column "file": no picture "9.jpg"`},
		"twice":       {"file,age\n1.jpg,1\n2.jpg,2\nx/1.jpg,3\n", "line 4: x/1.jpg has a row already, line 2"},
		"no name":     {"file,age\n,1\n", "names no file"},
		"ambiguous":   {"file,age\nz.jpg,1\n", "several pictures are called"},
		"above":       {"file,age\n../1.jpg,1\n", `no picture "../1.jpg"`},
		"ragged":      {"file,age\n1.jpg,1,2\n", "line 2 has 3 fields and the first row 2"},
		"header":      {"file,age\n", "a header and no rows"},
		"empty":       {"", "holds no rows"},
		"no column":   {"file\n1.jpg\n", "no column besides"},
		"same column": {"file,age,age\n1.jpg,1,2\n", `line 1: columns 2 and 3 are both called "age"`},
		"unnamed":     {"file,,age\n1.jpg,1,2\n", "line 1: column 2 has no name"},
		"few rows":    {"file,age\n1.jpg,1\n", "4 of 5 pictures have no row"},
		"one missing": {"file,age\n1.jpg,1\n2.jpg,1\n3.jpg,1\nx/z.jpg,1\n", "1 of 5 pictures have no row (y/z.jpg): add their rows"},
		"quotes":      {"file,age\n\"1.jpg,1\n", "is not CSV"},
	} {
		must.Fail(t, must.Err(presetsOf()[KindImages].readLists(tree(texts(map[string]string{"labels.csv": c.csv}, "x/1.jpg", "x/2.jpg", "x/3.jpg", "x/z.jpg", "y/z.jpg")), "faces", Options{})), "faces/labels.csv: ", c.want)
	}
	two := tree(texts(map[string]string{"a.csv": "file,age\n1.jpg,1\n", "b/b.csv": "id,x\n1.jpg,5\n"}, "1.jpg"))
	must.Fail(t, must.Err(presetsOf()[KindImages].readLists(two, "faces", Options{})), "2 other CSV files: name the CSV")                                         // two lists
	must.Fail(t, must.Err(presetsOf()[KindImages].readLists(two, "faces", Options{Labels: "c.csv"})), "c.csv: no such file or folder: it is not in faces either") // no such list
	must.Fail(t, must.Err(presetsOf()[KindImages].readLists(two, "faces", Options{Labels: "a.csv", FileColumn: "photo"})), `no column "photo"`, "file, age")      // no such column
	if l, err := presetsOf()[KindImages].readLists(two, "faces", Options{Labels: "b/b.csv", FileColumn: "ID"}); err != nil || l.text(t, "x") != "5" {
		t.Errorf("a list inside: %v", err)
	}
	outside := filepath.Join(folder(t, texts(map[string]string{"l.csv": "file,x\n1.jpg,6\n"})), "l.csv")
	if l, err := presetsOf()[KindImages].readLists(two, "faces", Options{Labels: outside}); err != nil || l.text(t, "x") != "6" {
		t.Errorf("a list outside: %v", err)
	}
	must.Fail(t, must.Err(presetsOf()[KindImages].readLists(two, "faces", Options{Labels: filepath.Dir(outside)})), "is a folder") // a folder for a list
}

func TestReadImagesParts(t *testing.T) {
	folders := tree(texts(map[string]string{"labels.csv": "file,x\nd/train/1.jpg,1\nd/val/1.jpg,2\nd/test/1.jpg,3\n"}, "d/train/1.jpg", "d/val/1.jpg", "d/test/1.jpg"))
	columns := tree(texts(map[string]string{"labels.csv": "file,Split\n1.jpg,Train\n2.jpg,valid\n3.jpg,TEST\n"}, "1.jpg", "2.jpg", "3.jpg"))
	for name, fsys := range map[string]fstest.MapFS{"folders": folders, "columns": columns} {
		l, err := presetsOf()[KindImages].readLists(fsys, "faces", Options{})
		if err != nil || !slices.Equal(l.split, []Split{Train, Validation, Test}) {
			t.Errorf("%s: parts %v, %v", name, l, err)
		}
	}
}

func TestReadFairFace(t *testing.T) {
	one := tree(texts(map[string]string{"labels.csv": "file,age,gender,race\ntrain/1.jpg,more than 70,Male,Latino_Hispanic\nval/1.jpg,0-2,Female,White\n"}, "train/1.jpg", "val/1.jpg"))
	two := tree(texts(map[string]string{
		"fairface_label_train.csv": "file,age,gender,race,service_test\ntrain/1.jpg,more than 70,Male,Latino_Hispanic,True\n",
		"fairface_label_val.csv":   "file,age,gender,race,service_test\nval/1.jpg,0-2,Female,White,False\n",
	}, "fairface-img/train/1.jpg", "fairface-img/val/1.jpg"))
	for _, fsys := range []fstest.MapFS{one, two} {
		l := must.Get(presetsOf()[KindFairFace].readLists(fsys, "faces", Options{}))(t)
		if l.text(t, "age") != "more than 70|0-2" || l.text(t, "race") != "Latino_Hispanic|White" || !slices.Equal(l.split, []Split{Train, Test}) {
			t.Errorf("%+v", l)
		}
	}
	must.Fail(t, must.Err(presetsOf()[KindFairFace].readLists(tree(texts(map[string]string{"labels.csv": "file,age\n1.jpg,1\n"}, "1.jpg")), "faces", Options{})), "neither in train nor in val")                                                                  // no parts
	must.Fail(t, must.Err(presetsOf()[KindFairFace].readLists(tree(texts(map[string]string{"fairface_label_train.csv": "file,age\n1.jpg,1\n", "fairface_label_val.csv": "file,race\n1.jpg,1\n"}, "1.jpg")), "faces", Options{})), "its columns are not those of") // other columns
	must.Fail(t, must.Err(presetsOf()[KindFairFace].readLists(tree(texts(nil, "1.jpg")), "faces", Options{})), "no labels.csv")                                                                                                                                   // no labels
}

func crcOf(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// zipped is one file of a zip.
type zipped struct {
	name string
	data []byte
}

func writeZip(t testing.TB, path string, files ...zipped) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		out, err := w.Create(f.name)
		if err == nil {
			_, err = out.Write(f.data)
		}
		must.Do(t, err)
	}
	must.Do(t, w.Close())
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
}
