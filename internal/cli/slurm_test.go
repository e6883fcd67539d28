//go:build linux

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// A slurmSite is two nodes and their controller, in namespaces of the test's own: nothing
// outside them sees their network, their /etc/slurm or their processes. Each node has its
// own process namespace, so that killing its first process kills the node whole.
type slurmSite struct {
	t       *testing.T
	dir     string
	program string
	init    string // process ID of the namespaces' first process
}

// slurmSetup is what the namespaces' first process does; $D is the test's folder.
const slurmSetup = `
mount --make-rprivate /
ip link set lo up
ip addr add 10.77.0.1/32 dev lo # Slurm resolves no name where there is only loopback
hostname ctl
mount -t tmpfs none /run
for d in /etc/slurm /etc/munge /var/lib/munge /var/log/munge; do mkdir -p $d; mount -t tmpfs none $d; done
mkdir -p $D/state /run/munge
head -c 128 /dev/urandom > $D/munge.key; chmod 400 $D/munge.key
printf '127.0.0.1 localhost\n10.77.0.1 ctl n1 n2\n' > $D/hosts; mount --bind $D/hosts /etc/hosts
cat > /etc/slurm/slurm.conf <<E
ClusterName=test
SlurmctldHost=ctl(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=/run/munge/munge.socket.2,cred_expire=5
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool-%n
SlurmctldPidFile=$D/ctld.pid
SlurmdPidFile=$D/slurmd-%n.pid
SlurmctldLogFile=$D/ctld.log
SlurmdLogFile=$D/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdTimeout=5
MessageTimeout=5
KillWait=2
SlurmdParameters=config_overrides
NodeName=n1 NodeAddr=10.77.0.1 Port=16818 CPUs=1 RealMemory=1000
NodeName=n2 NodeAddr=10.77.0.1 Port=16819 CPUs=1 RealMemory=1000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
E
munged --foreground --key-file $D/munge.key --socket /run/munge/munge.socket.2 --pid-file /run/munge/pid --log-file $D/munge.log --seed-file $D/munge.seed --force &
for i in $(seq 200); do [ -S /run/munge/munge.socket.2 ] && break; sleep .05; done
slurmctld -D >$D/ctld.out 2>&1 &
for n in n1 n2; do
  mkdir -p $D/spool-$n
  unshare -mpu --fork --kill-child --mount-proc bash -c "hostname $n; slurmd -D -N $n >$D/slurmd-$n.out 2>&1; sleep 1000" &
  echo $! >$D/$n.unshare
done
wait
`

func newSlurmSite(t *testing.T) *slurmSite {
	t.Helper()
	var missing []string
	for _, p := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "unshare", "nsenter", "ip", "bash"} {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		t.Skipf("missing: %s (Debian: apt-get install --no-install-recommends slurmctld slurmd slurm-client munge iproute2)", strings.Join(missing, ", "))
	}
	if os.Geteuid() != 0 {
		t.Skip("namespaces with a network of their own, and munge, need root")
	}
	if out, err := exec.Command("unshare", "-mnpu", "--fork", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %s", out)
	}
	s := &slurmSite{t: t, dir: t.TempDir()}
	// The test itself, under the name by which it takes itself for the program.
	s.program = filepath.Join(s.dir, "tattle")
	must.Do(t, os.Link(must.Get(os.Executable())(t), s.program))
	c := exec.Command("unshare", "-mnpu", "--fork", "--kill-child", "--mount-proc", "bash", "-euc", slurmSetup)
	var said bytes.Buffer
	c.Env, c.Stdout, c.Stderr = append(os.Environ(), "D="+s.dir), &said, &said
	must.Do(t, c.Start())
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		if t.Failed() {
			t.Logf("site: %s", said.String())
			for _, pattern := range []string{"*.log", "*.out"} {
				logs, _ := filepath.Glob(filepath.Join(s.dir, pattern))
				for _, l := range logs {
					b, _ := os.ReadFile(l)
					t.Logf("%s: %s", filepath.Base(l), b[max(0, len(b)-600):])
				}
			}
		}
	})
	s.until("the namespaces are there", 10*time.Second, func() bool {
		s.init = firstChild(c.Process.Pid)
		return s.init != ""
	})
	s.until("two nodes are idle", 60*time.Second, func() bool {
		out, _ := s.inside("sinfo", "-h", "-o", "%D %t").Output()
		return string(out) == "2 idle\n"
	})
	return s
}

// firstChild is the process ID of a process's only child.
func firstChild(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if f := strings.Fields(string(b)); len(f) > 0 {
		return f[0]
	}
	return ""
}

func (s *slurmSite) until(what string, limit time.Duration, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(limit); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("waited in vain: %s", what)
		}
	}
}

// inside is a command that runs in the namespaces, in the test's folder.
func (s *slurmSite) inside(args ...string) *exec.Cmd {
	c := exec.Command("nsenter", append([]string{"-t", s.init, "-m", "-n", "-p", "-u", "bash", "-c", `cd "$0" && exec "$@"`, s.dir}, args...)...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1", "HOME="+s.dir, expiresVariable+"=3s")
	return c
}

// does runs a command to its end.
func (s *slurmSite) does(args ...string) string {
	s.t.Helper()
	out, err := s.inside(args...).Output()
	if err != nil {
		var said []byte
		if e, ok := err.(*exec.ExitError); ok {
			said = e.Stderr
		}
		s.t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, said)
	}
	return string(out)
}

// begins starts a command that ends with the test at the latest.
func (s *slurmSite) begins(args ...string) (c *exec.Cmd, log string) {
	s.t.Helper()
	c = s.inside(args...)
	f := must.Get(os.CreateTemp(s.dir, "*.out"))(s.t)
	defer f.Close()
	c.Stdout, c.Stderr = f, f
	must.Do(s.t, c.Start())
	s.t.Cleanup(func() { c.Process.Kill() })
	return c, f.Name()
}

// submit hands two workers to Slurm by the script in deploy/slurm, edited.
func (s *slurmSite) submit(run string) {
	s.t.Helper()
	script := deploy(s.t, "slurm/workers.sh")
	for old, new := range map[string]string{
		"--array=0-15": "--array=0-1", "--mem=4G": "--mem=400M", "--time=24:00:00": "--time=10",
		"$HOME/run": run, "\ntattle worker": "\n" + s.program + " worker",
	} {
		if !strings.Contains(script, old) {
			s.t.Fatalf("the script has no %q", old)
		}
		script = strings.Replace(script, old, new, 1)
	}
	must.Do(s.t, os.WriteFile(filepath.Join(s.dir, "workers.sh"), []byte(script), 0o666))
	s.does("sbatch", "workers.sh")
}

// kill ends a node as a power cut would: its slurmd, its job and the worker.
func (s *slurmSite) kill(node string) {
	s.t.Helper()
	var of int
	b, err := os.ReadFile(filepath.Join(s.dir, node+".unshare"))
	if err == nil {
		_, err = fmt.Sscan(string(b), &of)
	}
	must.Do(s.t, err)
	s.does("bash", "-c", fmt.Sprintf("kill -KILL $(cat /proc/%d/task/%d/children)", of, of))
}

// lines counts what a log of a job's says of a shard that is done.
func (s *slurmSite) lines(pattern, what string) (n int) {
	logs, _ := filepath.Glob(filepath.Join(s.dir, pattern))
	for _, l := range logs {
		b, _ := os.ReadFile(l)
		n += strings.Count(string(b), what)
	}
	return n
}

// same holds a run to the undisturbed one.
func (s *slurmSite) same(run string) {
	s.t.Helper()
	var read [2]map[string]any
	for i, dir := range []string{"alone", run} {
		b, err := os.ReadFile(filepath.Join(s.dir, dir, reportJSON))
		if err == nil {
			err = json.Unmarshal(b, &read[i])
		}
		must.Do(s.t, err)
		delete(read[i], "timing")
		delete(read[i], "rendered") // report.html shows the times
		delete(read[i], "command")
	}
	if !reflect.DeepEqual(read[0], read[1]) {
		s.t.Error("the reports differ")
	}
	one := must.Get(os.ReadFile(filepath.Join(s.dir, "alone", arraysFile)))(s.t)
	two, err := os.ReadFile(filepath.Join(s.dir, run, arraysFile))
	if err != nil || !bytes.Equal(one, two) {
		s.t.Errorf("the arrays differ: %v", err)
	}
}

// bound is the command line of the run, which takes some seconds.
func (s *slurmSite) bound(more ...string) []string {
	return append([]string{
		s.program, "bound", "--model", "model.onnx", "--data", "glyphs", "--examples", "512", "--method", "direct", "--restarts", "4", "--surface", "logits",
		"--no-cramer-rao", "--barankin", "1", "--far", "0", "--twins", "0", "--attack", "none",
	}, more...)
}

// TestSlurm runs the script on two nodes of a real Slurm. Both are killed in the middle of their
// work; the result is that of an undisturbed run.
func TestSlurm(t *testing.T) {
	shared.Long(t, "a run on two nodes of Slurm")
	s := newSlurmSite(t)
	s.does(s.program, "model", "mnist", "-o", "model.onnx")
	begun := time.Now()
	s.does(s.bound("--out", "alone")...)
	t.Logf("alone it takes %v", time.Since(begun))

	// Both nodes are killed, one after the other, while their workers compute. The jobs are queued
	// again, and the run is that of one process.
	s.does(s.bound("--out", "shared", "--prepare")...)
	s.submit("shared")
	s.until("both workers have done some", 60*time.Second, func() bool {
		return s.lines("tattle-*-0.log", " done in ") > 0 || s.lines("tattle-*-1.log", " done in ") > 0
	})
	s.kill("n1")
	s.kill("n2")
	s.revive("n1")
	s.revive("n2")
	begun = time.Now()
	s.over()
	t.Logf("with both nodes killed once the rest takes %v", time.Since(begun))
	s.same("shared")
}

// over waits until Slurm has nothing more to do.
func (s *slurmSite) over() {
	s.t.Helper()
	s.until("all jobs are over", 240*time.Second, func() bool { return s.does("squeue", "-h") == "" })
}

// revive starts a node again.
func (s *slurmSite) revive(node string) {
	s.t.Helper()
	s.begins("bash", "-c", strings.ReplaceAll(
		`unshare -mpu --fork --kill-child --mount-proc bash -c "hostname NODE; slurmd -D -N NODE >slurmd-NODE-again.out 2>&1; sleep 1000" &
		echo $! >NODE.unshare; wait`, "NODE", node))
	s.until("the node is back", 60*time.Second, func() bool {
		out, _ := s.inside("sinfo", "-h", "-n", node, "-o", "%t").Output()
		return slices.Contains([]string{"idle", "mix", "alloc"}, strings.TrimSpace(string(out)))
	})
}
