package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"tattle/cluster"
	"tattle/internal/file"
)

type clusterCmd struct {
	Serve      clusterServeCmd      `cmd:"" help:"Be the server of a cluster, or one of three, where a site has no NATS of its own."`
	Slurm      clusterSlurmCmd      `cmd:"" help:"Print a Slurm job array of workers."`
	Kubernetes clusterKubernetesCmd `cmd:"" help:"Print a Kubernetes Job of workers."`
}

// Where workers find work: one of these.
type workFlags struct {
	Run_   string `name:"run" help:"Work on this run only, and end with it." placeholder:"ID"`
	Idle   string `help:"Workers end after so long without work; 0 never." default:"10m" placeholder:"TIME"`
	Folder string `help:"Where connections are forbidden: the folder of a run that was begun with --prepare, which all workers see." placeholder:"DIR"`
}

// check refuses what no worker could do.
func (w workFlags) check(url string) error {
	switch {
	case url == "" && w.Folder == "":
		return usage(errors.New("neither --cluster nor --folder: workers need to know where work is"), "--cluster tls://HOST:4222, or --folder DIR of a run that was begun with --prepare")
	case url != "" && w.Folder != "":
		return usage(errors.New("--cluster and --folder are two ways: choose one"), "")
	case w.Folder != "" && w.Run_ != "":
		return usage(errors.New("--run is of --cluster; --folder names its run"), "")
	case w.Run_ != "" && !runID.MatchString(w.Run_):
		return usage(fmt.Errorf("--run %s: an ID is 16 of the digits 0-9a-f", file.Name(w.Run_)), "tattle runs --cluster URL lists them")
	case !duration.MatchString(w.Idle):
		return usage(fmt.Errorf("--idle %s: write it as 90s or 10m", file.Name(w.Idle)), "")
	}
	if url == "" {
		return nil
	}
	if _, err := cluster.CheckURL(url); err != nil {
		return usage(fmt.Errorf("--cluster: %w", err), "")
	}
	return nil
}

// worker is what a worker's command line says of its work, but for what is of the
// connection; index is what tells it which of a folder's workers it is.
func (w workFlags) worker(url, index string, of int) []string {
	if w.Folder != "" {
		return []string{"--folder", w.Folder, "--index", index, "--of", fmt.Sprint(of)}
	}
	args := []string{"--cluster", url, "--idle", w.Idle}
	if w.Run_ != "" {
		args = append(args, "--run", w.Run_)
	}
	return args
}

var (
	runID    = regexp.MustCompile(`^[0-9a-f]{16}$`)
	duration = regexp.MustCompile(`^(0|([0-9]{1,6}(\.[0-9]{1,3})?(h|m|s|ms))+)$`)
)

// matches refuses a flag whose value is not of a pattern. What passes needs no quotes
// where it is printed.
func matches(flag, value string, p *regexp.Regexp, hint string) error {
	if value == "" || p.MatchString(value) {
		return nil
	}
	return usage(fmt.Errorf("%s %s: is not what the scheduler takes", flag, file.Name(value)), hint)
}

// printable refuses what has no place in a file of lines.
func printable(flag, value string) error {
	if strings.ContainsFunc(value, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '\ufffd' || r == '\u0085' || r == '\u2028' || r == '\u2029' || r == '\ufeff'
	}) {
		return usage(fmt.Errorf("%s %s: has characters that do not print", flag, file.Name(value)), "")
	}
	return nil
}

// everywhere is a path as other machines see it: absolute, on a file system they share.
func everywhere(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// ourselves is how the program that is running is called from elsewhere.
func ourselves() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return "tattle"
}
