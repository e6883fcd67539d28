package cli

import (
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tattle/cluster"
)

// dialFlags say where a cluster is and who asks. Its token stands in no command line:
// it is taken from a file or from TATTLE_CLUSTER_TOKEN.
type dialFlags struct {
	Cluster          string `env:"TATTLE_CLUSTER" help:"NATS servers: nats://HOST:PORT on this machine, else tls://HOST:PORT; separated by commas." placeholder:"URL"`
	ClusterTokenFile string `env:"TATTLE_CLUSTER_TOKEN_FILE" help:"File with the token; or set TATTLE_CLUSTER_TOKEN to the token itself." placeholder:"FILE"`
	ClusterNKeyFile  string `name:"cluster-nkey-file" env:"TATTLE_CLUSTER_NKEY_FILE" help:"File with an NKey's seed, instead of a token." placeholder:"FILE"`
	ClusterCA        string `name:"cluster-ca" env:"TATTLE_CLUSTER_CA" help:"Certificate authorities of the servers (default: the system's)." placeholder:"FILE"`
	ClusterCert      string `env:"TATTLE_CLUSTER_CERT" help:"Client certificate, if the servers require one." placeholder:"FILE"`
	ClusterKey       string `env:"TATTLE_CLUSTER_KEY" help:"Private key of the client certificate." placeholder:"FILE"`
}

// dial is how a cluster is reached.
func (f dialFlags) dial(e *env) cluster.Dial {
	return cluster.Dial{
		URL: f.Cluster, TokenFile: f.ClusterTokenFile, NKeyFile: f.ClusterNKeyFile,
		CA: f.ClusterCA, Cert: f.ClusterCert, Key: f.ClusterKey, Name: "tattle " + user(), Log: e.say,
	}
}

// args are the flags as a command line has them.
func (f dialFlags) args() (args []string) {
	for _, flag := range [][2]string{
		{"--cluster", f.Cluster}, {"--cluster-token-file", f.ClusterTokenFile}, {"--cluster-nkey-file", f.ClusterNKeyFile},
		{"--cluster-ca", f.ClusterCA}, {"--cluster-cert", f.ClusterCert}, {"--cluster-key", f.ClusterKey},
	} {
		if flag[1] != "" {
			args = append(args, flag[:]...)
		}
	}
	return args
}

// clusterFlags spread a run over machines. They say nothing of what is computed, and
// no report records them.
type clusterFlags struct {
	dialFlags
	Shared   bool          `help:"Workers see --out and the inputs under the same paths, on a shared file system."`
	Replicas int           `help:"Servers that keep a copy of the run: 1, 3 or 5 (default: up to 3)." placeholder:"N"`
	Lease    time.Duration `help:"A worker silent for this long is presumed lost, and its shard given away (default: 30s)." default:"30s" placeholder:"TIME"`
	Check    percent       `name:"check-shards" help:"Share of the workers' shards that are computed again as a check (default: 5%; 0%: none)." default:"5%" placeholder:"SHARE"`
	Prepare  bool          `help:"Compute nothing: prepare the run in --out for tattle worker --folder and tattle merge."`
}

func (f *clusterFlags) spread() *clusterFlags { return f }

// spreadOf is the flags of a command that several machines can share; else nil.
func spreadOf(k *kong.Context) *clusterFlags {
	if s, ok := k.Selected().Target.Addr().Interface().(interface{ spread() *clusterFlags }); ok {
		return s.spread()
	}
	return nil
}

// asideFlags say where a run is kept, who computes it and how much of it is printed, not what it
// is; true for those with a value.
var asideFlags = map[string]bool{
	"out": true, "resume": false, "details": false,
	"cluster": true, "cluster-token-file": true, "cluster-nkey-file": true, "cluster-ca": true, "cluster-cert": true, "cluster-key": true,
	"shared": false, "replicas": true, "lease": true, "check-shards": true, "prepare": false,
}

// withoutAside leaves out of a command line what it says about where the run is kept
// and who computes it.
func withoutAside(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(kept, args[i:]...)
		}
		name, _, given := strings.Cut(strings.TrimPrefix(args[i], "--"), "=")
		value, left := asideFlags[name]
		switch {
		case !strings.HasPrefix(args[i], "--") || !left:
			kept = append(kept, args[i])
		case value && !given:
			i++
		}
	}
	return kept
}

// withFlags adds flags to a command line.
func withFlags(args []string, flags ...string) []string {
	for i, a := range args {
		if a == "--" {
			return append(append(append([]string{}, args[:i]...), flags...), args[i:]...)
		}
	}
	return append(append([]string{}, args...), flags...)
}

// user says who asks for a run, and from where.
func user() string {
	name := os.Getenv("USER")
	if host, err := os.Hostname(); err == nil {
		return strings.TrimPrefix(name+"@"+host, "@")
	}
	return name
}
