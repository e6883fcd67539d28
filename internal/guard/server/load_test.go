package server

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/guard"
	"tattle/internal/guard/ledger"
	"tattle/internal/infer"
	"tattle/internal/must"
)

// mnistFront is paper A's net of MNIST up to its features: 784 inputs, 784 features.
func mnistFront(t testing.TB) *nn.Graph {
	t.Helper()
	g := zoo.MNIST(1)
	node := must.Get(g.FeatureNode())(t)
	front, _ := must.Get2(g.Cut(node))(t)
	return front
}

// request returns the body of a request with random pixels, binary.
func request(r *rand.Rand, front *nn.Graph) (text []byte, header int) {
	x := make([]byte, 4*784)
	for i := range 784 {
		binary.LittleEndian.PutUint32(x[4*i:], uint32(0x3f000000+r.IntN(1<<23)))
	}
	head := fmt.Appendf(nil, `{"inputs":[{"name":%q,"shape":[1,784],"datatype":"FP32","parameters":{"binary_data_size":3136}}],"parameters":{"binary_data_output":true}}`, front.Input)
	return append(head, x...), len(head)
}

// TestLoad sends 1,000 requests a second with new inputs for ten seconds, by a clock: a request that
// is late counts from when it was due. Client and server share the cores.
func TestLoad(t *testing.T) {
	if os.Getenv("TATTLE_FULL") == "" {
		t.Skip("needs a quiet machine: only with TATTLE_FULL=1")
	}
	front := mnistFront(t)
	lattice := guard.Lattice{Delta: 1. / 64, Sigma: 1.7, Clip: 256, Dim: 784}
	_, h := serving(t, ledger.Budget{Releases: 1, Period: 24 * time.Hour}, func(o *Options) { o.Front, o.Lattice = front, lattice })
	const rate, seconds, clients = 1000, 10, 64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	bodies := make([][]byte, 256)
	header := 0
	for i := range bodies {
		bodies[i], header = request(rand.New(rand.NewPCG(1, uint64(i))), front)
	}
	due := make(chan int, rate*seconds)
	latency := make([]time.Duration, rate*seconds)
	began := time.Now().Add(100 * time.Millisecond)
	at := func(i int) time.Time { return began.Add(time.Duration(i) * time.Second / rate) }
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for i := range due {
				r, _ := http.NewRequest(http.MethodPost, h.URL+"/v2/models/guard/infer", bytes.NewReader(bodies[i%len(bodies)]))
				r.Header.Set("Content-Type", "application/octet-stream")
				r.Header.Set("Inference-Header-Content-Length", strconv.Itoa(header))
				r.Header.Set(infer.SubjectHeader, strconv.Itoa(i))
				w, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				if n, err := io.Copy(io.Discard, w.Body); err != nil || n < 3136 || w.StatusCode != 200 {
					t.Errorf("%s, %d bytes, %v", w.Status, n, err)
				}
				w.Body.Close()
				latency[i] = time.Since(at(i))
			}
		})
	}
	for i := range rate * seconds {
		time.Sleep(time.Until(at(i)))
		due <- i
	}
	close(due)
	all.Wait()
	took := time.Since(began)
	slices.Sort(latency)
	share := func(p float64) time.Duration { return latency[int(p*float64(len(latency)-1))] }
	t.Logf("%d cores: %.0f requests a second, latency p50 %v, p99 %v, largest %v", runtime.GOMAXPROCS(0), float64(len(latency))/took.Seconds(), share(.5), share(.99), share(1))
}
