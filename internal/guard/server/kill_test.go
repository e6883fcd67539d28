//go:build unix

package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tattle/internal/guard/ledger"
	"tattle/internal/infer"
	"tattle/internal/must"
	"tattle/internal/shared"
)

const (
	// inChild names the data folder in a child process of a test.
	inChild = "TATTLE_TEST_GUARD"
	// fullDisk makes files of the child grow no more.
	fullDisk = "TATTLE_TEST_FULL_DISK"

	// killBudget is the budget of every subject of the child.
	killBudget = 8
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(inChild); dir != "" {
		child(dir)
		return
	}
	os.Exit(m.Run())
}

// child serves until it is killed, and prints its address.
func child(dir string) {
	l, err := ledger.Open(dir, ledger.Options{Budget: ledger.Budget{Releases: killBudget}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s, err := New(Options{Front: front(), Lattice: small, Mechanism: "test", Ledger: l})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv(fullDisk) != "" {
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 100 << 10, Max: 100 << 10}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fmt.Println(httptest.NewServer(s.Handler()).URL)
	select {}
}

// start starts a child and returns its address.
func start(t *testing.T, dir string, more ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), inChild+"="+dir), more...)
	cmd.Stderr = os.Stderr
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(line)
}

// seen are the answers that clients of the child got, by subject and input.
type seen struct {
	mu       sync.Mutex
	releases map[string]map[float32][]float64
}

// load asks until the server is gone. An input that is answered twice must be answered alike.
func (s *seen) load(t *testing.T, url string, r *rand.Rand) {
	for {
		subject, x := fmt.Sprint(r.IntN(60)), float32(r.IntN(30))
		request, _ := http.NewRequest(http.MethodPost, url+"/v2/models/guard/infer", strings.NewReader(body(x, 0, 0, 0)))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set(infer.SubjectHeader, subject)
		w, err := http.DefaultClient.Do(request)
		if err != nil {
			return
		}
		var b bytes.Buffer
		_, err = b.ReadFrom(w.Body)
		w.Body.Close()
		if err != nil {
			return
		}
		var a answer
		if err := json.Unmarshal(b.Bytes(), &a); err != nil || w.StatusCode != 200 && w.StatusCode != 429 {
			t.Errorf("%s: %s", w.Status, b.String())
			return
		}
		if w.StatusCode == 200 {
			s.add(t, subject, x, a.Outputs[0].Data)
		}
	}
}

func (s *seen) add(t *testing.T, subject string, x float32, release []float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.releases[subject] == nil {
		s.releases[subject] = map[float32][]float64{}
	}
	if was := s.releases[subject][x]; was != nil && !slices.Equal(was, release) {
		t.Errorf("subject %s, input %v: %v, then %v", subject, x, was, release)
	}
	s.releases[subject][x] = release
}

// TestKilled kills a server under load 10 times. No subject ever gets more releases than its
// budget, and no input gets two.
func TestKilled(t *testing.T) {
	shared.Long(t, "starts and kills servers")
	dir := t.TempDir()
	answers := &seen{releases: map[string]map[float32][]float64{}}
	for round := range 10 {
		cmd, url := start(t, dir)
		time.AfterFunc(time.Duration(20_000+rand.IntN(150_000))*time.Microsecond, func() { cmd.Process.Kill() })
		var clients sync.WaitGroup
		for c := range 8 {
			clients.Go(func() { answers.load(t, url, rand.New(rand.NewPCG(uint64(round), uint64(c)))) })
		}
		clients.Wait()
		if cmd.Wait(); cmd.ProcessState.Exited() {
			t.Fatal("the server ended by itself")
		}
		http.DefaultClient.CloseIdleConnections()
	}
	total, most := 0, 0
	for subject, inputs := range answers.releases {
		total, most = total+len(inputs), max(most, len(inputs))
		if len(inputs) > killBudget {
			t.Errorf("subject %s got %d releases, and its budget is %d", subject, len(inputs), killBudget)
		}
	}
	t.Logf("%d releases of %d subjects, at most %d of one", total, len(answers.releases), most)
	l := must.Get(ledger.Open(dir, ledger.Options{Budget: ledger.Budget{Releases: killBudget}, FreeRepeats: true}))(t)
	defer l.Close()
	for subject, inputs := range answers.releases {
		who := l.Subject(subject)
		fresh := make([]ledger.Input, killBudget-len(inputs)+1) // one more than the answers leave room for
		for i := range fresh {
			fresh[i] = l.Input(who, "test", []float32{float32(1000 + i)})
		}
		if err := l.Covers(who, fresh); !errors.As(err, new(*ledger.ExhaustedError)) {
			t.Fatalf("subject %s: %d releases left, and there is budget for %d more", subject, len(inputs), len(fresh))
		}
		for x, left := range inputs {
			stored, debited, err := l.Debit(t.Context(), who, []ledger.Input{l.Input(who, "test", []float32{x, 0, 0, 0})}, [][]int64{{0, 0, 0}})
			if err != nil || debited > 0 || !slices.Equal(valuesOf(stored[0]), left) {
				t.Fatalf("subject %s: a release that left is not in the ledger: %v", subject, err)
			}
		}
	}
}

// valuesOf returns the features that a release of the child stands for.
func valuesOf(integers []int64) (all []float64) {
	for _, v := range integers {
		all = append(all, float64(v)*small.Delta)
	}
	return all
}

// TestFullDisk: without room for the debit there is no release, a clear error, and a server that is
// not ready but answers on.
func TestFullDisk(t *testing.T) {
	cmd, url := start(t, t.TempDir(), fullDisk+"=1")
	defer cmd.Wait()
	defer cmd.Process.Kill()
	mustPost(t, url, "first", body(1, 2, 3, 4))
	for i := range 100_000 {
		w, a := post(t, url, fmt.Sprint(i), body(1, 2, 3, 4))
		if w.StatusCode == 200 {
			continue
		}
		if w.StatusCode != 503 || w.Header.Get("Retry-After") == "" || len(a.Outputs) > 0 ||
			!strings.Contains(a.Error, "nothing is released: the ledger cannot be written") || !strings.Contains(a.Error, "file too large") {
			t.Errorf("%s: %+v", w.Status, a)
		}
		break
	}
	if status, said := get(t, url+"/v2/health/ready", ""); status != 503 || !strings.Contains(said, `"ready":false`) {
		t.Errorf("ready: %d %s", status, said)
	}
	if status, _ := get(t, url+"/v2/health/live", ""); status != 200 {
		t.Errorf("live: %d", status)
	}
	if w, _ := post(t, url, "first", body(1, 2, 3, 4)); w.StatusCode != 503 { // as a new input
		t.Errorf("a stored input: %s", w.Status)
	}
}
