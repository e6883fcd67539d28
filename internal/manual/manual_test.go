package manual

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"tattle/internal/must"
)

type grammar struct {
	Audit struct {
		Model string `help:"A \"model\" for $5, as \x60x\x60. And more." placeholder:"FILE"`
		Quiet bool   `help:"Say less."`
	} `cmd:"" help:"Audit it. In full."`
	Data struct {
		Get struct {
			Name string `arg:"" enum:"mnist,adult"`
		} `cmd:"" help:"Get data."`
	} `cmd:"" help:"Data."`
	Secret struct{} `cmd:"" hidden:""`
}

func app(t *testing.T) *kong.Application {
	t.Helper()
	k := must.Get(kong.New(new(grammar), kong.Name("tattle"), kong.Description("Measures things.\n\nIn a way:\n\n  tattle audit\n\n.dot first")))(t)
	return k.Model
}

// The completions are asked for as a shell asks, where there is one.
func TestCompletion(t *testing.T) {
	for shell, ask := range map[string]string{
		"bash": `source @SCRIPT; COMP_WORDS=(tattle @LINE); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tattle; printf '%s\n' "${COMPREPLY[@]}"`,
		"zsh":  `compdef() { : }; _files() { : }; _describe() { print -l -- ${(P)2%%:*} }; source @SCRIPT; words=(tattle @LINE); CURRENT=$#words; _tattle | grep -e "^${words[-1]}"`,
		"fish": `source @SCRIPT; complete --do-complete "tattle @LINE" | string split -f 1 \t`,
	} {
		path := filepath.Join(t.TempDir(), "script")
		must.Do(t, os.WriteFile(path, []byte(Completion(app(t), shell)), 0o600))
		for line, want := range map[string]string{
			"au":                 "audit",
			"audit --m":          "--model",
			"audit --quiet --mo": "--model",
			"data g":             "get",
			"data get ad":        "adult",
			"se":                 "",
		} {
			t.Run(shell+" "+line, func(t *testing.T) {
				if _, err := exec.LookPath(shell); err != nil {
					t.Skip("there is no " + shell)
				}
				out, err := exec.Command(shell, "-c", strings.NewReplacer("@SCRIPT", path, "@LINE", line).Replace(ask)).CombinedOutput()
				if got := strings.Join(strings.Fields(string(out)), " "); got != want {
					t.Errorf("%q is completed to %q, want %q (%v)", line, got, want, err)
				}
			})
		}
	}
}

func TestPage(t *testing.T) {
	page := Page(app(t), "v1")
	for _, want := range []string{".TH TATTLE 1", `\- Measures things`, ".nf\n  tattle audit\n.fi", "\n\\&.dot first", `.SS "data get <name>`, ".TP\n.B \\-\\-model=FILE\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "secret") {
		t.Error("hidden commands are described")
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("there is no groff")
	}
	cmd := exec.Command("groff", "-man", "-Tascii", "-ww")
	cmd.Stdin = strings.NewReader(page)
	var warnings bytes.Buffer
	cmd.Stderr = &warnings
	if out, err := cmd.Output(); err != nil || warnings.Len() > 0 || !strings.Contains(string(out), "Say less.") {
		t.Errorf("%v: %s\n%s", err, &warnings, out)
	}
}
