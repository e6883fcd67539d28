package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestDocuments executes every "$ tattle …" line of every document, in order, one
// folder a document, with glyphs in the place of MNIST, some covariance and [smaller] numbers. There is no other kind of
// $ line.
func TestDocuments(t *testing.T) {
	shared.Long(t, "every command of the documents")
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
		must.Do(t, os.WriteFile(file, []byte(script), 0o666))
		testscript.Run(t, testscript.Params{
			Files: []string{file},
			Setup: func(e *testscript.Env) error { // docs/example beside the commands, as in the project's folder
				example, err := filepath.Abs("../../docs/example")
				return errors.Join(err, os.Mkdir(filepath.Join(e.WorkDir, "docs"), 0o777), os.Symlink(example, filepath.Join(e.WorkDir, "docs", "example")), withRunner(e))
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){"tattle": tattleVerb, "mkmnist": mkMNIST, "mknet": mkNet, "mkcovariance": mkCovariance, "mkscores": mkScores, "mkembeddings": mkEmbeddings, "serving": serving, "fetch": fetch, "stopped": stopped},
		})
	}
	if executed == 0 {
		t.Error("the documents show no command")
	}
}

// madeMNIST matches what makes a net of MNIST's size.
var madeMNIST = regexp.MustCompile(`^tattle (?:train mnist .*--out (\S+)|model mnist -o (\S+))`)

// usedModel matches the model that a command uses.
var usedModel = regexp.MustCompile(`--model (\S+) `)

// standIns are what takes the place of MNIST and of nets of its size, as it is bounded sooner, by
// the verbs that made it last. Training needs digits of 28×28, and generated ones have that size.
type standIns map[string]string

// need returns the verbs that a command needs before it.
func (m standIns) need(command string) (verbs []string) {
	command += " "
	size, made := " 28", func(name, verb string) {
		if m[name] != verb {
			m[name], verbs = verb, append(verbs, verb)
		}
	}
	model := usedModel.FindStringSubmatch(command)
	if model != nil && !strings.Contains(command, "--data glyphs ") {
		size = ""
	}
	if strings.Contains(command, "--data mnist ") {
		made("mnist", "mkmnist mnist 600 200"+size)
	}
	if model != nil {
		if _, replaced := m[model[1]]; replaced {
			made(model[1], "mknet "+model[1]+" 60"+size)
		}
	}
	if net := madeMNIST.FindStringSubmatch(command); net != nil && net[1] != "" {
		m[net[1]+"/model.onnx"] = ""
	} else if net != nil {
		m[net[2]] = ""
	}
	return verbs
}

// smaller are numbers that decide how long a command takes and not whether it works, and what
// the tests put in their place.
var smaller = strings.NewReplacer(
	"make utkface --examples 2000 ", "make utkface --examples 200 ",
	"make utkface --examples 1000 ", "make utkface --examples 200 ",
	"--epochs 25 ", "--epochs 2 ",
	"--limit 3000 --epochs 6 ", "--limit 1200 --epochs 3 ",
	"curious/model.onnx --limit 1000 ", "curious/model.onnx --limit 400 ",
	"--references 3 --reference-epochs 6 ", "--references 2 --reference-epochs 1 ",
	"--limit 1000 --epochs 2 --seeds 2 ", "--limit 200 --epochs 1 --seeds 2 ",
	"figure1 --data mnist --examples 20 ", "figure1 --data mnist --examples 1 --restarts 1 ",
	"glyphs --examples 20 ", "glyphs --examples 4 ",
	"--examples 2 ", "--examples 1 ",
	"--restarts 5 ", "--restarts 1 ",
	"--list-draws 5000 ", "--list-draws 1000 ",
	"--methods projected,discriminant,shaped --epochs 5 ", "--methods projected,discriminant,shaped --epochs 1 ",
)

// briefly are flags that are added to the commands that lack them.
var briefly = map[string][]string{
	"bound": {"--restarts 1", "--repeats 1", "--barankin 2", "--far 1"},
	"audit": {"--permutations 99"},
}

// shortened is a command of a document as it is executed.
func shortened(command string) string {
	command = smaller.Replace(command + " ")
	if strings.Contains(command, "--noise none") {
		return command // no search is made
	}
	for _, flag := range briefly[strings.Fields(command)[1]] {
		if !strings.Contains(command, strings.Fields(flag)[0]+" ") {
			command += flag + " "
		}
	}
	return command
}

// printed is what commands print that documents quote.
var printed = map[string]string{
	"tattle audit --outputs docs/example/scores.csv --target age --sensitive gender --fail-on never --out audited":                              `stdout 'guessed right for 99\.0 % of\s+examples, and by guessing from the true and the predicted age for 52\.8 %'`,
	"tattle design --vectors docs/example/vectors.npz --sensitive gender --identify 10%@300 --methods projected --noise lattice --out designed": `stdout 'Recall@10: 14\.7 %'`,
}

// scriptOf turns a document into a testscript.
func scriptOf(t *testing.T, path string) (script string, commands int) {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	lines := []string{"mkcovariance covariance.npy 9", "mkscores people.csv 200 people", "mkscores visits.csv 60 visits", "mkembeddings embeddings.npz 700"} // few: what is tested is that the commands work
	small := standIns{}
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
		lines = append(lines, small.need(command)...)
		lines = append(lines, shortened(command))
		if said, ok := printed[command]; ok {
			lines = append(lines, said)
		}
		commands++
	}
	return strings.Join(lines, "\n") + "\n", commands
}
