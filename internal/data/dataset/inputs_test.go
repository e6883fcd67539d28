package dataset

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// plainPicture is one colour all over.
func plainPicture(width, height int, c color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = []uint8{c.R, c.G, c.B, 255}[i%4]
	}
	return m
}

// treeOf writes files, with their folders, into a new folder called tree.
func treeOf(t testing.TB, files map[string][]byte) string { return newFolder(t, "tree", files) }

// preprocessOf is settings that are right.
func preprocessOf(t testing.TB, spec string) Preprocess {
	t.Helper()
	return must.Get(ParsePreprocess(spec))(t)
}

// opened reads inputs that are right.
func opened(t testing.TB, path string, o Options) (*Set, []string) {
	t.Helper()
	s, notes := must.Get2(OpenInputs(context.Background(), path, o))(t)
	for i := range s.Len() {
		s.Examples(make([]float32, s.size()), []int{i})
	}
	return s, notes
}

// refusesInputs wants one line with the words.
func refusesInputs(t testing.TB, path string, o Options, words string) {
	t.Helper()
	must.Fail(t, must.Err2(OpenInputs(context.Background(), path, o)), words)
}

// notesSay reports whether some note has the words.
func notesSay(notes []string, words string) bool {
	return slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, words) })
}

// values are the inputs of one example.
func values(s *Set, i int) []float32 {
	x := make([]float32, s.size())
	s.Examples(x, []int{i})
	return x
}

// of chooses some examples by a file of their indices.
func of(t testing.TB, indices ...int) Limit {
	t.Helper()
	return Limit{Indices: npyOf(t, []int{len(indices)}, indices)}
}

// A choice of examples is the Subset of all. What is assumed of
// the values of CIFAR-10, for which every net has its own habit, is said.
func TestInputsOfDigits(t *testing.T) {
	digits := folder(t, map[string][]byte{"t10k-images-idx3-ubyte": pictures(5), "t10k-labels-idx1-ubyte": classes(3, 1, 4, 1, 5)})
	cifar := folder(t, map[string][]byte{"test_batch.bin": records(3, 1, 4)})
	for said, dir := range []string{digits, cifar} {
		all, notes := opened(t, dir, Options{})
		scaling := []string{"x/255, less 0.1307, divided by 0.3081", "x/255, less 0.5, divided by 0.5"}[said]
		if len(notes) != said || !all.Labelled() || all.Scaling() != scaling {
			t.Errorf("%s: notes %q, %s", dir, notes, all.Scaling())
		}
		some, _ := opened(t, dir, Options{Limit: of(t, 2, 0)})
		if sub := all.Subset([]int{2, 0}); some.SHA256 != sub.SHA256 {
			t.Errorf("%s: a choice is another set than Subset's", dir)
		}
	}
	other, _ := opened(t, digits, Options{Target: "digit: 3; 1; *", Limit: of(t, 1, 0, 4)})
	if !slices.Equal(other.Y, []int{1, 0, 2}) || !slices.Equal(other.YNames, []string{"3", "1", "others"}) {
		t.Errorf("classes %v of %v", other.Y, other.YNames)
	}
	refusesInputs(t, digits, Options{Target: "writer"}, `no column "writer"`)
	refusesInputs(t, digits, Options{Part: Train}, "holds the test part only")
	refusesInputs(t, digits, Options{Part: Validation}, "has no validation part")
	refusesInputs(t, digits, Options{Part: "tset"}, `part "tset"`)
	refusesInputs(t, digits, Options{Limit: of(t, 5)}, "index 5, but the data set has 5 examples")
	refusesInputs(t, digits, Options{Limit: of(t)}, "no indices")
	refusesInputs(t, filepath.Join(digits, "none"), Options{}, "no such file or folder")
}

// A preprocessing changes what bytes become, their size and their layout.
func TestInputsOfBytes(t *testing.T) {
	digits := folder(t, map[string][]byte{"t10k-images-idx3-ubyte": pictures(5), "t10k-labels-idx1-ubyte": classes(3, 1, 4, 1, 5)})
	s, _ := opened(t, digits, Options{Preprocess: preprocessOf(t, "range=-1,1"), Shape: []int{6}})
	want := float32(8*11)/255*2 - 1
	if got := values(s, 1)[2]; !slices.Equal(s.Shape, []int{6}) || got < want-1e-6 || got > want+1e-6 {
		t.Errorf("shape %v, value %g, want %g", s.Shape, got, want)
	}
	s, _ = opened(t, digits, Options{Preprocess: preprocessOf(t, "resize=6,4 channels=rgb layout=hwc mean=1,2,3"), Shape: []int{6, 4, 3}})
	x := values(s, 4)
	if x[0] != x[1]+1 || x[1] != x[2]+1 || len(x) != 72 {
		t.Errorf("a pixel is %v", x[:3])
	}
	cifar := folder(t, map[string][]byte{"test_batch.bin": records(3, 1, 4)})
	plain, _ := opened(t, cifar, Options{})
	turned, _ := opened(t, cifar, Options{Preprocess: preprocessOf(t, "channels=bgr layout=hwc")})
	a, b := values(plain, 2), values(turned, 2)
	for i := range 1024 {
		for c := range 3 {
			if a[c*1024+i] != b[3*i+2-c] {
				t.Fatalf("pixel %d, channel %d: %g and %g", i, c, a[c*1024+i], b[3*i+2-c])
			}
		}
	}
	grey, _ := opened(t, cifar, Options{Preprocess: preprocessOf(t, "channels=grey crop=28"), Shape: []int{1, 28, 28}})
	if lo, hi := grey.Range(); lo[0] != -1 || hi[0] != 1 || len(lo) != 1 {
		t.Errorf("range %v to %v", lo, hi)
	}
}

// Range gives stretches of one domain in the order of the inputs.
func TestRangeOfChannelsLast(t *testing.T) {
	cifar := folder(t, map[string][]byte{"test_batch.bin": records(3, 1)})
	s, _ := opened(t, cifar, Options{Preprocess: preprocessOf(t, "crop=2 layout=hwc mean=0,1,2")})
	lo, hi := s.Range()
	if want := []float32{0, -1, -2, 0, -1, -2, 0, -1, -2, 0, -1, -2}; !slices.Equal(lo, want) || len(hi) != 12 || hi[1] != 0 {
		t.Errorf("range %v to %v", lo, hi)
	}
	s, _ = opened(t, cifar, Options{Preprocess: preprocessOf(t, "crop=2 layout=hwc mean=1")})
	if lo, hi = s.Range(); len(lo) != 1 || lo[0] != -1 || hi[0] != 0 {
		t.Errorf("range %v to %v", lo, hi)
	}
	if x := s.Denormalize(-.75, 2); x != .25 {
		t.Errorf("-.75 with mean 1 is %g, want .25", x)
	}
}

// The error about shapes that do not fit names the fix.
func TestInputsOfOtherShape(t *testing.T) {
	cifar := folder(t, map[string][]byte{"test_batch.bin": records(3, 1)})
	for _, c := range []struct {
		spec, mend string
		shape      []int
	}{
		{"", "layout=hwc", []int{32, 32, 3}},
		{"layout=hwc", "layout=chw", []int{3, 32, 32}},
		{"", "resize=224,200", []int{3, 224, 200}},
		{"", "channels=grey", []int{1, 32, 32}},
		{"channels=grey", "channels=rgb", []int{3, 32, 32}},
		{"", "1 or 3 channels", []int{4, 32, 32}},
		{"", "3×32×32, and the model takes 784", []int{784}},
		{"", "sizes of 1 or more", []int{3, 0, 32}},
		{"resize=16 upsample=224,224", "resize=32,32", []int{3, 32, 32}},
	} {
		refusesInputs(t, cifar, Options{Preprocess: preprocessOf(t, c.spec), Shape: c.shape}, c.mend)
	}
	s, _ := opened(t, cifar, Options{Preprocess: preprocessOf(t, "resize=16 upsample=224,224"), Shape: []int{3, 224, 224}})
	if !slices.Equal(s.Shape, []int{3, 16, 16}) {
		t.Errorf("shape %v of what the model enlarges", s.Shape)
	}
	refusesInputs(t, cifar, Options{Preprocess: Preprocess{Resize: []int{-1}}}, "preprocessing: resize of -1 pixels")
}

// red, green and blue differ by their channels.
var (
	red   = color.NRGBA{R: 255}
	green = color.NRGBA{G: 255}
	blue  = color.NRGBA{B: 255}
)

func TestInputsOfClassFolders(t *testing.T) {
	files := map[string][]byte{
		"b/1.png": pngOf(t, plainPicture(9, 7, green)), "b/deep/2.PNG": pngOf(t, plainPicture(7, 9, blue)),
		"a10/x.jpeg": jpegOf(t, plainPicture(12, 8, red)), "a9/x.jpg": jpegOf(t, plainPicture(8, 8, blue)),
		"a9/notes.txt": []byte("text"), ".hidden/x.png": nil,
	}
	dir := treeOf(t, files)
	o := Options{Preprocess: preprocessOf(t, "resize=6 crop=5 mean=0 std=1"), Shape: []int{3, 5, 5}}
	s, notes := opened(t, dir, o)
	if !slices.Equal(s.YNames, []string{"a10", "a9", "b"}) || !slices.Equal(s.Y, []int{0, 1, 2, 2}) || s.YName != "class" || s.Name != "tree" {
		t.Fatalf("classes %v of %v", s.Y, s.YNames)
	}
	if x := values(s, 2); x[0] != 0 || x[25] != 1 || x[74] != 0 || !notesSay(notes, "no parts: all of its 4 examples") {
		t.Errorf("green is %v; notes %q", x, notes)
	}
	o.Limit = of(t, 3, 0)
	some, _ := opened(t, dir, o)
	if !slices.Equal(some.Y, []int{2, 0}) || some.SHA256 != s.Subset([]int{3, 0}).SHA256 {
		t.Errorf("a choice has labels %v", some.Y)
	}
	var list []zipped
	for name, data := range files {
		list = append(list, zipped{"tree/" + name, data})
	}
	packed := filepath.Join(t.TempDir(), "tree.zip")
	writeZip(t, packed, list...)
	if packed, _ := opened(t, packed, Options{Preprocess: o.Preprocess}); packed.SHA256 != s.SHA256 {
		t.Error("a zip of the folder is another set")
	}
	refusesInputs(t, dir, Options{}, "give a preprocessing that makes them the same")
	refusesInputs(t, dir, Options{Preprocess: o.Preprocess, Target: "age"}, `no column "age"`)
}

// Folders called train and val are parts; classes called 0, 1 and 2 are none.
func TestInputsOfClassFoldersInParts(t *testing.T) {
	one := pngOf(t, plainPicture(4, 4, red))
	p := preprocessOf(t, "mean=0")
	dir := treeOf(t, map[string][]byte{"in/train/x/1.png": one, "in/train/y/1.png": one, "in/val/y/2.png": one, "in/val/x/3.png": one, "in/train/z/3.png": one})
	s, notes := opened(t, dir, Options{Preprocess: p})
	if !slices.Equal(s.Y, []int{0, 1}) || len(s.YNames) != 3 || !notesSay(notes, "2 examples of its validation part") {
		t.Errorf("classes %v of %v, notes %q", s.Y, s.YNames, notes)
	}
	if s, _ = opened(t, dir, Options{Preprocess: p, Part: Train}); s.Len() != 3 {
		t.Errorf("%d pictures to train", s.Len())
	}
	numbers := treeOf(t, map[string][]byte{"0/1.png": one, "1/1.png": one, "10/2.png": one, "2/3.png": one})
	if s, _ = opened(t, numbers, Options{Preprocess: p}); !slices.Equal(s.Y, []int{0, 1, 2, 3}) || s.YNames[2] != "10" {
		t.Errorf("classes %v of %v", s.Y, s.YNames)
	}
}

func TestInputsWithoutLabels(t *testing.T) {
	dir := treeOf(t, map[string][]byte{"1.png": pngOf(t, plainPicture(4, 3, red)), "2.png": pngOf(t, plainPicture(4, 3, blue))})
	s, notes := opened(t, dir, Options{Preprocess: preprocessOf(t, "mean=0 layout=hwc channels=bgr")})
	if s.Labelled() || s.Len() != 2 || s.Label(1) != -1 || s.Y != nil || !notesSay(notes, "without labels") {
		t.Errorf("labelled %v, %d examples, notes %q", s.Labelled(), s.Len(), notes)
	}
	if x := values(s, 1); !slices.Equal(s.Shape, []int{3, 4, 3}) || x[0] != 1 || x[1] != 0 || x[2] != 0 {
		t.Errorf("blue first: %v of shape %v", x, s.Shape)
	}
	sub := s.Subset([]int{1})
	if sub.Len() != 1 || sub.Labelled() || sub.SHA256 == s.SHA256 {
		t.Error("a part of it has labels, or the same SHA-256")
	}
}

func TestInputsOfFoldersRefused(t *testing.T) {
	one := pngOf(t, plainPicture(4, 4, red))
	o := Options{Preprocess: preprocessOf(t, "mean=0")}
	cut := jpegOf(t, noise(40, 40, 1))
	for words, files := range map[string]map[string][]byte{
		"b.png lies beside the folders of classes": {"x/1.png": one, "b.png": one, "y/1.png": one},
		"y holds no picture":                       {"x/1.png": one, "z/1.png": one, "y/.keep": nil},
		"1.jpg: is cut off":                        {"x/1.jpg": cut[:9], "y/2.png": one},
		"2.webp is a picture of a kind":            {"x/1.png": one, "y/2.webp": one},
		"2.jpg: is cut off in the middle":          {"x/1.png": one, "y/2.jpg": cut[:len(cut)/2]},
		"has 3 × 4 pixels, which become 3 × 4":     {"x/1.png": one, "y/2.png": pngOf(t, plainPicture(3, 4, red))},
		"holds neither pictures":                   {"x/1.txt": one},
	} {
		refusesInputs(t, treeOf(t, files), o, words)
	}
}

// Labels of a CSV are numbers where they are whole, gaps or not.
func TestInputsWithSheet(t *testing.T) {
	files := map[string][]byte{"val.csv": []byte("image,label,kind\na.png,7,cat\nb.png,2,dog\nc.png,,ape\n")}
	for _, name := range []string{"a.png", "b.png", "c.png"} {
		files["images/"+name] = pngOf(t, noise(8, 6, 3))
	}
	dir := treeOf(t, files)
	o := Options{Preprocess: preprocessOf(t, "resize=4 crop=4 std=1")}
	s, notes := opened(t, dir, o)
	if !slices.Equal(s.Y, []int{7, 2}) || len(s.YNames) != 8 || !notesSay(notes, "1 of 3 examples left out") {
		t.Errorf("classes %v of %v, notes %q", s.Y, s.YNames, notes)
	}
	o.Target = "kind"
	if s, _ = opened(t, dir, o); !slices.Equal(s.Y, []int{1, 2, 0}) || s.YNames[0] != "ape" {
		t.Errorf("classes %v of %v", s.Y, s.YNames)
	}
	o.Target = "kind: dog; *"
	if s, _ = opened(t, dir, o); !slices.Equal(s.Y, []int{1, 0, 1}) {
		t.Errorf("classes %v of %v", s.Y, s.YNames)
	}
	o.Target = "knid"
	refusesInputs(t, dir, o, `no column "knid"`)
	o.Target, o.Labels = "", filepath.Join(dir, "none.csv")
	refusesInputs(t, dir, o, "none.csv")
	o.Labels = filepath.Join(dir, "val.csv")
	if s, _ = opened(t, filepath.Join(dir, "images"), o); s.Len() != 2 {
		t.Errorf("%d examples with a CSV elsewhere", s.Len())
	}
}

// Without a preprocessing pictures with labels are those that tattle trains on.
func TestInputsAsTrained(t *testing.T) {
	sheet, files := "file,age,split\n", map[string][]byte{}
	for i := range 16 {
		name := fmt.Sprintf("%02d.png", i)
		sheet += fmt.Sprintf("%s,%s,%s\n", name, []string{"old", "new"}[i%2], []string{"train", "test"}[i/12])
		files[name] = pngOf(t, noise(20+i, 30, uint64(i)))
	}
	files["labels.csv"] = []byte(sheet)
	dir := treeOf(t, files)
	parts := must.Get(OpenParts(context.Background(), dir, Options{Target: "age", Side: 16, Sensitive: []string{"age"}}))(t)
	s, notes := opened(t, dir, Options{Target: "age", Shape: []int{3, 16, 16}, Limit: of(t, 1, 0)})
	want := parts.Test.Subset([]int{1, 0})
	if !bytes.Equal(s.Pixels, want.Pixels) || !slices.Equal(s.Y, want.Y) || !slices.Equal(s.Mean, want.Mean) || !notesSay(notes, "16 × 16 without keeping") {
		t.Errorf("other pictures than those of training; notes %q", notes)
	}
}

func TestInputsOfTables(t *testing.T) {
	dir := t.TempDir()
	path := writeText(t, filepath.Join(dir, "made.csv"), csvOf(600))
	parts := must.Get(OpenParts(context.Background(), path, Options{Target: "y", Sensitive: []string{"y"}, Seed: 3}))(t)
	o := Options{Target: "y", Seed: 3}
	s, notes := opened(t, path, o)
	if s.Labelled(); s.Len() != parts.Test.Len() || !slices.Equal(s.Values, parts.Test.Values) || !slices.Equal(s.Y, parts.Test.Y) || !notesSay(notes, "standardised by the") {
		t.Errorf("another test part than that of training; notes %q", notes)
	}
	codes := writeText(t, filepath.Join(dir, "codes.csv"), strings.NewReplacer(",p,", ",0,", ",q,", ",1,", ",r,", ",2,").Replace(csvOf(600)))
	o.Preprocess = preprocessOf(t, "mean=0 std=1") // which does not decide which rows are measured
	if plain, _ := opened(t, codes, o); !slices.Equal(plain.Y, s.Y) {
		t.Error("other rows, as their numbers are left as they are")
	}
	plain := writeText(t, filepath.Join(dir, "plain.csv"), "a,b,class,split\n1,2.5,0,test\n5,6,1,train\n3,-4,3,test\n")
	o = Options{Preprocess: preprocessOf(t, "mean=1,0 std=2"), Shape: []int{1, 2}}
	s, _ = opened(t, plain, o)
	if !slices.Equal(s.Values, []float32{0, 1.25, 1, -2}) || !slices.Equal(s.Y, []int{0, 3}) || !slices.Equal(s.Shape, []int{1, 2}) {
		t.Errorf("values %v, classes %v, shape %v", s.Values, s.Y, s.Shape)
	}
	bare := writeText(t, filepath.Join(dir, "bare.csv"), "a,b,split\n1,2.5,train\n3,x,test\n")
	refusesInputs(t, bare, o, `row 2, column b: "x" is not a finite number`)
	o.Shape = []int{3}
	refusesInputs(t, plain, o, "examples of shape 2, and the model takes 3")
	o.Preprocess = preprocessOf(t, "mean=1,2,3")
	refusesInputs(t, plain, o, "mean has 3 numbers for 2 channels")
	refusesInputs(t, plain, Options{Preprocess: preprocessOf(t, "resize=3")}, "a table has no pictures")
	nobody := writeText(t, filepath.Join(dir, "nobody.csv"), strings.ReplaceAll(csvOf(600), "x,noise,y", "x,noise,why"))
	if s, notes = opened(t, nobody, Options{}); s.Labelled() || s.Len() != 120 || !notesSay(notes, "without labels") {
		t.Errorf("labelled %v, %d rows, notes %q", s.Labelled(), s.Len(), notes)
	}
}

func TestInputKinds(t *testing.T) {
	for _, kind := range inputKinds {
		if kind == KindGlyphs {
			continue
		}
		_, _, err := OpenInputs(context.Background(), filepath.Join(t.TempDir(), "none"), Options{Kind: kind})
		if err == nil {
			t.Errorf("%s opens what is not there", kind)
		}
	}
	refusesInputs(t, t.TempDir(), Options{Kind: "video"}, `no kind of data "video"`)
	refusesInputs(t, writeText(t, filepath.Join(t.TempDir(), "x.gguf"), "GGUF"), Options{}, "neither a zip of pictures")
	s, _ := opened(t, KindGlyphs, Options{Limit: of(t, 3, 4), Shape: []int{1, 28, 28}})
	if s.Len() != 2 || !s.Labelled() {
		t.Errorf("%d glyphs", s.Len())
	}
}
