package bound

import (
	"context"
	"regexp"
	"strconv"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// hoarder is a net that states how much memory it needs.
type hoarder struct {
	*nn.Net
	each int64
	got  *int64
}

func (m hoarder) SetMemory(bytes int64)              { *m.got = bytes }
func (m hoarder) Memory(examples, vectors int) int64 { return m.each * int64(examples*vectors) }

// The error about too small a budget names the memory that is needed, and that much is enough. A
// small budget does not change the results.
func TestMemory(t *testing.T) {
	shared.Long(t, "runs with little memory")
	net, data, e := small(t)
	var share int64
	m := hoarder{net, 1 << 20, &share}
	e.Memory = 1 << 10
	_, err := Run(context.Background(), m, data, upTo(40), e, RunOptions{Dir: t.TempDir()})
	must.Fail(t, err, "at least")
	mib := must.Get(strconv.Atoi(regexp.MustCompile(`at least (\d+) MiB`).FindStringSubmatch(err.Error())[1]))(t)
	for _, search := range []string{Direct, Algorithm1, Published} {
		e.Search.Search = search
		e.Memory = 0
		want := mustRun(t, m, data, upTo(40), e)
		large := share
		e.Memory = int64(mib) << 20
		if search == Published {
			e.Memory += 50 << 20 // of its stack
		}
		got := mustRun(t, m, data, upTo(40), e)
		if got.SHA256 != want.SHA256 {
			t.Errorf("%s: other bytes with %d MiB", search, mib)
		}
		if share < 3<<19 || share >= large {
			t.Errorf("%s: the model has %d bytes of %d, %d of the default", search, share, e.Memory, large)
		}
	}
	e.Memory = -1
	must.Fail(t, must.Err2(e.resolve(lookAt(m, data.X[:24]), nil))) // a negative memory
}
