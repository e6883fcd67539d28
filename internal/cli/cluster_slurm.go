package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"tattle/cluster"
)

type clusterSlurmCmd struct {
	dialFlags
	workFlags
	Count     int    `help:"How many workers." default:"4" placeholder:"N"`
	AtOnce    int    `help:"How many of them at a time (default: all)." placeholder:"N"`
	Cpus      int    `help:"Cores of each." default:"1" placeholder:"N"`
	Memory    string `help:"Memory of each." default:"4G" placeholder:"SIZE"`
	Time      string `help:"Time limit of each, in any of Slurm's ways. A worker that reaches it gives its shard back and is queued again." default:"24:00:00" placeholder:"TIME"`
	Partition string `help:"Partition (default: the site's)." placeholder:"NAME"`
	Account   string `help:"Account (default: the user's)." placeholder:"NAME"`
	Qos       string `help:"Quality of service (default: the site's)." placeholder:"NAME"`
	JobName   string `help:"Name of the job." default:"tattle" placeholder:"NAME"`
	Program   string `help:"The tattle that nodes start (default: this one, where nodes see the same path)." placeholder:"FILE"`
}

func (clusterSlurmCmd) Help() string {
	return `Example: tattle cluster slurm --cluster tls://head:4222 --cluster-token-file ~/token --cluster-ca ~/ca.pem --count 16 > workers.sh

Example: tattle cluster slurm --folder run --count 16 > workers.sh

Then sbatch workers.sh. The script holds no secret, only where nodes find it. Workers end when there is nothing left to do (--idle); a node that is lost, and a time limit, cost at most the shards under way. With --folder nothing connects to anything: tattle merge DIR gathers what the array did. docs/cluster.md tells more.`
}

// Run prints the script.
func (c *clusterSlurmCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	here, _ := cluster.CheckURL(c.Cluster)
	switch {
	case c.Cluster == "":
	case here:
		e.say("--cluster %s leads every node to itself: on several nodes name the server's host, with tls://", c.Cluster)
	case c.ClusterTokenFile == "" && c.ClusterNKeyFile == "":
		return usage(errors.New("beyond one machine workers show a token or an NKey, from a file that all nodes see"), "--cluster-token-file FILE")
	}
	return c.script(e.stdout)
}

// What Slurm takes in lines of its own, where no quotes protect.
var (
	slurmName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
	slurmNames  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.,-]{0,255}$`)
	slurmMemory = regexp.MustCompile(`^[1-9][0-9]{0,8}[KMGT]?$`)
	slurmTime   = regexp.MustCompile(`^([0-9]{1,5}(:[0-9]{1,2}){0,2}|[0-9]{1,4}-[0-9]{1,2}(:[0-9]{1,2}){0,2}|UNLIMITED)$`)
)

// maxSlurm is the largest index that Slurm knows at all; sites allow less.
const maxSlurm = 4000001

func (c *clusterSlurmCmd) check() error {
	if c.Count < 1 || c.Count > maxSlurm || c.AtOnce < 0 || c.Cpus < 1 {
		return usage(fmt.Errorf("--count and --cpus are at least 1, --count at most %d", maxSlurm), "")
	}
	names := "letters, digits and _.-"
	err := errors.Join(
		matches("--memory", c.Memory, slurmMemory, "write it as 4G"),
		matches("--time", c.Time, slurmTime, "write it as 24:00:00 or 2-12"),
		matches("--partition", c.Partition, slurmNames, names),
		matches("--account", c.Account, slurmName, names),
		matches("--qos", c.Qos, slurmName, names),
		matches("--job-name", c.JobName, slurmName, names),
	)
	if err != nil {
		return first(err)
	}
	if t := slurmSeconds(c.Time); t > 0 && t < 3*slurmGrace {
		return usage(fmt.Errorf("--time %s: workers are told up to %d minutes before it, and would do nothing", c.Time, (slurmGrace+60)/60), fmt.Sprintf("give them %d minutes at least", 3*slurmGrace/60))
	}
	for _, f := range append(c.secrets(), [2]string{"--cluster", c.Cluster}, [2]string{"--folder", c.Folder}, [2]string{"--program", c.Program}) {
		if err := printable(f[0], f[1]); err != nil {
			return err
		}
	}
	return c.workFlags.check(c.Cluster)
}

// slurmSeconds reads a time limit: minutes[:seconds], hours:minutes:seconds, or
// days-hours[:minutes[:seconds]]. No limit is 0.
func slurmSeconds(limit string) int {
	days, rest, long := strings.Cut(limit, "-")
	if !long {
		days, rest = "0", limit
	}
	parts := strings.Split(rest, ":")
	unit := 3600
	if !long && len(parts) < 3 {
		unit = 60
	}
	total, _ := strconv.Atoi(days)
	total *= 86400
	for _, p := range parts {
		n, _ := strconv.Atoi(p)
		total += n * unit
		unit /= 60
	}
	return total
}

// first is the first of joined errors: people mend one at a time.
func first(err error) error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()[0]
	}
	return err
}

// secrets are the files that a connection needs, with their flags.
func (c *clusterSlurmCmd) secrets() [][2]string {
	return [][2]string{
		{"--cluster-token-file", c.ClusterTokenFile}, {"--cluster-nkey-file", c.ClusterNKeyFile},
		{"--cluster-ca", c.ClusterCA}, {"--cluster-cert", c.ClusterCert}, {"--cluster-key", c.ClusterKey},
	}
}

// command is a worker's command line. Secrets stay in their files.
func (c *clusterSlurmCmd) command() string {
	program := c.Program
	if program == "" {
		program = ourselves()
	}
	w := c.workFlags
	w.Folder = everywhere(w.Folder)
	const index = "\x00"
	args := append([]string{program, "worker"}, w.worker(c.Cluster, index, c.Count)...)
	if c.Cluster != "" {
		for _, f := range c.secrets() {
			if f[1] != "" {
				args = append(args, f[0], everywhere(f[1]))
			}
		}
	}
	return strings.Replace(quoted(args), quote(index), `"$SLURM_ARRAY_TASK_ID"`, 1)
}

// slurmGrace is how long before its time limit a worker is told, in seconds.
const slurmGrace = 120

// script writes the job array.
func (c *clusterSlurmCmd) script(w io.Writer) error {
	array := fmt.Sprintf("0-%d", c.Count-1)
	if c.AtOnce > 0 {
		array += fmt.Sprintf("%%%d", c.AtOnce)
	}
	lines := []string{
		"#!/bin/bash",
		"# Workers of tattle: sbatch this file. Printed by tattle cluster slurm.",
		"#SBATCH --job-name=" + c.JobName,
		"#SBATCH --array=" + array,
		"#SBATCH --ntasks=1",
		fmt.Sprintf("#SBATCH --cpus-per-task=%d", c.Cpus),
		"#SBATCH --mem=" + c.Memory,
		"#SBATCH --time=" + c.Time,
	}
	for _, f := range [][2]string{{"partition", c.Partition}, {"account", c.Account}, {"qos", c.Qos}} {
		if f[1] != "" {
			lines = append(lines, "#SBATCH --"+f[0]+"="+f[1])
		}
	}
	lines = append(lines,
		"#SBATCH --output="+c.JobName+"-%A-%a.log",
		"#SBATCH --open-mode=append",
		"# A node that is lost, or a job that makes way for another: queued again.",
		"#SBATCH --requeue",
		"# So many seconds before the time limit this script alone gets USR1.",
		fmt.Sprintf("#SBATCH --signal=B:USR1@%d", slurmGrace),
	)
	_, err := fmt.Fprintf(w, "%s\n%s", strings.Join(lines, "\n"), strings.NewReplacer("COMMAND", c.command()).Replace(slurmBody))
	return err
}

const slurmBody = `
export GOMAXPROCS="${SLURM_CPUS_PER_TASK:-1}"

# At the time limit the worker gives its shard back, and the job is queued again.
# scancel and preemption signal the worker, too; only where they do not, we do.
again='' stop='' worker=''
trap 'again=1; [ -z "$worker" ] || kill -TERM "$worker" 2>/dev/null' USR1
trap 'stop=1' TERM INT

COMMAND &
worker=$!
[ -z "$again" ] || kill -TERM "$worker"

# A signal ends wait, not the worker.
while kill -0 "$worker" 2>/dev/null; do
	wait "$worker"
	for _ in ${stop:+1 2 3 4 5}; do
		kill -0 "$worker" 2>/dev/null && sleep 1
	done
	[ -z "$stop" ] || kill -TERM "$worker" 2>/dev/null
	stop=
done
wait "$worker"
status=$?

if [ -n "$again" ] && [ "$status" -ne 0 ]; then
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$status"
`
