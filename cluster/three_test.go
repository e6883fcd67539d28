package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	_ "unsafe" // for the times below

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tattle/cluster"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/run"
)

// How long the nodes of a NATS cluster wait before they elect another leader. It does
// not let them be set, and 4 to 9 seconds for each node killed are more than a test has.
//
//go:linkname minElection github.com/nats-io/nats-server/v2/server.minElectionTimeout
var minElection time.Duration

//go:linkname maxElection github.com/nats-io/nats-server/v2/server.maxElectionTimeout
var maxElection time.Duration

//go:linkname heartbeat github.com/nats-io/nats-server/v2/server.hbInterval
var heartbeat time.Duration

// The time between two reports of a node to the others of what it stores.
//
//go:linkname statistics github.com/nats-io/nats-server/v2/server.statsHBInterval
var statistics time.Duration

// node is one of three servers, in a process of its own.
type node struct {
	Name, Listen, Store string
	Peers               string // where it listens for the other nodes
	Routes              []string
	Patient             bool // with the times that nodes have elsewhere
}

const nodeVariable = "TATTLE_TEST_NODE"

// TestNode is where a node's process begins.
func TestNode(t *testing.T) {
	text := os.Getenv(nodeVariable)
	if text == "" {
		t.Skip("for processes that other tests start")
	}
	var n node
	must.Do(t, json.Unmarshal([]byte(text), &n))
	if minElection < time.Second || maxElection < minElection || heartbeat < 100*time.Millisecond {
		t.Fatal("the server does not keep its times any more where this test sets them")
	}
	if !n.Patient {
		minElection, maxElection, heartbeat, statistics = 300*time.Millisecond, 700*time.Millisecond, 60*time.Millisecond, time.Second
	}
	host, port := splitAddress(t, n.Listen)
	peersHost, peersPort := splitAddress(t, n.Peers)
	s := must.Get(server.NewServer(&server.Options{
		ServerName: n.Name, Host: host, Port: port, JetStream: true, StoreDir: n.Store, SyncAlways: true, NoSigs: true,
		Cluster: server.ClusterOpts{Name: "tattle", Host: peersHost, Port: peersPort}, Routes: server.RoutesFromStr(strings.Join(n.Routes, ",")),
	}))(t)
	s.ConfigureLogger()
	s.Start() // until it is killed
	for !knowsAll(s) {
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println(knowsOthers)
	s.WaitForShutdown()
}

// knowsOthers is what a node prints once it has heard what every other one stores. Before, it would not
// place a copy on one of them if it became the leader: one that is down would never be heard of.
const knowsOthers = "knows all nodes"

// knowsAll looks into the server's private fields: its own API answers this only on the leader.
func knowsAll(s *server.Server) bool {
	nodes, known := (*sync.Map)(reflect.ValueOf(s).Elem().FieldByName("nodeToInfo").Addr().UnsafePointer()), 0
	nodes.Range(func(_, node any) bool {
		if v := reflect.ValueOf(node); !v.FieldByName("stats").IsNil() && !v.FieldByName("cfg").IsNil() {
			known++
		}
		return true
	})
	return known == 3
}

func splitAddress(t *testing.T, address string) (host string, port int) {
	t.Helper()
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	must.Do(t, err)
	return host, port
}

// start starts the node's process, which prints to the second result.
func (n node) start(t testing.TB) (*exec.Cmd, *saying) {
	t.Helper()
	text := must.Get(json.Marshal(n))(t)
	c := exec.Command(os.Args[0], "-test.run=^TestNode$")
	c.Env = append(os.Environ(), nodeVariable+"="+string(text))
	said := &saying{}
	c.Stdout, c.Stderr = said, said
	must.Do(t, c.Start())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s said:\n%s", n.Name, said)
		}
	})
	return c, said
}

// three is a cluster of three nodes.
type three struct {
	t     testing.TB
	url   string
	nodes [3]node
	up    [3]*exec.Cmd
	said  [3]*saying
}

func newThree(t testing.TB, patient bool) *three {
	t.Helper()
	dir := t.TempDir()
	var clients, peers [3]string
	for i := range clients {
		clients[i], peers[i] = freeAddress(t), freeAddress(t)
	}
	s := &three{t: t}
	for i := range s.nodes {
		s.nodes[i] = node{
			Listen: clients[i], Store: filepath.Join(dir, fmt.Sprint(i)), Name: fmt.Sprint("n", i+1), Patient: patient,
			Peers: peers[i], Routes: []string{"nats-route://" + peers[(i+1)%3], "nats-route://" + peers[(i+2)%3]},
		}
		s.start(i)
		clients[i] = "nats://" + clients[i]
	}
	t.Cleanup(func() {
		for i := range s.up {
			s.kill(i)
		}
	})
	s.url = strings.Join(clients[:], ",")
	return s
}

// freeAddress returns an address with a free port. Where the whole network 127.0.0.0/8 is this
// machine, as on Linux, other processes do not take the port meanwhile: they know the first address.
func freeAddress(t testing.TB) string {
	for _, host := range []string{fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254)), "127.0.0.1"} {
		if l, err := net.Listen("tcp", host+":0"); err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no address of this machine is free")
	return ""
}

func (s *three) start(i int) { s.up[i], s.said[i] = s.nodes[i].start(s.t) }

func (s *three) kill(i int) {
	s.up[i].Process.Signal(syscall.SIGKILL)
	s.up[i].Wait()
}

// dial connects once every node knows the others, and one leads them: before, none takes what
// three are to keep.
func (s *three) dial() (c *cluster.Conn) {
	s.t.Helper()
	for i, output := range s.said {
		until(s.t, s.nodes[i].Name+": "+knowsOthers, func() bool { return strings.Contains(output.String(), knowsOthers) })
	}
	until(s.t, "three nodes keep a stream", func() bool {
		var err error
		if c, err = cluster.Connect(s.t.Context(), cluster.Dial{URL: s.url}); err != nil {
			return false
		}
		if err = s.probe(); err != nil {
			c.Close()
		}
		return err == nil
	})
	return c
}

// probe keeps something on three nodes.
func (s *three) probe() error {
	nc, err := nats.Connect(s.url)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "probe", Replicas: 3}); err != nil {
		return err
	}
	return js.DeleteStream(ctx, "probe")
}

// TestThreeNodes submits a run while one node of a cluster is down, and kills each in
// turn while it is computed: all of its shards are committed, none twice, and the result
// is that of a run alone. Shards are held back, so that some are under way when a node is
// killed and others are computed before it is back.
//
// Each worker counts the commits that were its own, and leaves that number when it goes.
// Were a commit lost with a node and made again, or made twice, then the numbers would
// add up to more than there are shards.
func TestThreeNodes(t *testing.T) {
	shared.Long(t, "waits for elections")
	nodes := newThree(t, os.Getenv("TATTLE_FULL") != "")
	nodes.dial().Close()
	nodes.kill(2) // two are enough to submit a run, too
	s := newSite(t, nodes.url, size{First: 3, Second: 7 * perGate, Pace: 20 * time.Millisecond, Gates: t.TempDir()})
	ws := []*running{worker(t, s.URL, "one"), worker(t, s.URL, "two")}
	collected, finish := make(chan bool), make(chan bool)
	s.Held = func() { close(collected); <-finish }
	s.begin()
	s.open(0)
	s.patiently(1)
	nodes.start(2)
	s.caughtUp()
	for i := range nodes.nodes {
		s.open(2*i + 1)
		s.patiently((2*i+1)*perGate + 1)
		nodes.kill(i)
		s.open(2*i + 2)
		s.patiently((2*i+2)*perGate + 1) // with two of three
		nodes.start(i)
		// The next is killed only when this one takes part again: one of three is no majority.
		s.caughtUp()
	}
	select {
	case <-collected:
	case err := <-s.end:
		t.Fatalf("submitter: %v\n%s", err, s.log)
	case <-time.After(2 * time.Minute):
		t.Fatalf("not all is collected\n%s", s.log)
	}
	for _, w := range ws {
		w.signal(syscall.SIGINT)
		w.ends()
	}
	state, _ := s.state()
	own, said := 0, ""
	for _, w := range state.Workers {
		own += w.Done
		said += fmt.Sprintf(", %s %d", w.Name, w.Done)
	}
	if want := s.Size.First + s.Size.Second; own != want {
		t.Errorf("of %d shards the workers committed %d%s; the submitter said:\n%s", want, own, said, s.log)
	}
	close(finish)
	s.wait()
	for _, w := range ws {
		if strings.Contains(w.said.String(), "deterministic") {
			t.Error("two workers came to different bytes")
		}
	}
}

// open lets the shards of a gate be computed.
func (s *site) open(gate int) {
	s.t.Helper()
	must.Do(s.t, os.WriteFile(s.Size.gate(gate), nil, 0o666))
}

// patiently waits for so many commits of the second stage, while servers are away.
func (s *site) patiently(n int) {
	s.t.Helper()
	until(s.t, fmt.Sprint(n, " shards are committed"), func() bool {
		if len(s.end) > 0 {
			s.t.Fatalf("submitter: %v\n%s", <-s.end, s.log)
		}
		ctx, cancel := context.WithTimeout(s.t.Context(), 500*time.Millisecond)
		defer cancel()
		all, err := s.c.Runs(ctx)
		return err == nil && len(all) == 1 && len(all[0].Stages) == 2 && all[0].Stages[1].Done >= n
	})
}

// caughtUp waits until every node has all of the run.
func (s *site) caughtUp() {
	s.t.Helper()
	js := s.js()
	until(s.t, "all nodes have all", func() bool {
		ctx, cancel := context.WithTimeout(s.t.Context(), 500*time.Millisecond)
		defer cancel()
		streams := js.ListStreams(ctx)
		for info := range streams.Info() {
			if info.Cluster == nil || info.Cluster.Leader == "" || len(info.Cluster.Replicas) != 2 {
				return false
			}
			for _, r := range info.Cluster.Replicas {
				if r.Offline || !r.Current {
					return false
				}
			}
		}
		return streams.Err() == nil
	})
}

// BenchmarkThreeNodes is what a shard costs besides its computation where three nodes
// keep each entry: one worker, an empty shard at a time.
func BenchmarkThreeNodes(b *testing.B) {
	const n = 300
	nodes := newThree(b, true)
	c := nodes.dial()
	defer c.Close()
	ctx, cancel := context.WithCancel(b.Context())
	worked := make(chan error, 1)
	empty := func(ctx context.Context, root string, pool run.Pool) error {
		_, err := pool.Run(ctx, run.Work{
			Dir: filepath.Join(root, "shards"), Resume: true, AtOnce: 1,
			Manifest: run.Manifest{Command: "empty", Shards: n},
			Do:       func(_ context.Context, i int, w io.Writer) error { _, err := fmt.Fprintln(w, i); return err },
		})
		return err
	}
	go func() {
		worked <- c.Work(ctx, cluster.WorkerOptions{
			Scratch: b.TempDir(), Program: testProgram,
			Execute: func(ctx context.Context, t cluster.Task) error { return empty(ctx, t.Root, t.Pool) },
		})
	}()
	for b.Loop() {
		root := b.TempDir()
		job := func(context.Context) (cluster.Job, error) { return cluster.Job{Program: testProgram}, nil }
		s := must.Get(c.Submit(cluster.SubmitOptions{Job: job, Root: root, Replicas: 3}))(b)
		must.Do(b, empty(ctx, root, s))
		must.Do(b, s.Finish(ctx))
		s.Close()
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*n), "ms/shard")
	cancel()
	<-worked
}
