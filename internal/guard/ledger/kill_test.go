package ledger

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// inChild names the folder of the ledger in a child process of a test.
const inChild = "TATTLE_TEST_LEDGER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(inChild); dir != "" {
		child(dir)
		return
	}
	os.Exit(m.Run())
}

// child debits as fast as it can, and prints each debit after Debit has returned.
func child(dir string) {
	l, err := Open(dir, Options{Budget: Budget{Releases: 1 << 30}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines := make(chan string)
	for range 16 {
		go func() {
			for {
				subject, x, release := fmt.Sprint(rand.IntN(50)), rand.Float32(), rand.Int64N(1000)
				if _, err := one(l, subject, x, release); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				lines <- fmt.Sprintln(subject, x, release)
			}
		}()
	}
	for line := range lines {
		os.Stdout.WriteString(line)
	}
}

// TestKilled kills a process that debits, 20 times, and expects every debit whose caller had its
// answer in the ledger.
func TestKilled(t *testing.T) {
	shared.Long(t, "processes that are killed")
	dir := t.TempDir()
	acknowledged := map[string][2]string{} // input → subject and release
	for range 20 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), inChild+"="+dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out := must.Get(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())
		in := bufio.NewReader(out)
		kill := time.NewTimer(time.Hour)
		for first := true; ; first = false {
			line, err := in.ReadString('\n')
			if err == io.EOF {
				break // what the process did not write to its end was not read by anyone
			}
			must.Do(t, err)
			if first { // it is under way
				kill = time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, func() { cmd.Process.Kill() })
			}
			f := strings.Fields(line)
			acknowledged[f[1]] = [2]string{f[0], f[2]}
		}
		kill.Stop()
		if cmd.Wait(); cmd.ProcessState.Exited() {
			t.Fatalf("it ended by itself: %s", stderr.String())
		}
	}
	t.Logf("%d debits were acknowledged", len(acknowledged))
	l := openWith(t, dir, Options{Budget: Budget{Releases: 1 << 30}, FreeRepeats: true})
	for x, debit := range acknowledged {
		var v float32
		var release int64
		fmt.Sscan(x, &v)
		fmt.Sscan(debit[1], &release)
		stored, err := one(l, debit[0], v, -1)
		if err != nil || len(stored) != 1 || stored[0] != release {
			t.Fatalf("subject %s, input %s, release %d: the ledger has %v, %v", debit[0], x, release, stored, err)
		}
	}
	counted := countAll(t, l)
	if counted.inputs != counted.releases || counted.debits != counted.inputs || counted.inputs < len(acknowledged) {
		t.Errorf("%d debits, %d inputs, %d releases; %d were acknowledged", counted.debits, counted.inputs, counted.releases, len(acknowledged))
	}
}
