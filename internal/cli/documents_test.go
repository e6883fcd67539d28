package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestDocuments executes every "$ tattle …" line of every document, in order, one
// folder a document, with glyphs in the place of MNIST, some covariance and [smaller] numbers. There is no other kind of
// $ line.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("trains and bounds: left out with -short")
	}
	t.Parallel()
	var documents []string
	for _, folder := range []string{"../..", "../../docs"} {
		found, err := filepath.Glob(filepath.Join(folder, "*.md"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no documents: %v", folder, err)
		}
		documents = append(documents, found...)
	}
	executed := 0
	for _, path := range documents {
		script, n := scriptOf(t, path)
		executed += n
		if n == 0 {
			continue
		}
		file := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(path), ".md")+".txtar")
		if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
			t.Fatal(err)
		}
		testscript.Run(t, testscript.Params{
			Files: []string{file},
			Setup: withRunner,
			Cmds:  map[string]func(*testscript.TestScript, bool, []string){"tattle": tattleVerb, "mkmnist": mkMNIST, "mknet": mkNet, "mkcovariance": mkCovariance, "mkscores": mkScores, "serving": serving, "fetch": fetch, "stopped": stopped},
		})
	}
	if executed == 0 {
		t.Error("the documents show no command")
	}
}

// trainedMNIST matches the training of a net of MNIST. A smaller one takes its place, as it
// is bounded sooner.
var trainedMNIST = regexp.MustCompile(`^tattle train mnist .*--out (\S+)`)

// smaller are numbers that decide how long a command takes and not whether it works, and what
// the tests put in their place.
var smaller = strings.NewReplacer(
	"make utkface --examples 2000 ", "make utkface --examples 300 ",
	"make utkface --examples 1000 ", "make utkface --examples 300 ",
	"--epochs 25 ", "--epochs 2 ",
	"--examples 3000 --epochs 6 ", "--examples 1200 --epochs 3 ",
	"--reference-epochs 6 ", "--reference-epochs 3 ",
	"figure1 --data mnist --examples 20 ", "figure1 --data mnist --examples 4 --restarts 2 ",
)

// shortened is a command of a document as it is executed: the searches of bounds start twice.
func shortened(command string) string {
	command = smaller.Replace(command + " ")
	if strings.HasPrefix(command, "tattle bound ") && !strings.Contains(command, "--restarts") {
		command += "--restarts 2"
	}
	return strings.TrimSpace(command)
}

// scriptOf turns a document into a testscript.
func scriptOf(t *testing.T, path string) (script string, commands int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{"mkmnist mnist 600 200 28", "mkcovariance covariance.npy 9", "mkscores people.csv 400 people"} // few: what is tested is that the commands work
	for line := range strings.Lines(string(b)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		if !strings.HasPrefix(command, "tattle ") {
			t.Errorf("%s: %q is not executed by any test", filepath.Base(path), command)
			continue
		}
		lines = append(lines, "# "+command) // -v says how long a # takes
		if served, ok := strings.CutPrefix(command, "tattle guard serve "); ok {
			lines = append(lines, "serving GUARD guard "+served, "fetch 200 http://$GUARD_HOST/v2/health/ready", "stopped GUARD")
			commands++
			continue
		}
		lines = append(lines, shortened(command))
		if m := trainedMNIST.FindStringSubmatch(command); m != nil {
			lines = append(lines, "mknet "+m[1]+"/model.onnx 60 28")
		}
		commands++
	}
	return strings.Join(lines, "\n") + "\n", commands
}
