package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tattle/internal/must"

	"go.etcd.io/bbolt"
)

// clock is a time that a test sets.
type clock struct{ seconds atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(c.seconds.Load(), 0) }

func open(t testing.TB, dir string, b Budget, now func() time.Time) *Ledger {
	t.Helper()
	l := openWith(t, dir, Options{Budget: b})
	if now != nil {
		l.now = now
	}
	return l
}

func openWith(t testing.TB, dir string, o Options) *Ledger {
	t.Helper()
	l := must.Get(Open(dir, o))(t)
	t.Cleanup(func() {
		select {
		case <-l.closing:
		default:
			l.Close()
		}
	})
	return l
}

// one debits one input of a subject.
func one(l *Ledger, subject string, x float32, release ...int64) ([]int64, error) {
	s := l.Subject(subject)
	kept, _, err := l.Debit(context.Background(), s, []Input{l.Input(s, "m", []float32{x})}, [][]int64{release})
	if err != nil {
		return nil, err
	}
	return kept[0], nil
}

func mustOne(t *testing.T, l *Ledger, subject string, x float32, release, want []int64) {
	t.Helper()
	if got, err := one(l, subject, x, release...); err != nil || !slices.Equal(got, want) {
		t.Fatalf("%s, input %v: %v, %v; want %v", subject, x, got, err, want)
	}
}

func mustBeExhausted(t *testing.T, err error, used int, wait time.Duration) {
	t.Helper()
	var e *ExhaustedError
	if !errors.As(err, &e) || e.Used != used || e.Wait != wait {
		t.Fatalf("%v (%+v), want an exhausted budget, %d used, %v to wait", err, e, used, wait)
	}
}

// subjectsOf returns the number of subjects that the ledger knows.
func subjectsOf(l *Ledger) (n int, err error) {
	err = l.view(func(tx *bbolt.Tx) error {
		n = tx.Bucket(subjectsBucket).Stats().KeyN
		return nil
	})
	return n, err
}

func TestBudgetAndSameInputs(t *testing.T) {
	c := &clock{}
	c.seconds.Store(1_000_000*3600 + 600)
	dir := t.TempDir()
	l := open(t, dir, Budget{3, time.Hour}, c.now)
	mustOne(t, l, "ann", 1, []int64{7}, []int64{7})
	mustOne(t, l, "ann", 1, []int64{8}, []int64{7}) // the same input: the stored release, counted
	mustOne(t, l, "ann", 2, []int64{9}, []int64{9})
	for _, x := range []float32{1, 3} { // stored and new: the same refusal
		_, err := one(l, "ann", x, 10)
		mustBeExhausted(t, err, 3, 50*time.Minute)
	}
	mustOne(t, l, "bob", 1, []int64{1}, []int64{1}) // another subject: another release, another budget
	if n, err := subjectsOf(l); n != 2 || err != nil {
		t.Errorf("%d subjects, %v", n, err)
	}
	must.Do(t, l.Close())
	if _, err := one(l, "ann", 4, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed ledger: %v", err)
	}
	l = open(t, dir, Budget{3, time.Hour}, c.now) // all of it is on disk
	_, err := one(l, "ann", 3, 10)
	mustBeExhausted(t, err, 3, 50*time.Minute)
	c.seconds.Add(3000) // the next period
	mustOne(t, l, "ann", 3, []int64{10}, []int64{10})
	mustOne(t, l, "ann", 1, []int64{11}, []int64{7}) // stored releases stay
	c.seconds.Add(-3000)                             // a clock that is set back opens no period again
	mustOne(t, l, "ann", 4, []int64{12}, []int64{12})
	_, err = one(l, "ann", 5, 13)
	mustBeExhausted(t, err, 3, 110*time.Minute)
}

// TestFreeRepeats: where the operator chooses so, stored inputs need no budget and no room.
func TestFreeRepeats(t *testing.T) {
	dir := t.TempDir()
	l := openWith(t, dir, Options{Budget: Budget{Releases: 2}, FreeRepeats: true})
	mustOne(t, l, "ann", 1, []int64{7}, []int64{7})
	mustOne(t, l, "ann", 3, []int64{9}, []int64{9})
	before := countAll(t, l)
	mustOne(t, l, "ann", 1, []int64{8}, []int64{7})
	if after := countAll(t, l); after != before {
		t.Errorf("%+v, then %+v", before, after)
	}
	must.Do(t, l.Close())
	l = openWith(t, dir, Options{Budget: Budget{Releases: 1}, FreeRepeats: true}) // less than is used
	mustOne(t, l, "ann", 1, []int64{8}, []int64{7})
	_, err := one(l, "ann", 2, 9)
	mustBeExhausted(t, err, 2, 0)
	must.Fail(t, err, "1 releases in all: 2 are used")
}

// TestSameWork: a stored input changes the ledger as a new one does.
func TestSameWork(t *testing.T) {
	l := open(t, t.TempDir(), Budget{Releases: 100}, nil)
	mustOne(t, l, "ann", 1, []int64{7}, []int64{7})
	for x, want := range map[float32]int64{1: 7, 2: 9} {
		before := countAll(t, l)
		mustOne(t, l, "ann", x, []int64{9}, []int64{want})
		if after := countAll(t, l); after.debits != before.debits+1 || after.releases != before.releases+1 {
			t.Errorf("input %v: %+v, then %+v", x, before, after)
		}
	}
}

// TestPeriodsThatChange: another period in the settings neither blocks a subject for ages nor
// forgets the count of the period that is not over.
func TestPeriodsThatChange(t *testing.T) {
	c := &clock{}
	c.seconds.Store(20_000*86400 + 7200)
	dir := t.TempDir()
	for i, step := range []struct {
		period time.Duration
		later  int64
		used   int // −1: there is budget
	}{{time.Hour, 0, -1}, {time.Hour, 0, 1}, {24 * time.Hour, 60, 1}, {24 * time.Hour, 86400, -1}, {0, 0, 1}, {0, 1e9, 1}, {24 * time.Hour, 0, -1}} {
		c.seconds.Add(step.later)
		l := open(t, dir, Budget{1, step.period}, c.now)
		_, err := one(l, "ann", float32(i), 1)
		var e *ExhaustedError
		switch {
		case step.used < 0 && err != nil, step.used >= 0 && !errors.As(err, &e):
			t.Errorf("%+v: %v", step, err)
		case e != nil && (e.Used != step.used || e.Wait < 0 || e.Wait > step.period):
			t.Errorf("%+v: %+v", step, e)
		}
		l.Close()
	}
}

// TestWholeRequests: a request of several inputs is stored whole or not at all, and an input that
// occurs twice is one.
func TestWholeRequests(t *testing.T) {
	l := open(t, t.TempDir(), Budget{Releases: 3}, nil)
	s := l.Subject("ann")
	inputs := func(x ...float32) (all []Input) {
		for _, v := range x {
			all = append(all, l.Input(s, "m", []float32{v}))
		}
		return all
	}
	debited := 0
	debit := func(in []Input, releases ...[]int64) (kept [][]int64, err error) {
		kept, debited, err = l.Debit(context.Background(), s, in, releases)
		return kept, err
	}
	kept, err := debit(inputs(1, 2, 1), []int64{1}, []int64{2}, []int64{3})
	if err != nil || debited != 2 || fmt.Sprint(kept) != "[[1] [2] [1]]" {
		t.Fatal(kept, debited, err)
	}
	for _, in := range [][]Input{inputs(1, 2), inputs(2, 3), inputs(3, 4)} {
		_, err = debit(in, []int64{3}, []int64{4})
		mustBeExhausted(t, err, 2, 0)
		mustBeExhausted(t, l.Covers(s, in), 2, 0)
	}
	if kept, err = debit(inputs(2, 2), []int64{3}, []int64{0}); err != nil || debited != 1 || fmt.Sprint(kept) != "[[2] [2]]" {
		t.Fatal(kept, err)
	}
}

// TestRaces: of many requests with the same input one draws the release, and all get it.
func TestRaces(t *testing.T) {
	l := openWith(t, t.TempDir(), Options{Budget: Budget{Releases: 10}, FreeRepeats: true})
	var mu sync.Mutex
	got, refused := map[string]int{}, 0
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			release, err := one(l, "ann", float32(i%20), int64(i))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused++
				return
			}
			got[fmt.Sprint(i%20, release)]++
		})
	}
	wg.Wait()
	if len(got) != 10 || refused != 100 {
		t.Errorf("%d different releases, %d refused: %v", len(got), refused, got)
	}
}

func TestInputs(t *testing.T) {
	l := open(t, t.TempDir(), Budget{Releases: 1}, nil)
	zero, below := float32(0), float32(math.Copysign(0, -1))
	s := l.Subject("ann")
	all := map[Input]string{}
	for name, in := range map[string]Input{
		"1":               l.Input(s, "m", []float32{1}),
		"1 0":             l.Input(s, "m", []float32{1, 0}),
		"another subject": l.Input(l.Subject("bob"), "m", []float32{1}),
		"another model":   l.Input(s, "n", []float32{1}),
		"longer name":     l.Input(s, "m\x00", []float32{1}),
	} {
		if all[in] != "" {
			t.Errorf("%s and %s are one", name, all[in])
		}
		all[in] = name
	}
	if l.Input(s, "m", []float32{zero}) != l.Input(s, "m", []float32{below}) {
		t.Error("the sign of zero makes another input")
	}
	other := open(t, t.TempDir(), Budget{Releases: 1}, nil)
	if other.Subject("ann") == l.Subject("ann") {
		t.Error("two ledgers have the same key")
	}
}

func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	l := open(t, dir, Budget{Releases: 2}, nil)
	mustOne(t, l, "ann", 1, []int64{1}, []int64{1})
	for _, name := range []string{databaseFile, keyFile} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, databaseFile))
	if err != nil || strings.Contains(string(b), "ann") {
		t.Error("the database has the name of a subject", err)
	}
	refused := func(words string) {
		t.Helper()
		if l, err := Open(dir, Options{Budget: Budget{Releases: 1}}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %s", err, words)
			if l != nil {
				l.Close()
			}
		}
	}
	refused("another process has the ledger open")
	must.Do(t, l.Probe())
	l.Close()
	key := filepath.Join(dir, keyFile)
	right := must.Get(os.ReadFile(key))(t)
	for words, content := range map[string][]byte{"is not the key of this ledger": slices.Repeat([]byte{1}, keySize), "has 3 bytes": {1, 2, 3}} {
		must.Do(t, os.WriteFile(key, content, 0o600))
		refused(words)
	}
	os.Remove(key)
	refused("is missing")
	os.WriteFile(key, right, 0o600)
	l = open(t, dir, Budget{Releases: 2}, nil)
	mustOne(t, l, "ann", 1, []int64{2}, []int64{1})
	l.Close()
	os.Truncate(filepath.Join(dir, databaseFile), 0)
	refused("all budgets begin anew")
	os.Remove(filepath.Join(dir, databaseFile))
	refused("all budgets begin anew")
	os.WriteFile(filepath.Join(dir, databaseFile), []byte("no database"), 0o600)
	refused(databaseFile)
	for _, b := range []Budget{{}, {Releases: -1}, {1, -time.Second}, {1, time.Millisecond}} {
		if _, err := Open(t.TempDir(), Options{Budget: b}); err == nil {
			t.Errorf("%+v: no error", b)
		}
	}
}
