package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tattle/cluster"
	"tattle/internal/must"
)

// TestClusterServe starts a server by the command line, connects as it prints, and ends it.
func TestClusterServe(t *testing.T) {
	t.Setenv("TATTLE_CLUSTER_TOKEN", "")
	t.Setenv("TATTLE_CLUSTER_TOKEN_FILE", "")
	const secret = "0123456789abcdef"
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	writeFile(t, token, secret+"\n", 0o600)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in, out := io.Pipe()
	var said bytes.Buffer
	end := make(chan int, 1)
	go func() {
		end <- Execute(ctx, []string{"cluster", "serve", "--listen", "127.0.0.1:0", "--store", filepath.Join(dir, "store"), "--token-file", token}, out, &said)
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
	must.Fail(t, must.Err(cluster.Connect(ctx, cluster.Dial{URL: string(found[1])})), "refused: wrong token") // without the token
	conn := must.Get(cluster.Connect(ctx, cluster.Dial{URL: string(found[1]), TokenFile: token}))(t)
	conn.Close()
	cancel()
	if status := <-end; status != 0 {
		t.Errorf("status %d: %s", status, said.String())
	}
	if strings.Contains(said.String()+string(printed[:n]), secret) {
		t.Error("the token is printed")
	}
	if status, _, said := tattle(t.Context(), "cluster", "serve", "--listen", "0.0.0.0:0", "--store", dir); status == 0 || !strings.Contains(said, "docs/cluster.md") {
		t.Errorf("status %d: %s", status, said)
	}
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), mode))
}
