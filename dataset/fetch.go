package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"tattle/internal/file"
)

// maxAttempts bounds the requests for one file, however much each brings.
const maxAttempts = 100

var (
	errStalled = errors.New("stalled")
	errPartial = errors.New("the server answered for another range than asked")
)

// fetch brings one file over HTTP.
type fetch struct {
	RemoteFile
	path     string // where it goes
	o        GetOptions
	progress func(done int64)
	open     func(path string) (partFile, error)
}

// partFile is a file being downloaded; tests put a full disk in its place.
type partFile interface {
	io.WriteSeeker
	io.Closer
	Truncate(size int64) error
	Sync() error
}

func openPart(path string) (partFile, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
}

func (f *fetch) part() string { return f.path + ".part" }

// tag names the file that keeps the validator of the server's version that the
// .part is of.
func (f *fetch) tag() string { return f.path + ".part.tag" }

func (f *fetch) discard() {
	os.Remove(f.part())
	os.Remove(f.tag())
}

// limit is the most bytes taken: a mirror may compress a file a little worse.
func (f *fetch) limit() int64 { return f.Size + f.Size/4 + 1<<16 }

// permanentError is one that another attempt cannot fix.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// download fills the .part, from where it ends, until the server has sent all.
func (f *fetch) download(ctx context.Context) error {
	part, err := f.open(f.part())
	if err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	defer part.Close()
	have, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	t := &transfer{fetch: f, part: part, have: have}
	err = t.run(ctx)
	if err != nil {
		if part.Close(); t.have == 0 {
			f.discard()
		}
		return f.explain(ctx, err, t.have)
	}
	if err := part.Sync(); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// explain adds to an error what was kept and that it can be taken up.
func (f *fetch) explain(ctx context.Context, err error, have int64) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if have == 0 {
		return err
	}
	return fmt.Errorf("%w; %d bytes are kept in %s, run it again to go on from there", err, have, f.part())
}

// transfer is the state of one download.
type transfer struct {
	*fetch
	part partFile
	have int64 // bytes in the .part
}

// run makes attempts until one succeeds, one fails for good, or too many in a
// row have brought nothing.
func (t *transfer) run(ctx context.Context) error {
	idle, wait := 0, t.o.Backoff
	for attempt := 1; ; attempt++ {
		had := t.have
		err := t.attempt(ctx)
		if err == nil {
			return nil
		}
		idle++
		if t.have > had {
			idle, wait = 0, t.o.Backoff
		}
		var permanent permanentError
		if errors.As(err, &permanent) || ctx.Err() != nil || idle > t.o.Retries || attempt == maxAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait = min(2*wait, 32*t.o.Backoff)
	}
}

// attempt makes one request for what is missing and writes what comes.
func (t *transfer) attempt(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := fmt.Errorf("%s: %w: no byte for %v", t.URL, errStalled, t.o.Idle)
	watch := time.AfterFunc(t.o.Idle, func() { cancel(stalled) })
	defer watch.Stop()

	err := t.exchange(ctx, func() { watch.Reset(t.o.Idle) })
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return stalled
	}
	return err
}

func (t *transfer) exchange(ctx context.Context, alive func()) error {
	request, err := t.request(ctx)
	if err != nil {
		return permanentError{err}
	}
	response, err := t.o.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	alive()
	done, err := t.place(response)
	if done || err != nil {
		return err
	}
	return t.copy(response, alive)
}

// request asks for all of the file, or for the rest of the version that the
// .part is of.
func (t *transfer) request(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "tattle")
	request.Header.Set("Accept-Encoding", "identity") // the .gz is wanted as it is
	if t.have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", t.have))
		if tag, err := file.ReadFile(t.tag()); err == nil && len(tag) > 0 {
			request.Header.Set("If-Range", string(tag))
		}
	}
	return request, nil
}

// place decides by the answer where in the .part the body belongs, and sets
// t.have to that. done means that nothing is missing.
func (t *transfer) place(r *http.Response) (done bool, err error) {
	switch {
	case r.StatusCode == http.StatusOK: // from the beginning, whatever was asked
		return false, t.restart(r)
	case r.StatusCode == http.StatusPartialContent:
		if start, _, ok := contentRange(r); !ok || start != t.have || t.have == 0 {
			return false, t.abandon(fmt.Errorf("%s: %w (%q)", t.URL, errPartial, r.Header.Get("Content-Range")))
		}
		return false, nil
	case r.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		if _, size, ok := contentRange(r); ok && size == t.have && size > 0 {
			return true, nil
		}
		return false, t.abandon(fmt.Errorf("%s: %s", t.URL, r.Status))
	case r.StatusCode == http.StatusRequestTimeout, r.StatusCode == http.StatusTooManyRequests, r.StatusCode >= 500:
		return false, fmt.Errorf("%s: %s", t.URL, r.Status)
	}
	return false, permanentError{fmt.Errorf("%s: %s", t.URL, r.Status)}
}

// restart empties the .part and notes which version of the file is coming: a
// strong entity tag, which alone may be sent in If-Range.
func (t *transfer) restart(r *http.Response) error {
	if err := t.empty(); err != nil {
		return err
	}
	os.Remove(t.tag())
	if tag := r.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		if err := os.WriteFile(t.tag(), []byte(tag), 0o666); err != nil {
			return permanentError{fmt.Errorf("cannot write: %w", err)}
		}
	}
	return nil
}

// abandon empties the .part, for the next attempt to start anew.
func (t *transfer) abandon(why error) error {
	if t.have == 0 {
		return permanentError{why}
	}
	if err := t.empty(); err != nil {
		return err
	}
	return why
}

func (t *transfer) empty() error {
	t.have = 0
	if err := t.part.Truncate(0); err != nil {
		return permanentError{fmt.Errorf("cannot write: %w", err)}
	}
	return nil
}

// copy appends the body to the .part.
func (t *transfer) copy(r *http.Response, alive func()) error {
	if size := t.have + r.ContentLength; size > t.limit() {
		return t.tooMuch()
	}
	if _, err := t.part.Seek(t.have, io.SeekStart); err != nil {
		return permanentError{err}
	}
	buffer := make([]byte, 1<<17)
	for {
		n, err := r.Body.Read(buffer)
		if n > 0 {
			alive()
			if t.have+int64(n) > t.limit() {
				return t.tooMuch()
			}
			if err := t.write(buffer[:n]); err != nil {
				return err
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

func (t *transfer) write(b []byte) error {
	n, err := t.part.Write(b)
	t.have += int64(n)
	t.progress(t.have)
	if err != nil {
		return permanentError{fmt.Errorf("cannot write: %w", err)}
	}
	return nil
}

// tooMuch gives up on a server that sends another file than the published one.
func (t *transfer) tooMuch() error {
	t.empty()
	return permanentError{fmt.Errorf("%s sends more than the %d bytes of the published file", t.URL, t.Size)}
}

// contentRange reads "bytes 5-9/10" or "bytes */10"; size is −1 if it says *.
func contentRange(r *http.Response) (start, size int64, ok bool) {
	span, total, found := strings.Cut(strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "), "/")
	if !found {
		return 0, 0, false
	}
	size, err := strconv.ParseInt(total, 10, 64)
	if err != nil {
		size = -1
	}
	first, _, _ := strings.Cut(span, "-")
	start, err = strconv.ParseInt(first, 10, 64)
	return start, size, err == nil || span == "*"
}
