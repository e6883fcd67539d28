package cli

import (
	"context"
	"fmt"

	"tattle/cluster"
	"tattle/internal/file"
)

type clusterCmd struct {
	Serve clusterServeCmd `cmd:"" help:"Run a NATS server on this machine, to try --cluster."`
}

type clusterServeCmd struct {
	Listen    string `help:"Address on this machine for submitters and workers; port 0: any free port (default: 127.0.0.1:4222)." default:"127.0.0.1:4222" placeholder:"HOST:PORT"`
	Store     string `help:"Folder for the ledgers of runs (default: tattle-cluster)." default:"tattle-cluster" placeholder:"DIR"`
	TokenFile string `env:"TATTLE_CLUSTER_TOKEN_FILE" help:"File with the token of submitters and workers; or set TATTLE_CLUSTER_TOKEN." placeholder:"FILE"`
}

func (clusterServeCmd) Help() string {
	return `Example: tattle cluster serve

A NATS server with JetStream for submitters and workers on this machine. What it has confirmed is on disk. Ctrl-C ends it; with the same --store it continues.

For several machines run nats-server, with TLS and a token: docs/cluster.md shows how. The files in deploy/ start workers on Slurm and Kubernetes.`
}

// Run serves until it is interrupted.
func (c *clusterServeCmd) Run(ctx context.Context, e *env) error {
	o := cluster.ServerOptions{Listen: c.Listen, Store: c.Store, TokenFile: c.TokenFile, Log: e.stderr}
	err := cluster.ListenAndServe(ctx, o, func(url string) {
		args := []string{"--cluster", url}
		if c.TokenFile != "" {
			args = append(args, "--cluster-token-file", absolute(c.TokenFile))
		}
		fmt.Fprintf(e.stdout, "serving at %s\nworkers: tattle worker %s\nruns:    tattle bound %[2]s …\n", url, file.CommandLine(args))
	})
	if err != nil {
		return hinted(err, "tattle cluster serve --help has an example")
	}
	return nil
}
