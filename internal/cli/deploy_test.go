package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v3"

	"tattle/internal/must"
)

// deploy returns a file of deploy/.
func deploy(t *testing.T, name string) string {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join("../../deploy", name)))(t)
	return string(b)
}

// workerArgs parses the command line of a worker with the program's own parser.
func workerArgs(t *testing.T, args []string) *workerCmd {
	t.Helper()
	k := must.Get(parse(args, io.Discard, io.Discard))(t, args)
	return k.Selected().Target.Addr().Interface().(*workerCmd)
}

// field follows keys and indices into YAML.
func field(v any, path ...any) any {
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

// TestKubernetesFiles checks the Jobs in deploy/kubernetes.
func TestKubernetesFiles(t *testing.T) {
	var job map[string]any
	must.Do(t, yaml.Unmarshal([]byte(deploy(t, "kubernetes/workers.yaml")), &job))
	{
		pod := field(job, "spec", "template", "spec")
		worker := field(pod, "containers", 0)
		for _, c := range []struct{ got, want any }{
			{field(job, "apiVersion"), "batch/v1"}, {field(job, "kind"), "Job"},
			{field(job, "spec", "completionMode"), "Indexed"}, {field(job, "spec", "completions"), 16},
			{field(job, "spec", "backoffLimitPerIndex"), 3},
			{field(job, "spec", "podFailurePolicy", "rules", 0, "onPodConditions", 0, "type"), "DisruptionTarget"},
			{field(job, "spec", "podFailurePolicy", "rules", 1, "onExitCodes", "containerName"), field(worker, "name")},
			{field(job, "spec", "podFailurePolicy", "rules", 1, "onExitCodes", "values", 0), statusUsage},
			{field(job, "spec", "template", "metadata", "labels"), field(job, "metadata", "labels")},
			{field(pod, "restartPolicy"), "Never"}, {field(pod, "securityContext", "runAsNonRoot"), true},
			{field(worker, "securityContext", "readOnlyRootFilesystem"), true},
			{field(worker, "resources", "limits"), field(worker, "resources", "requests")},
			{field(worker, "env", 0, "name"), "GOMAXPROCS"}, {field(worker, "env", 0, "value"), field(worker, "resources", "limits", "cpu")},
			{field(worker, "command"), []any{"tattle"}},
		} {
			if !reflect.DeepEqual(c.got, c.want) {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		}
		volumes := map[any]bool{}
		for _, v := range field(pod, "volumes").([]any) {
			volumes[field(v, "name")] = true
		}
		for _, m := range field(worker, "volumeMounts").([]any) {
			if !volumes[field(m, "name")] {
				t.Errorf("no volume %v", field(m, "name"))
			}
		}
	}
	var line []string
	worker := field(job, "spec", "template", "spec", "containers", 0)
	for _, a := range field(worker, "args").([]any) {
		line = append(line, a.(string))
	}
	w := workerArgs(t, line)
	if !strings.HasPrefix(w.Dir, field(worker, "volumeMounts", 1, "mountPath").(string)+"/") || w.Scratch != field(worker, "volumeMounts", 0, "mountPath") {
		t.Errorf("%+v", w)
	}
}

// slurmScript returns deploy/slurm/workers.sh and a folder of programs that it finds first:
// a tattle of that text, and an scontrol that prints its arguments.
func slurmScript(t *testing.T, tattle string) (script, programs string) {
	t.Helper()
	if out, err := exec.Command("bash", "-n", "../../deploy/slurm/workers.sh").CombinedOutput(); err != nil {
		t.Fatalf("bash -n: %s", out)
	}
	programs = t.TempDir()
	writeFile(t, filepath.Join(programs, "tattle"), tattle, 0o755)
	writeFile(t, filepath.Join(programs, "scontrol"), "#!/bin/bash\necho \"scontrol $*\"\n", 0o755)
	return deploy(t, "slurm/workers.sh"), programs
}

// TestSlurmScript runs the script's command line.
func TestSlurmScript(t *testing.T) {
	script, programs := slurmScript(t, "#!/bin/bash\nprintf '%s\\0' \"$GOMAXPROCS\" \"$@\"\nexit 5\n")
	c := exec.Command("bash", "-c", script)
	c.Env = []string{"SLURM_CPUS_PER_TASK=7", "HOME=/my home", "PATH=" + programs + ":" + os.Getenv("PATH")}
	out, err := c.Output()
	if c.ProcessState.ExitCode() != 5 {
		t.Fatal(err)
	}
	args := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if w := workerArgs(t, args[1:]); args[0] != "7" || w.Dir != "/my home/run" {
		t.Errorf("GOMAXPROCS is %s; %+v", args[0], w)
	}
}

// TestSlurmSignals ends the worker, once, and queues the job again only if the time limit
// ended it.
func TestSlurmSignals(t *testing.T) {
	script, programs := slurmScript(t, `#!/bin/bash
trap 'echo TERM; kill $s; exit "$STATUS"' TERM
sleep 20 >/dev/null & s=$!
echo up
wait
`)
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
			p.Env = []string{"SLURM_ARRAY_TASK_ID=2", "SLURM_ARRAY_JOB_ID=7", "STATUS=" + c.status, "PATH=" + programs + ":" + os.Getenv("PATH")}
			p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out := must.Get(p.StdoutPipe())(t)
			must.Do(t, p.Start())
			defer syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
			first := make([]byte, 3)
			must.Get(io.ReadFull(out, first))(t)
			to := p.Process.Pid
			if c.whole {
				to = -to
			}
			must.Do(t, syscall.Kill(to, c.signal))
			rest, _ := io.ReadAll(out)
			p.Wait()
			if got := string(first) + string(rest); got != c.want {
				t.Errorf("says %q, want %q", got, c.want)
			}
			// Where both are signalled at once, bash may not know the worker's.
			if got := fmt.Sprint(p.ProcessState.ExitCode()); got != c.status && !(c.whole && got != "0") {
				t.Errorf("status %s, the worker's was %s", got, c.status)
			}
		})
	}
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), mode))
}
