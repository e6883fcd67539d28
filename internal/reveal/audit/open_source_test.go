package audit

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// packed is what gzip makes of text.
func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	must.Do(t, w.Close())
	return b.String()
}

func TestOpenGzip(t *testing.T) {
	text := "y,s1,p_0,p_1\n0,a,.5,.5\n1,b,.25,.75\n"
	want := must.Get(openText(t, text, OpenOptions{}))(t)
	zipped := packed(t, text)
	got, err := OpenOutputs(context.Background(), put(t, "a.csv.gz", zipped), OpenOptions{})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	damaged := []byte(zipped)
	damaged[len(damaged)-5] ^= 1 // of the checksum
	for want, text := range map[string]string{
		"broken gzip":           zipped[:len(zipped)-9],
		"broken gzip file (gzi": string(damaged),
		"packed once by gzip":   packed(t, zipped),
		"is not CSV":            packed(t, "PK\x03\x04"),
	} {
		must.Fail(t, must.Err(openText(t, text, OpenOptions{})), want, "a.csv")
	}
}

func TestOpenGzipRefusesEarly(t *testing.T) {
	shared.Long(t, "refusal of text that unpacks to 96 MiB")
	rest := strings.Repeat("not packed", 1<<19) // makes the file large, and is not reached
	bomb := packed(t, "y,s1,p_0,p_1\n"+strings.Repeat("\n", 96<<20)) + rest
	must.Fail(t, must.Err(openText(t, bomb, OpenOptions{})), "unpacks to more than")
}

func TestOpenProgress(t *testing.T) {
	text := "y,s1,p_0,p_1\n" + strings.Repeat("0,a,.50000000000000,.50000000000000\n", 1<<17)
	var done []int64
	o := OpenOptions{Progress: func(n, total int64) {
		if done = append(done, n); total != int64(len(text)) {
			t.Errorf("of %d bytes, not %d", total, len(text))
		}
	}}
	must.Get(openText(t, text, o))(t)
	if len(done) < 4 || len(done) > 8 || !slices.IsSorted(done) || done[len(done)-1] != int64(len(text)) {
		t.Errorf("progress %v of %d bytes", done, len(text))
	}
}

// A pipe does not make the reader wait, and a file that grows is not taken for whole.
func TestOpenIrregular(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipes on this file system: %v", err)
	}
	for path, want := range map[string]string{pipe: "is a named pipe", "/dev/zero": "is a device"} {
		must.Fail(t, must.Err(OpenOutputs(context.Background(), path, OpenOptions{})), want+", not a regular file: give a CSV or .npz")
	}
	path := put(t, "a.csv", "y,s1,p_0,p_1\n"+strings.Repeat("0,a,.5,.5\n", 1<<18))
	grow := func(done, total int64) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprint(f, "1,")
		f.Close()
	}
	must.Fail(t, must.Err(OpenOutputs(context.Background(), path, OpenOptions{Progress: grow})), "changed while it was read") // a file that grows
}

// TestOpenForeign opens files that are not CSV: the error names the kind of file.
func TestOpenForeign(t *testing.T) {
	for text, want := range map[string]string{
		"PAR1abc":                              "is not CSV",
		"\x93NUMPY\x01\x00":                    "numpy.savez",
		"\x80\x04\x95abc":                      "is not CSV",
		`[{"y": 1, "p": .5}]`:                  "is not CSV",
		"\xfe\xffa":                            "is not CSV",
		"y\x00,\x00s\x001\x00\n":               "not text",
		"y,s1,p_0,p_1\r0,a,.5,.5\r1,b,.5,.5\r": "CR alone",
		"y s1 p_0 p_1\n0 a .5 .5\n":            "commas, semicolons or tabs",
		"y,s1,p_0,p_1\n0,a,\"1,000.5\",.5\n":   "line 2, column p_0: the score is 1,000.5: want a finite decimal number",
		"y;s1;p_0;p_1\n0;a;0,5;0,5\n":          "line 2, column p_0: the score is 0,5: want a finite decimal number",
		"y,s1,p_0,p_1\n0,a,0x1p-1,.5\n":        "want a finite decimal number",
		"y,s1,p_0,p_1\n0,a,1_0,.5\n":           "want a finite decimal number",
		"y,s1,p_0,p_1\n0,a,1e400,.5\n":         "want a finite decimal number",
		"y,s1,p_0,p_1\n0," + strings.Repeat("a", 5000) + ",.5,.5\n": "line 2: s1: a label of 5000 bytes",
		"y,s1," + strings.Repeat("a", 2<<20) + "\n0,1,2\n":          "column 3 has 2097152 bytes",
		"y,s1,p_0,p_1\n-1,a,.5,.5\n1,b,.5,.5\n":                     "number the labels from 0",
		"y,s1,p_0,p_1\n0,a\x00b,.5,.5\n":                            `"a\x00b" cannot be`,
		"y,s1,p_0,p_1\n0,\"a\rb\",.5,.5\n":                          `"a\rb" cannot be`,
		"y,s1,p_0,p_1\n0,a,.5,.5,\n":                                "line 2 has 5 fields and the first row 4",
		"y,s1,p_0,p_1\n9007199254740993,a,.5,.5":                    "y has the values 9007199254740993",
		"y,s1,p_0,p_1\n0x1,a,.5,.5\n0x0,b,.5,.5,":                   "line 3",
	} {
		_, err := openText(t, text, OpenOptions{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\r\n\x00") || !strings.Contains(err.Error(), "a.csv") {
			t.Errorf("%.100q: %v, want %q", text, err, want)
		}
	}
}

// Data frames as they are written without a thought.
func TestOpenDataFrames(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		classes []string
		y       []int
	}{
		"an index, columns by number":   {",y,s1,0,1,2\n0,1,x,.5,.25,.25\n1,0,y,.5,.25,.25\n", []string{"0", "1", "2"}, []int{1, 0}},
		"words for y, numbered columns": {"y_true,s1,proba_0,proba_1\ncat,x,.5,.5\ndog,y,.5,.5\n", []string{"cat", "dog"}, []int{0, 1}},
		"booleans":                      {"label,s1,proba\nTrue,False,.5\nFalse,True,.25\n", []string{"False", "True"}, []int{1, 0}},
		"numbered columns":              {"y_true,s1,p0,p1\n0,a,.5,.5\n1,b,.25,.75\n", []string{"0", "1"}, []int{0, 1}},
		"names of the classes":          {"y_true,s1,pred_no,pred_yes\n1,a,.5,.5\n0,b,.75,.25\n", []string{"no", "yes"}, []int{1, 0}},
		"a score":                       {"y_true,s1,y_score\n1,a,.5\n0,b,.25\n", []string{"0", "1"}, []int{1, 0}},
		"names of sklearn's metrics":    {"y_true,y_pred,y_score,s1\n1,1,.5,a\n0,1,.25,b\n", []string{"0", "1"}, []int{1, 0}},
		"floats for classes":            {"y,s1,prob_0,prob_1\n1.0,0.0,.5,.5\n0.0,1.0,.25,.75\n", []string{"0", "1"}, []int{1, 0}},
		"a class called NA":             {"y,s1,p_NA,p_DE\nDE,a,.5,.5\nNA,b,.25,.75\n", []string{"NA", "DE"}, []int{1, 0}},
		"a spreadsheet's first line":    {"\ufeffsep=;\r\ny;s1;p_0;p_1\r\n1;a;.5;.5\r\n0;b;.5;.5\r\n", []string{"0", "1"}, []int{1, 0}},
	} {
		s, err := openText(t, c.text, OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(s.Classes, c.classes) || !slices.Equal(s.Y, c.y) || s.Kind != curious.Soft {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if s, err := openText(t, "y,s:y:a,S:y:a,s:y:a-2,p_0,p_1\n1,x,u,v,.5,.5\n0,y,v,u,.25,.75\n", OpenOptions{}); err != nil || s.Sensitive[0].Name != "y:a" || s.Sensitive[1].Name != "y:a-2" || s.Sensitive[2].Name != "y:a-2-2" {
		t.Errorf("names: %+v, %v", s, err)
	}
	if s, err := openText(t, "y_true,s1,y_pred\n1,a,1\n0,b,1\n", OpenOptions{}); err != nil || !slices.Equal(s.Outputs, []float32{0, 1, 0, 1}) {
		t.Errorf("predicted classes: %+v, %v", s, err)
	}
	must.Fail(t, must.Err(openText(t, "y,s1,prob_0,prob_1\n1,a,.5,.5\n2,b,.5,.5\n", OpenOptions{}))) // labels 1 and 2 beside columns 0 and 1
}
