package cluster_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"tattle/cluster"
)

// A server on this machine, and the runs that it knows.
func Example() {
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- cluster.ListenAndServe(ctx, cluster.ServerOptions{Listen: "127.0.0.1:0", Store: dir}, func(url string) { ready <- url })
	}()
	var c *cluster.Conn
	select {
	case url := <-ready:
		c, err = cluster.Connect(ctx, cluster.Dial{URL: url, Name: "example"})
	case err = <-ended:
	}
	if err != nil {
		log.Fatal(err)
	}
	runs, err := c.Runs(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("runs:", len(runs))
	c.Close()
	stop()
	<-ended
	// Output: runs: 0
}
