package cli

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// readYAML returns a file of the project's root or below.
func readYAML(t *testing.T, name string) any {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join("../..", name)))(t)
	var v any
	must.Do(t, yaml.Unmarshal(b, &v), name)
	return v
}

// stepsOf returns the shell text of the GitHub Action's steps and of the GitLab job, by name.
func stepsOf(t *testing.T) map[string]string {
	t.Helper()
	steps := map[string]string{}
	action := readYAML(t, "deploy/github/action.yml")
	all, _ := field(action, "runs", "steps").([]any)
	for _, s := range all {
		name, _ := field(s, "name").(string)
		if run, ok := field(s, "run").(string); ok {
			steps[strings.ToLower(name)+".sh"] = run
		}
		if uses, ok := field(s, "uses").(string); ok && field(s, "with", "sarif_file") == "${{ runner.temp }}/tattle-results/audit.sarif" {
			steps["upload"] = uses
		}
	}
	job := readYAML(t, "deploy/gitlab/audit.yml")
	for _, part := range []string{"script", "after_script"} {
		var lines []string
		list, _ := field(job, "tattle", part).([]any)
		for _, line := range list {
			lines = append(lines, line.(string))
		}
		steps["gitlab-"+part+".sh"] = strings.Join(lines, "\n")
	}
	return steps
}

// TestDeployedAudits runs the steps of the GitHub Action and of the GitLab job as their shells
// do, with gh and curl replaced by programs that print what they are given.
func TestDeployedAudits(t *testing.T) {
	shared.Long(t, "two audits")
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	steps := stepsOf(t)
	if !strings.HasPrefix(steps["upload"], "github/codeql-action/upload-sarif@") {
		t.Errorf("the action uploads by %q", steps["upload"])
	}
	delete(steps, "upload")
	root := must.Get(filepath.Abs("../.."))(t)
	testscript.Run(t, testscript.Params{
		Files: []string{"testdata/deploy/audit.txtar"},
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			for name, text := range steps {
				if err := os.WriteFile(filepath.Join(e.WorkDir, name), []byte(text), 0o700); err != nil {
					return err
				}
			}
			return os.Symlink(filepath.Join(root, "deploy"), filepath.Join(e.WorkDir, "deploy"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"mkscores": mkScores},
	})
}

// TestActionInputs: what the action's expressions name is there.
func TestActionInputs(t *testing.T) {
	action := readYAML(t, "deploy/github/action.yml")
	inputs, _ := field(action, "inputs").(map[string]any)
	for _, m := range regexp.MustCompile(`inputs\.(\w+)`).FindAllStringSubmatch(deploy(t, "github/action.yml"), -1) {
		if inputs[m[1]] == nil {
			t.Errorf("the action has no input %s", m[1])
		}
	}
	if field(action, "runs", "using") != "composite" {
		t.Error("the action is not composite")
	}
}

// TestHook: the hook's command is one of the program.
func TestHook(t *testing.T) {
	hook := readYAML(t, ".pre-commit-hooks.yaml")
	entry, _ := field(hook, 0, "entry").(string)
	words := strings.Fields(entry)
	if len(words) < 2 || words[0] != "tattle" {
		t.Fatalf("entry %q", entry)
	}
	helpOf(t, append(words[1:], "--help"))
	for _, key := range []string{"id", "name", "language"} {
		if field(hook, 0, key) == nil {
			t.Errorf("the hook has no %s", key)
		}
	}
	must.Get(regexp.Compile(field(hook, 0, "files").(string)))(t)
	if tool, err := exec.LookPath("pre-commit"); err == nil {
		if out, err := exec.Command(tool, "validate-manifest", "../../.pre-commit-hooks.yaml").CombinedOutput(); err != nil {
			t.Errorf("pre-commit validate-manifest: %v\n%s", err, out)
		}
	}
}

// TestReleaser: archives for three systems and two processors, with checksums and SBOM.
func TestReleaser(t *testing.T) {
	c := readYAML(t, ".goreleaser.yaml")
	build := field(c, "builds", 0)
	for key, want := range map[string][]any{"goos": {"linux", "darwin", "windows"}, "goarch": {"amd64", "arm64"}, "env": {"CGO_ENABLED=0"}} {
		if got, _ := field(build, key).([]any); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
	if main, _ := field(build, "main").(string); main == "" || !exists(filepath.Join("../..", main, "main.go")) {
		t.Errorf("main: %q", main)
	}
	if field(c, "version") != 2 || field(c, "checksum", "algorithm") != "sha256" || field(c, "sboms", 0, "artifacts") != "archive" {
		t.Error("the version must be 2, with SHA-256 and an SBOM of each archive")
	}
	if goreleaser, err := exec.LookPath("goreleaser"); err == nil {
		cmd := exec.Command(goreleaser, "check")
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("goreleaser check: %v\n%s", err, out)
		}
	}
}

// mostImage is the largest size of the container's program, in bytes.
const mostImage = 40 << 20

// TestContainer builds the program as the container file does, and checks that it is static and
// small; with docker or buildah, it builds the image.
func TestContainer(t *testing.T) {
	shared.Long(t, "links the program")
	text := deploy(t, "container/Containerfile")
	last := text[strings.LastIndex(text, "\nFROM "):]
	for _, want := range []string{"\nFROM scratch\n", "\nUSER 65532:65532\n", "\nENTRYPOINT [\"/tattle\"]\n"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last stage has no %q", strings.TrimSpace(want))
		}
	}
	m := regexp.MustCompile(`RUN CGO_ENABLED=0 go build -trimpath -ldflags "([^"]+)" -o /tattle (\S+)`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("there is no go build")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the container's program is for Linux")
	}
	if on := must.Get(exec.Command("go", "env", "CGO_ENABLED").Output())(t); strings.TrimSpace(string(on)) != "0" {
		t.Skip("the program is linked where CGO_ENABLED=0, as in the gate: all packages would be compiled anew here")
	}
	path := filepath.Join(t.TempDir(), "tattle")
	cmd := exec.Command("go", "build", "-ldflags", m[1], "-o", path, m[2]) // without -trimpath, to use what is compiled
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > mostImage {
		t.Errorf("the program has %d bytes, at most %d: %v", info.Size(), mostImage, err)
	}
	f := must.Get(elf.Open(path))(t)
	defer f.Close()
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Error("the program is not static")
	}
	for _, builder := range [][]string{{"docker", "info"}, {"buildah", "info"}} {
		if exec.Command(builder[0], builder[1]).Run() != nil {
			continue
		}
		build := exec.Command(builder[0], "build", "-f", "deploy/container/Containerfile", "-t", "tattle-test", ".")
		build.Dir = "../.."
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("%s build: %v\n%s", builder[0], err, out)
		}
		return
	}
	t.Log("no image was built: neither docker nor buildah works here")
}
