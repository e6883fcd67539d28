package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

var errStalled = errors.New("stalled")

// fetch brings one file over HTTP.
type fetch struct {
	RemoteFile
	patience
	path     string // where it goes
	progress func(done int64)
}

func (f *fetch) part() string { return f.path + ".part" }

// limit is the most bytes taken: a mirror may compress a file a little worse.
func (f *fetch) limit() int64 { return f.Size + f.Size/4 + 1<<16 }

// permanentError is one that another attempt cannot fix.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

func cannotWrite(err error) error { return permanentError{fmt.Errorf("cannot write: %w", err)} }

// download fills the .part, from where it ends, until the server has sent all. An error
// says that what came is kept, and that another run goes on from there.
func (f *fetch) download(ctx context.Context) error {
	part, err := os.OpenFile(f.part(), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return cannotWrite(err)
	}
	defer part.Close()
	have, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	t := &transfer{fetch: f, part: part, have: have}
	if err = t.run(ctx); err == nil {
		if err := part.Sync(); err != nil {
			return cannotWrite(err)
		}
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if t.have > 0 {
		return fmt.Errorf("%w; %d bytes are kept in %s, run it again to go on from there", err, t.have, f.part())
	}
	part.Close()
	os.Remove(f.part())
	return err
}

// transfer is the state of one download.
type transfer struct {
	*fetch
	part *os.File
	have int64 // bytes in the .part
}

// run makes attempts until one succeeds, one fails for good, or too many in a
// row have come no further than those before.
func (t *transfer) run(ctx context.Context) error {
	idle, wait, furthest := 0, t.backoff, t.have
	for {
		err := t.attempt(ctx)
		if err == nil {
			return nil
		}
		idle++
		if t.have > furthest {
			idle, wait, furthest = 0, t.backoff, t.have
		}
		if permanent := new(permanentError); errors.As(err, permanent) || ctx.Err() != nil || idle > t.retries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait = min(2*wait, 32*t.backoff)
	}
}

// attempt makes one request for what is missing and writes what comes.
func (t *transfer) attempt(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := fmt.Errorf("%s: %w: no byte for %v", t.URL, errStalled, t.idle)
	watch := time.AfterFunc(t.idle, func() { cancel(stalled) })
	defer watch.Stop()

	err := t.exchange(ctx, func() { watch.Reset(t.idle) })
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return stalled
	}
	return err
}

func (t *transfer) exchange(ctx context.Context, alive func()) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL, nil)
	if err != nil {
		return permanentError{err}
	}
	request.Header.Set("User-Agent", "tattle")
	request.Header.Set("Accept-Encoding", "identity") // the .gz is wanted as it is
	if t.have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", t.have))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	alive()
	if response.StatusCode == http.StatusRequestedRangeNotSatisfiable && t.verify(ctx, t.fetch.part()) == nil {
		return nil // nothing is missing
	}
	if err := t.place(response); err != nil {
		return err
	}
	return t.copy(response, alive)
}

// place decides by the answer where in the .part the body belongs, and sets t.have to that.
// A range other than the one asked for empties the .part, for the next attempt to ask for all.
func (t *transfer) place(r *http.Response) error {
	problem := fmt.Errorf("%s: %s", t.URL, r.Status)
	switch {
	case r.StatusCode == http.StatusOK: // from the beginning, whatever was asked
		return t.empty()
	case r.StatusCode == http.StatusPartialContent, r.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		span := r.Header.Get("Content-Range")
		if strings.HasPrefix(span, fmt.Sprintf("bytes %d-", t.have)) {
			return nil
		}
		if t.have > 0 {
			if err := t.empty(); err != nil {
				return err
			}
			return fmt.Errorf("%w, for another range than asked (%q)", problem, span)
		}
	case r.StatusCode == http.StatusRequestTimeout, r.StatusCode == http.StatusTooManyRequests, r.StatusCode >= 500:
		return problem
	}
	return permanentError{problem}
}

func (t *transfer) empty() error {
	t.have = 0
	if err := t.part.Truncate(0); err != nil {
		return cannotWrite(err)
	}
	return nil
}

// copy appends the body to the .part. It gives up on a server that sends another file than
// the published one, by its size.
func (t *transfer) copy(r *http.Response, alive func()) error {
	tooMuch := permanentError{fmt.Errorf("%s sends more than the %d bytes of the published file", t.URL, t.Size)}
	if size := t.have + r.ContentLength; size > t.limit() {
		t.empty()
		return tooMuch
	}
	if _, err := t.part.Seek(t.have, io.SeekStart); err != nil {
		return cannotWrite(err)
	}
	buffer := make([]byte, 1<<17)
	for {
		n, err := r.Body.Read(buffer)
		if n > 0 {
			alive()
			if t.have+int64(n) > t.limit() {
				t.empty()
				return tooMuch
			}
			written, err := t.part.Write(buffer[:n])
			t.have += int64(written)
			t.progress(t.have)
			if err != nil {
				return cannotWrite(err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: broke off: %w", t.URL, err)
		}
	}
}
