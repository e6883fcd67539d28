package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/run"
	"tattle/internal/shared"
)

// damages are what may become of a file.
var damages = map[string]func(path string) error{
	"deleted":     os.Remove,
	"empty":       func(path string) error { return os.Truncate(path, 0) },
	"truncated":   func(path string) error { return rewrite(path, func(b []byte) []byte { return b[:len(b)/2] }) },
	"bit flipped": func(path string) error { return rewrite(path, func(b []byte) []byte { b[len(b)/2] ^= 4; return b }) },
	"longer":      func(path string) error { return rewrite(path, func(b []byte) []byte { return append(b, "more"...) }) },
	"a folder": func(path string) error {
		os.Remove(path)
		return os.MkdirAll(filepath.Join(path, "x"), 0o777)
	},
	"a FIFO": func(path string) error {
		os.Remove(path)
		return syscall.Mkfifo(path, 0o666)
	},
}

func rewrite(path string, by func([]byte) []byte) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, by(b), 0o666)
}

// files lists the files below a folder.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, name)
		}
		return err
	}))
	return names
}

// TestDamagedRun damages each file of interrupted runs in turn. With --resume a run
// computes what is damaged again and comes to the same bytes, or it says in one line what
// is wrong. It does not wait for ever in either case.
func TestDamagedRun(t *testing.T) {
	shared.Long(t, "damage of each file of an interrupted run")
	work := t.TempDir()
	t.Chdir(work)
	must.Do(t, onnx.Write("net.onnx", smallNet(8, 28)))
	mkMNIST(new(testscript.TestScript), false, []string{filepath.Join(work, "mnist"), "20", "72", "28"}) // glyphs would be drawn for each run
	var table bytes.Buffer
	writeTable(&table, 300)
	writeFile(t, "people.csv", table.String(), 0o666)
	for _, c := range []struct {
		name, args string
		results    []string // same bytes with and without damage
	}{
		{"bound", "bound --model net.onnx --data mnist --examples 72 --surface logits --method direct --restarts 1 --no-cramer-rao --barankin 0 --far 0 --twins 0 --attack none --candidates none", []string{arraysFile}},
		{"train", "train table --data people.csv --target income --sensitive sex --curious standard --epochs 1 --seeds 2", []string{"seed-1/model.onnx", "seed-2/model.onnx", arraysFile}},
	} {
		args := strings.Fields(c.args)
		whole, failed, merged := c.name+"-whole", c.name+"-failed", c.name+"-merged"
		done(t, append(args, "--out", whole)...)
		paced = func(p run.Pool) run.Pool { return failing{p, 1} }
		status, _, said := tattle(t.Context(), append(args, "--out", failed)...)
		paced = func(p run.Pool) run.Pool { return p }
		if status != statusUnfinished {
			t.Fatalf("status %d: %s", status, said)
		}
		must.Do(t, os.CopyFS(merged, os.DirFS(whole)))
		must.Do(t, os.Remove(filepath.Join(merged, reportJSON)))
		for _, from := range []string{failed, merged} {
			for k, name := range files(t, from) {
				for j, damage := range slices.Sorted(maps.Keys(damages)) {
					if os.Getenv("TATTLE_FULL") == "" && (j+k)%len(damages) != 0 {
						continue // each file is damaged in one way
					}
					t.Run(strings.ReplaceAll(from+"/"+name, "/", " ")+" "+damage, func(t *testing.T) {
						out := filepath.Join(t.TempDir(), "out")
						must.Do(t, os.CopyFS(out, os.DirFS(from)))
						must.Do(t, damages[damage](filepath.Join(out, name)))
						resumesOrExplains(t, append(args, "--out", out, "--resume"), func() {
							for _, name := range c.results {
								was, err1 := os.ReadFile(filepath.Join(whole, name))
								is, err2 := os.ReadFile(filepath.Join(out, name))
								if err1 != nil || err2 != nil || !bytes.Equal(was, is) {
									t.Errorf("%s differs: %v, %v", name, err1, err2)
								}
							}
							if was, is := reportFigures(t, whole), reportFigures(t, out); !reflect.DeepEqual(was, is) {
								t.Errorf("the reports differ: %v\n%v", was, is)
							}
						})
					})
				}
			}
		}
	}
}

// reportFigures returns the report of a run, without times, and without warnings: these say that
// something was damaged.
func reportFigures(t *testing.T, dir string) (report map[string]any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, reportJSON))
	if err == nil {
		err = json.Unmarshal(b, &report)
	}
	must.Do(t, err)
	for _, key := range []string{"timing", "warnings", "rendered"} {
		delete(report, key)
	}
	return report
}

// oneError is an error on one line, with at most a hint, after notes.
var oneError = regexp.MustCompile(`^(tattle: [^\n]*\n)*tattle: error: [^\n]+\n(tattle: hint: [^\n]+\n)?$`)

// resumesOrExplains runs a command line, which must end.
func resumesOrExplains(t *testing.T, args []string, same func()) {
	t.Helper()
	type end struct {
		said   string
		status int
	}
	ended := make(chan end, 1)
	go func() {
		var out, said bytes.Buffer
		status := Execute(context.Background(), args, &out, &said)
		ended <- end{said.String(), status}
	}()
	select {
	case e := <-ended:
		switch {
		case e.status == statusDone:
			same()
		case e.status != statusUsage && e.status != statusUnfinished || !oneError.MatchString(e.said) || strings.Contains(e.said, "a bug in tattle"):
			t.Errorf("status %d: %s", e.status, e.said)
		default:
			t.Logf("status %d: %s", e.status, e.said)
		}
	case <-time.After(patience):
		t.Fatal("the run does not end")
	}
}
