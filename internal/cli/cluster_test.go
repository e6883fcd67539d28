package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tattle/cluster"
)

// hostile are names that a shell or YAML would take apart.
var hostile = []string{
	"plain", "two words", "it's", `"`, `\`, "$HOME", "$(touch owned)", "`touch owned`", "a;b", "a&b", "a|b", "*", "~", "#", "- x", ": x", "{}", "[x]",
	"!!str", "&a", "%", "@", "yes", "null", "0x10", "1e3", "'\"'", "$$", "$(JOB_COMPLETION_INDEX)", "COMMAND", "日本", "é ", "{{x}}", "--out", "<b>", "\\x00",
}

// runs runs a command line.
func runs(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, err bytes.Buffer
	status = execute(t.Context(), args, &out, &err)
	return out.String(), err.String(), status
}

// TestSlurmScript runs the printed script with a program that tells its arguments, under
// names that a shell would take apart.
func TestSlurmScript(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "it's $(a) \"program\"")
	writeFile(t, program, "#!/bin/bash\nprintf '%s\\0' \"$GOMAXPROCS\" \"$@\"\nexit 5\n", 0o755)
	for _, name := range hostile {
		folder := "/shared/" + name + "/x"
		script, said, status := runs(t, "cluster", "slurm", "--folder", folder, "--program", program, "--count", "3")
		if status != 0 {
			t.Fatalf("%q: %s", name, said)
		}
		c := exec.Command("bash", "-c", script)
		c.Dir = dir
		c.Env = []string{"SLURM_ARRAY_TASK_ID=2", "SLURM_CPUS_PER_TASK=7", "PATH=" + os.Getenv("PATH")}
		got, err := c.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 5 || len(exit.Stderr) > 0 {
			t.Errorf("%q: ends with %v: %s", name, err, exit.Stderr)
		}
		want := strings.Join([]string{"7", "worker", "--folder", filepath.Clean(folder), "--index", "2", "--of", "3", ""}, "\x00")
		if string(got) != want {
			t.Errorf("%q: the worker is given %q, wanted %q", name, got, want)
		}
	}
	if exists(filepath.Join(dir, "owned")) {
		t.Error("a name was executed")
	}
	script, _, _ := runs(t, "cluster", "slurm", "--cluster", "tls://a:1,tls://b:1", "--cluster-token-file", "my token", "--cluster-ca", "/ca", "--cluster-cert", "c", "--cluster-key", "k",
		"--run", "0123456789abcdef", "--count", "9", "--at-once", "2", "--cpus", "4", "--memory", "800M", "--time", "1-12", "--partition", "a,b", "--account", "me", "--qos", "low", "--job-name", "age")
	wd, _ := os.Getwd()
	for _, want := range []string{
		"#SBATCH --array=0-8%2\n", "#SBATCH --cpus-per-task=4\n", "#SBATCH --mem=800M\n", "#SBATCH --time=1-12\n", "#SBATCH --partition=a,b\n", "#SBATCH --account=me\n", "#SBATCH --qos=low\n",
		"#SBATCH --job-name=age\n", "#SBATCH --output=age-%A-%a.log\n", "#SBATCH --requeue\n", "#SBATCH --signal=B:USR1@120\n",
		" worker --cluster tls://a:1,tls://b:1 --idle 10m --run 0123456789abcdef --cluster-token-file " + quote(wd+"/my token") + " --cluster-ca /ca --cluster-cert " + wd + "/c --cluster-key " + wd + "/k &\n",
	} {
		if !strings.Contains(script, want) {
			t.Errorf("lacks %q:\n%s", want, script)
		}
	}
	file := filepath.Join(dir, "workers.sh")
	writeFile(t, file, script, 0o755)
	if out, err := exec.Command("bash", "-n", file).CombinedOutput(); err != nil {
		t.Errorf("bash -n: %s", out)
	}
	if _, err := exec.LookPath("shellcheck"); err == nil {
		if out, err := exec.Command("shellcheck", file).CombinedOutput(); err != nil {
			t.Errorf("shellcheck: %s", out)
		}
	}
}

// TestSlurmTimes reads time limits as Slurm does.
func TestSlurmTimes(t *testing.T) {
	for text, want := range map[string]int{"10": 600, "10:30": 630, "1:02:03": 3723, "1-2": 93600, "1-2:3": 93780, "1-2:3:4": 93784, "UNLIMITED": 0, "0": 0} {
		if got := slurmSeconds(text); got != want {
			t.Errorf("%s: %d seconds, wanted %d", text, got, want)
		}
	}
}

// TestSlurmSignals ends the worker, once, and queues the job again only where the time
// limit ended it.
func TestSlurmSignals(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "scontrol"), "#!/bin/bash\necho \"scontrol $*\"\n", 0o755)
	program := filepath.Join(dir, "worker")
	writeFile(t, program, `#!/bin/bash
trap 'echo TERM; kill $s; exit "$STATUS"' TERM
sleep 20 >/dev/null & s=$!
echo up
wait
`, 0o755)
	script, _, _ := runs(t, "cluster", "slurm", "--folder", "/x", "--program", program)
	for name, c := range map[string]struct {
		signal syscall.Signal
		whole  bool // the job, as scancel signals it, not only its script
		status string
		want   string
	}{
		"time limit":           {syscall.SIGUSR1, false, "3", "up\nTERM\nscontrol requeue 7_2\n"},
		"time limit, all done": {syscall.SIGUSR1, false, "0", "up\nTERM\n"},
		"cancelled":            {syscall.SIGTERM, true, "3", "up\nTERM\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := exec.Command("bash", "-c", script)
			p.Env = []string{"SLURM_ARRAY_TASK_ID=2", "SLURM_ARRAY_JOB_ID=7", "STATUS=" + c.status, "PATH=" + dir + ":" + os.Getenv("PATH")}
			p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := p.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			defer syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
			first := make([]byte, 3)
			if _, err := io.ReadFull(out, first); err != nil {
				t.Fatal(err)
			}
			to := p.Process.Pid
			if c.whole {
				to = -to
			}
			if err := syscall.Kill(to, c.signal); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(out)
			p.Wait()
			if got := string(first) + string(rest); got != c.want {
				t.Errorf("says %q, wanted %q", got, c.want)
			}
			// Where both are signalled at once, bash may not know the worker's.
			if got := fmt.Sprint(p.ProcessState.ExitCode()); got != c.status && !(c.whole && got != "0") {
				t.Errorf("status %s, the worker's was %s", got, c.status)
			}
		})
	}
}

// TestClusterPrintsRefuse names what a scheduler would misread.
func TestClusterPrintsRefuse(t *testing.T) {
	t.Setenv("TATTLE_CLUSTER", "")
	slurm := []string{"cluster", "slurm"}
	kubernetes := []string{"cluster", "kubernetes", "--image", "i"}
	folder := []string{"--folder", "/runs/x"}
	for _, c := range []struct {
		base  []string
		flags []string
		want  string
	}{
		{slurm, nil, "neither --cluster nor --folder"},
		{slurm, []string{"--cluster", "nats://10.0.0.1"}, "write tls://"},
		{slurm, []string{"--cluster", "tls://10.0.0.1"}, "token or an NKey"},
		{slurm, []string{"--cluster", "nats://127.0.0.1\n#SBATCH --wrap=x"}, "do not print"},
		{slurm, append(folder, "--cluster", "nats://127.0.0.1"), "two ways"},
		{slurm, append(folder, "--run", "0123456789abcdef"), "--run is of --cluster"},
		{slurm, []string{"--cluster", "nats://127.0.0.1", "--run", "x y"}, "16 of the digits"},
		{slurm, []string{"--cluster", "nats://127.0.0.1", "--idle", "1m;x"}, "--idle"},
		{slurm, []string{"--folder", "a\nb"}, "do not print"},
		{slurm, []string{"--folder", "a\xffb"}, "do not print"},
		{slurm, append(folder, "--program", "a\rb"), "do not print"},
		{slurm, append(folder, "--partition", "x y"), "--partition"},
		{slurm, append(folder, "--partition", "x\n#SBATCH --uid=0"), "--partition"},
		{slurm, append(folder, "--account", "-x"), "--account"},
		{slurm, append(folder, "--qos", "$x"), "--qos"},
		{slurm, append(folder, "--job-name", "a/b"), "--job-name"},
		{slurm, append(folder, "--memory", "4 GB"), "--memory"},
		{slurm, append(folder, "--time", "soon"), "--time"},
		{slurm, append(folder, "--time", "00:05:00"), "would do nothing"},
		{slurm, append(folder, "--time", "5"), "would do nothing"},
		{slurm, append(folder, "--count", "0"), "at least 1"},
		{slurm, append(folder, "--count", "4000002"), "at most"},
		{kubernetes, []string{"--cluster", "tls://a", "--count", "100001"}, "at most 100000"},
		{kubernetes, nil, "neither --cluster nor --folder"},
		{kubernetes, []string{"--cluster", "nats://127.0.0.1"}, "every pod to itself"},
		{kubernetes, []string{"--cluster", "tls://a", "--token-secret", ""}, "token or an NKey"},
		{kubernetes, folder, "--claim is missing"},
		{kubernetes, []string{"--folder", "/elsewhere", "--claim", "c"}, "lies not below /runs"},
		{kubernetes, []string{"--folder", "/runs/../x", "--claim", "c"}, "lies not below /runs"},
		{kubernetes, append(folder, "--claim", "c", "--mount", "/"), "--mount"},
		{kubernetes, append(folder, "--claim", "C d"), "--claim"},
		{kubernetes, []string{"--cluster", "tls://a", "--job-name", "A"}, "--job-name"},
		{kubernetes, []string{"--cluster", "tls://a", "--job-name", "a\nb"}, "--job-name"},
		{kubernetes, []string{"--cluster", "tls://a", "--image", "a b"}, "--image"},
		{kubernetes, []string{"--cluster", "tls://a", "--memory", "1x"}, "--memory"},
	} {
		_, said, status := runs(t, append(append([]string{}, c.base...), c.flags...)...)
		if status != statusUsage || !strings.Contains(said, c.want) || strings.Count(said, "\n") > 2 {
			t.Errorf("%q: status %d, says %q, wanted %q", c.flags, status, said, c.want)
		}
	}
}

// TestKubernetesManifest reads the printed manifest back, by a strict reader of the YAML
// that is printed, and by Python's where there is one.
func TestKubernetesManifest(t *testing.T) {
	t.Setenv("TATTLE_CLUSTER", "")
	var all []string
	for _, name := range hostile {
		folder := "/runs/" + name + "/x"
		text, said, status := runs(t, "cluster", "kubernetes", "--folder", folder, "--claim", "runs", "--program="+name, "--image", "a/b:1", "--count", "12", "--at-once", "5")
		if status != 0 {
			t.Fatalf("%q: %s", name, said)
		}
		m := readYAML(t, text)
		w := at(m, "spec", "template", "spec", "containers", 0)
		if got, want := at(w, "args"), []any{"worker", "--folder", strings.ReplaceAll(folder, "$", "$$"), "--index", "$(JOB_COMPLETION_INDEX)", "--of", "12"}; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: args %q, wanted %q", name, got, want)
		}
		if got := at(w, "command", 0); got != strings.ReplaceAll(name, "$", "$$") {
			t.Errorf("%q: command %q", name, got)
		}
		all = append(all, text)
	}
	text, _, _ := runs(t, "cluster", "kubernetes", "--cluster", "tls://a:1", "--run", "0123456789abcdef", "--image", "a/b:1", "--namespace", "n", "--ca-secret", "ca", "--cert-secret", "c", "--time", "60", "--cpus", "3", "--memory", "2Gi")
	seed, _, _ := runs(t, "cluster", "kubernetes", "--cluster", "tls://a:1", "--image", "a/b:1", "--nkey-secret", "k")
	all = append(all, text, seed)
	m := readYAML(t, text)
	pod := at(m, "spec", "template", "spec")
	w := at(pod, "containers", 0)
	for _, c := range []struct{ got, want any }{
		{at(m, "apiVersion"), "batch/v1"}, {at(m, "kind"), "Job"}, {at(m, "metadata", "namespace"), "n"},
		{at(m, "spec", "completionMode"), "Indexed"}, {at(m, "spec", "completions"), 4}, {at(m, "spec", "parallelism"), 4},
		{at(m, "spec", "backoffLimitPerIndex"), 3}, {at(m, "spec", "activeDeadlineSeconds"), 60},
		{at(m, "spec", "podFailurePolicy", "rules", 0, "onPodConditions", 0, "type"), "DisruptionTarget"},
		{at(m, "spec", "podFailurePolicy", "rules", 1, "onExitCodes", "values", 0), statusUsage},
		{at(pod, "restartPolicy"), "Never"}, {at(pod, "securityContext", "runAsNonRoot"), true},
		{at(w, "resources", "limits", "cpu"), "3"}, {at(w, "resources", "limits", "memory"), "2Gi"},
		{at(w, "env", 0, "value"), "3"},
		{at(w, "env", 2, "name"), "TATTLE_CLUSTER_TOKEN"}, {at(w, "env", 2, "valueFrom", "secretKeyRef", "name"), "tattle-token"},
		{at(w, "volumeMounts", 1, "mountPath"), podCA}, {at(pod, "volumes", 1, "secret", "secretName"), "ca"},
		{at(w, "args"), []any{"worker", "--cluster", "tls://a:1", "--idle", "10m", "--run", "0123456789abcdef", "--scratch", "/tmp/tattle",
			"--cluster-ca", podCA + "/ca.crt", "--cluster-cert", podCert + "/tls.crt", "--cluster-key", podCert + "/tls.key"}},
		{at(readYAML(t, seed), "spec", "template", "spec", "volumes", 1, "secret", "secretName"), "k"},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("got %v, wanted %v", c.got, c.want)
		}
	}
	readByPython(t, all)
}

// readByPython holds the strict reader to another one.
func readByPython(t *testing.T, all []string) {
	t.Helper()
	python := exec.Command("python3", "-c", "import json,sys,yaml; json.dump([yaml.safe_load(x) for x in json.load(sys.stdin)], sys.stdout)")
	in, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	python.Stdin = bytes.NewReader(in)
	out, err := python.Output()
	if err != nil {
		t.Logf("no Python with yaml here: %v", err)
		return
	}
	var theirs []any
	if err := json.Unmarshal(out, &theirs); err != nil {
		t.Fatal(err)
	}
	for i, text := range all {
		ours, err := json.Marshal(readYAML(t, text))
		if err != nil {
			t.Fatal(err)
		}
		python, _ := json.Marshal(theirs[i])
		if !bytes.Equal(ours, python) {
			t.Errorf("Python reads %s, and we %s", python, ours)
		}
	}
}

// at follows keys and indices.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// A yamlReader reads the part of YAML that the manifest is written in, and nothing else:
// mappings and lists in blocks, strings as in JSON, plain words, whole numbers.
type yamlReader struct {
	t     *testing.T
	lines []string
}

func readYAML(t *testing.T, text string) any {
	t.Helper()
	r := &yamlReader{t: t}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if trimmed := strings.TrimLeft(line, " "); trimmed != "" && trimmed[0] != '#' {
			r.lines = append(r.lines, line)
		}
	}
	v := r.block(0)
	if len(r.lines) > 0 {
		t.Fatalf("left over: %q", r.lines[0])
	}
	return v
}

func depth(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// block reads what begins at a depth.
func (r *yamlReader) block(d int) any {
	if strings.HasPrefix(r.lines[0][d:], "- ") {
		var list []any
		for len(r.lines) > 0 && depth(r.lines[0]) == d && strings.HasPrefix(r.lines[0][d:], "- ") {
			rest := r.lines[0][d+2:]
			if yamlKey.MatchString(rest) {
				r.lines[0] = r.lines[0][:d] + "  " + rest
				list = append(list, r.block(d+2))
				continue
			}
			r.lines = r.lines[1:]
			list = append(list, r.scalar(rest))
		}
		return list
	}
	m := map[string]any{}
	for len(r.lines) > 0 && depth(r.lines[0]) == d && !strings.HasPrefix(r.lines[0][d:], "- ") {
		found := yamlKey.FindStringSubmatch(r.lines[0][d:])
		if found == nil {
			r.t.Fatalf("no key: %q", r.lines[0])
		}
		r.lines = r.lines[1:]
		if _, twice := m[found[1]]; twice {
			r.t.Fatalf("%s twice", found[1])
		}
		if found[2] != "" {
			m[found[1]] = r.scalar(found[2])
			continue
		}
		m[found[1]] = r.block(depth(r.lines[0]))
	}
	return m
}

var (
	yamlKey  = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9./]*):(?: (.+))?$`)
	yamlWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)
)

func (r *yamlReader) scalar(s string) any {
	switch n, err := strconv.Atoi(s); {
	case err == nil:
		return n
	case s == "true", s == "false":
		return s == "true"
	case s == "{}":
		return map[string]any{}
	case strings.HasPrefix(s, "["):
		return []any{r.scalar(strings.Trim(s, "[]"))}
	case yamlWord.MatchString(s):
		return s
	}
	var text string
	if err := json.Unmarshal([]byte(s), &text); err != nil {
		r.t.Fatalf("no scalar: %q: %v", s, err)
	}
	return text
}

// TestClusterServe starts a server by the command line, follows what it prints, and ends
// it.
func TestClusterServe(t *testing.T) {
	t.Setenv("TATTLE_CLUSTER_TOKEN", "")
	t.Setenv("TATTLE_CLUSTER_TOKEN_FILE", "")
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in, out := io.Pipe()
	var said bytes.Buffer
	end := make(chan int, 1)
	go func() {
		end <- execute(ctx, []string{"cluster", "serve", "--listen", "127.0.0.1:0", "--store", filepath.Join(dir, "store"), "--token-file", token, "--make-token", "--nkeys", filepath.Join(dir, "keys"), "--make-nkey", filepath.Join(dir, "seed")}, out, &said)
		out.Close()
	}()
	printed := make([]byte, 1000)
	n, err := io.ReadAtLeast(in, printed, 20)
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	go io.Copy(io.Discard, in)
	found := regexp.MustCompile(`workers: tattle worker --cluster (\S+) --cluster-token-file (\S+)\n`).FindSubmatch(printed[:n])
	if found == nil || string(found[2]) != token {
		t.Fatalf("prints %q", printed[:n])
	}
	if info, err := os.Stat(token); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token: %v, %v", info, err)
	}
	if _, err := cluster.Connect(ctx, cluster.Dial{URL: string(found[1])}); err == nil || !strings.Contains(err.Error(), "refused: the token") {
		t.Errorf("a stranger is told %v", err)
	}
	for _, d := range []cluster.Dial{{TokenFile: token}, {NKeyFile: filepath.Join(dir, "seed")}} {
		d.URL = string(found[1])
		conn, err := cluster.Connect(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	cancel()
	if status := <-end; status != 0 {
		t.Errorf("status %d: %s", status, said.String())
	}
	secret, _ := os.ReadFile(token)
	if strings.Contains(said.String()+string(printed[:n]), strings.TrimSpace(string(secret))) {
		t.Error("the token is printed")
	}
	if _, said, status := runs(t, "cluster", "serve", "--make-token", "--store", dir); status != statusUsage || !strings.Contains(said, "--token-file") {
		t.Errorf("status %d: %s", status, said)
	}
	if _, said, status := runs(t, "cluster", "serve", "--make-nkey", "seed", "--store", dir); status != statusUsage || !strings.Contains(said, "--nkeys") {
		t.Errorf("status %d: %s", status, said)
	}
	if _, said, status := runs(t, "cluster", "serve", "--listen", "0.0.0.0:0", "--store", dir); status == 0 || !strings.Contains(said, "needs TLS and a token") {
		t.Errorf("status %d: %s", status, said)
	}
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
