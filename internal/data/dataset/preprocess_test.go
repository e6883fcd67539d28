package dataset

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tattle/internal/must"
)

func TestPreprocessRoundTrip(t *testing.T) {
	for spec, want := range map[string]string{
		"": "none", "none": "none", "cifar10": "range=-1,1", "std=0.1": "std=0.1",
		"imagenet":                         "resize=256 crop=224 mean=0.485,0.456,0.406 std=0.229,0.224,0.225",
		"imagenet-91":                      "resize=91,91 upsample=224,224 mean=0.485,0.456,0.406 std=0.229,0.224,0.225",
		"imagenet filter=lanczos crop=7,9": "resize=256 filter=lanczos crop=7,9 mean=0.485,0.456,0.406 std=0.229,0.224,0.225",
		"resize=256 crop=224 mean=.485,.456 std=2 filter=bicubic layout=hwc channels=bgr": "resize=256 filter=bicubic crop=224 mean=0.485,0.456 std=2 layout=hwc channels=bgr",
		"range=-1,1 mean=1e-30 std=3 channels=grey":                                       "range=-1,1 mean=1e-30 std=3 channels=grey", "upsample=224,224 upsample_filter=bicubic": "upsample=224,224 upsample_filter=bicubic",
	} {
		p := must.Get(ParsePreprocess(spec))(t, spec)
		if p.String() != want || p.IsZero() != (want == "none") {
			t.Errorf("%q is %q, want %q", spec, p, want)
		}
		again, err := ParsePreprocess(p.String())
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%q is written %q, which is read %v (%v)", spec, p, again, err)
		}
		path := filepath.Join(t.TempDir(), "a b=c.toml")
		must.Do(t, p.WriteFile(path))
		if again, err = ParsePreprocess(path); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%q as a file is read %v (%v)", spec, again, err)
		}
	}
}

func TestPreprocessRefusals(t *testing.T) {
	for spec, words := range map[string]string{
		"imagnet":                 "want one of cifar10, imagenet, imagenet-91, none",
		"resize=256 imagenet":     `no setting "imagenet"`,
		"size=3":                  "want one of resize, filter",
		"resize=":                 "resize has no value",
		"resize=4 resize=5":       "resize twice",
		"resize=4.5":              `resize has the value "4.5": want a whole number`,
		"resize=1,2,3":            "has 3 numbers",
		"resize=0":                "resize of 0 pixels",
		"crop=8192,8192":          "32 million at most",
		"crop=99999999999999999":  "crop of",
		"upsample=224":            "give height and width",
		"filter=cubic":            `no filter "cubic"`,
		"upsample_filter=nearest": "want one of bilinear, bicubic",
		"layout=nchw":             "want one of chw, hwc",
		"channels=rgba":           "want one of rgb, bgr, grey",
		"range=1":                 "range is 1",
		"range=1,-1":              "the lower first",
		"std=0":                   "want positive",
		"mean=nan":                "finite",
		"mean=1,2 std=1,2,3":      "mean has 2 numbers and std 3",
		"missing.toml":            "missing.toml: no such file",
	} {
		must.Fail(t, must.Err(ParsePreprocess(spec)), words)
	}
}

func TestPreprocessFileStrict(t *testing.T) {
	p, err := decodePreprocess("m.toml", "# a\nresize = 256\ncrop = [224, 200]\nmean = [0, 0.5, 1]\nstd = 2\nfilter = \"box\"\n")
	if want := "resize=256 filter=box crop=224,200 mean=0,0.5,1 std=2"; err != nil || p.String() != want {
		t.Errorf("read %q (%v), want %q", p, err, want)
	}
	for text, words := range map[string]string{
		"resize = 256\n\nsize = 3\n":     `m.toml: no setting "size"`,
		"[inner]\nresize = 3\n":          `no setting "inner"`,
		"resize = 1\nmean = \"x\"\n":     "mean has the value",
		"resize = 1.5\n":                 "resize has the value",
		"mean = []\n":                    "mean has no value",
		"mean = nan\n":                   "finite",
		"filter = 3\n":                   `no filter "3"`,
		"resize = 1\nresize = 2\n":       "line 2: not TOML",
		"resize = 1\ncrop = [1, \n":      "not TOML",
		"\nresize = 1\ncrop = 0\n":       "crop of 0 pixels",
		"mean = [1, 2]\nstd = [1,2,3]\n": "mean has 2 numbers",
		"resize.x = 1\n":                 "resize has the value",
	} {
		must.Fail(t, must.Err(decodePreprocess("m.toml", text)), words)
	}
}

func TestPreprocessBeside(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.v2.onnx")
	if p, found, err := PreprocessBeside(model); found || err != nil || !p.IsZero() {
		t.Errorf("nothing is there: %v %v %v", p, found, err)
	}
	path := filepath.Join(dir, "m.v2.preprocess.toml")
	must.Do(t, os.WriteFile(path, []byte("resize = 3\n"), 0o666))
	if p, found, err := PreprocessBeside(model); !found || err != nil || p.String() != "resize=3" {
		t.Errorf("read %v %v %v", p, found, err)
	}
	must.Do(t, os.WriteFile(path, []byte("resiz = 3\n"), 0o666))
	_, found, err := PreprocessBeside(model)
	must.Fail(t, err, `no setting "resiz"`)
	if found {
		t.Error("a broken file is not found")
	}
}

// Range comes before mean and standard deviation: (a + v·(b−a) − mean)/std.
func TestPreprocessPerChannel(t *testing.T) {
	p, err := ParsePreprocess("range=-1,3 mean=1,2,3 std=2")
	must.Do(t, err)
	mean, std := must.Get2(p.perChannel(3))(t)
	for c, m := range []float64{1, 2, 3} {
		for _, v := range []float64{0, .25, 1} {
			want := (-1 + v*4 - m) / 2
			if got := (v - float64(mean[c])) / float64(std[c]); got != want {
				t.Errorf("channel %d: %g becomes %g, want %g", c, v, got, want)
			}
		}
	}
	must.Fail(t, must.Err2(p.perChannel(1)), "mean has 3 numbers for 1 channel")
}

// Whatever is taken is written so that it is read again, and never panics.
func FuzzPreprocess(f *testing.F) {
	for _, s := range []string{"imagenet", "resize=256 crop=2,3 mean=.5", "resize = [1, 2]\nfilter = \"box\"\n", "[a]\nb=1", "range=-1,1 std=1e-9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4096 || strings.Contains(strings.ToLower(s), ".toml") {
			return
		}
		p, err := ParsePreprocess(s)
		q, fileErr := decodePreprocess("f", s)
		for _, p := range []Preprocess{p, q} {
			again, err := ParsePreprocess(p.String())
			if err != nil || !reflect.DeepEqual(p, again) {
				t.Fatalf("%q is written %q and read %v (%v)", s, p, again, err)
			}
		}
		if err != nil && !p.IsZero() || fileErr != nil && !q.IsZero() {
			t.Fatal("an error comes with settings")
		}
	})
}
