package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"tattle/cluster"
)

type clusterServeCmd struct {
	Listen        string   `help:"Address for submitters and workers; port 0 takes a free one." default:"127.0.0.1:4222" placeholder:"HOST:PORT"`
	Store         string   `help:"Folder that keeps the ledgers of runs." default:"tattle-cluster" placeholder:"DIR"`
	TokenFile     string   `env:"TATTLE_CLUSTER_TOKEN_FILE" help:"File with the token that everybody must show; or set TATTLE_CLUSTER_TOKEN to the token itself." placeholder:"FILE"`
	MakeToken     bool     `help:"Write a random token to --token-file, where there is no such file yet."`
	Nkeys         string   `help:"File with public NKeys, one a line: who has the seed of one needs no token." placeholder:"FILE"`
	MakeNkey      string   `help:"Write the seed of a new NKey to this file, where there is none yet, and its public key to --nkeys." placeholder:"FILE"`
	Cert          string   `help:"TLS: the server's certificate." placeholder:"FILE"`
	Key           string   `help:"TLS: its private key." placeholder:"FILE"`
	CA            string   `name:"ca" help:"TLS: who signed the certificates of the other nodes, and of clients." placeholder:"FILE"`
	ClientCerts   bool     `help:"TLS: clients must show a certificate of --ca, besides the token or key."`
	Name          string   `help:"One of three: the name of this node." group:"Three servers" placeholder:"NAME"`
	ClusterListen string   `help:"Address for the other nodes." group:"Three servers" placeholder:"HOST:PORT"`
	Routes        []string `help:"Where the other nodes listen for nodes." group:"Three servers" placeholder:"HOST:PORT,…"`
}

func (clusterServeCmd) Help() string {
	return `Example: tattle cluster serve

Example: tattle cluster serve --listen 0.0.0.0:4222 --cert cert.pem --key key.pem --token-file token --make-token

A NATS server with JetStream: what it has confirmed is on its disk. Any other NATS server with JetStream does as well. Other machines reach it only with TLS and a token or NKey. Three of them, each with its --name, --store and --cluster-listen, go on when one is lost: each keeps the runs, unless their --replicas says otherwise. Ctrl-C ends it, and started again on the same --store it goes on. docs/cluster.md tells more.`
}

// Run serves until it is interrupted.
func (c *clusterServeCmd) Run(e *env) error {
	if err := c.secrets(e); err != nil {
		return err
	}
	err := cluster.ListenAndServe(e.ctx, cluster.ServerOptions{
		Listen: c.Listen, Store: c.Store, Name: c.Name, ClusterListen: c.ClusterListen, Routes: c.Routes,
		TokenFile: c.TokenFile, NKeysFile: c.Nkeys, Cert: c.Cert, Key: c.Key, CA: c.CA, ClientCerts: c.ClientCerts,
		Log: e.stderr,
	}, func(url string) { c.tell(e, url) })
	if err != nil {
		return hinted(err, "tattle cluster serve --help has examples")
	}
	return nil
}

// secrets makes those that are asked for.
func (c *clusterServeCmd) secrets(e *env) error {
	if c.MakeToken {
		if c.TokenFile == "" {
			return usage(errors.New("--make-token: --token-file says where to"), "")
		}
		made, err := cluster.MakeToken(c.TokenFile)
		if err != nil {
			return hinted(fmt.Errorf("--make-token: %w", err), "choose a file that can be written with --token-file")
		}
		if made {
			e.say("a new token is in %s; give it to submitters and workers", quote(c.TokenFile))
		}
	}
	if c.MakeNkey != "" {
		if c.Nkeys == "" {
			return usage(errors.New("--make-nkey: --nkeys says where its public key goes"), "")
		}
		made, err := cluster.MakeNKey(c.MakeNkey, c.Nkeys)
		if err != nil {
			return hinted(fmt.Errorf("--make-nkey: %w", err), "choose files that can be written")
		}
		if made {
			e.say("the seed of a new key is in %s; give it to one submitter or worker, for --cluster-nkey-file", quote(c.MakeNkey))
		}
	}
	return nil
}

// tell says how the server is reached.
func (c *clusterServeCmd) tell(e *env, url string) {
	args := []string{"tattle", "worker", "--cluster", url}
	if c.TokenFile != "" {
		args = append(args, "--cluster-token-file", everywhere(c.TokenFile))
	} else if c.Nkeys != "" {
		args = append(args, "--cluster-nkey-file", cmp.Or(everywhere(c.MakeNkey), "SEED"))
	}
	if c.Cert != "" && c.CA != "" {
		args = append(args, "--cluster-ca", everywhere(c.CA))
	} else if c.Cert != "" {
		args = append(args, "--cluster-ca", "CA") // of whoever signed the certificate
	}
	if c.ClientCerts {
		args = append(args, "--cluster-cert", "CERT", "--cluster-key", "KEY")
	}
	fmt.Fprintf(e.stdout, "serving at %s\nworkers: %s\nruns:    tattle bound %s …\n", url, quoted(args), quoted(args[2:]))
	if strings.HasPrefix(url, "tls:") && c.CA == "" {
		fmt.Fprintln(e.stdout, "CA is the certificate of who signed that of the server; leave --cluster-ca out where machines trust it anyway")
	}
}
