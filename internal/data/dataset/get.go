package dataset

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tattle/internal/file"
)

// GetOptions says how to fetch; the zero value is the default.
type GetOptions struct {
	BaseURL  string                  // fetches every file from below this address instead of its home
	Progress func(done, total int64) // called now and then with the bytes that are there of all files

	patience patience // of tests
}

// patience is what is borne of a server.
type patience struct {
	idle    time.Duration // without a byte, before a connection is given up
	retries int           // in a row that bring nothing
	backoff time.Duration // before the first retry; it doubles up to 32 times
}

var defaultPatience = patience{idle: 30 * time.Second, retries: 5, backoff: time.Second}

// Get fetches a public data set into dir, where [Open] can read it. Files that
// are there and right are not fetched again. A file grows beside its place with
// ".part" in its name and moves there when its SHA-256 is right; a download that
// broke off is taken up where it ended. Get returns an error if another fetches into dir.
func Get(ctx context.Context, name, dir string, o GetOptions) error {
	d, err := Info(name)
	if err != nil {
		return err
	}
	return d.get(ctx, dir, o)
}

func (d Description) get(ctx context.Context, dir string, o GetOptions) error {
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder: %w", err)
	}
	unlock, err := file.Lock(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	defer unlock()
	total := d.Bytes()
	var before int64
	for _, remote := range d.Files {
		f := fetch{RemoteFile: remote, path: filepath.Join(dir, remote.Name), patience: cmp.Or(o.patience, defaultPatience)}
		if o.BaseURL != "" {
			f.URL = strings.TrimSuffix(o.BaseURL, "/") + "/" + remote.Name
		}
		f.progress = func(done int64) { o.Progress(min(before+min(done, remote.Size), total), total) }
		if err := f.get(ctx); err != nil {
			return fmt.Errorf("%s: %w", remote.Name, err)
		}
		before += remote.Size
		o.Progress(before, total)
	}
	return nil
}

// fetch brings one file over HTTP.
type fetch struct {
	RemoteFile
	patience
	path     string // where it goes
	progress func(done int64)
}

func (f *fetch) part() string { return f.path + ".part" }

// permanentError is one that another attempt cannot fix.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// digestError says that a file is whole but not the published one.
type digestError struct{ error }

// get brings one file, or what is wanted of one archive, into place.
func (f *fetch) get(ctx context.Context) error {
	dir := filepath.Dir(f.path)
	if f.Members != nil && unpacked(ctx, dir, f.Members) || f.Members == nil && f.verify(ctx, f.path) == nil {
		return nil
	}
	if err := f.verify(ctx, f.part()); err != nil {
		if err := f.download(ctx); err != nil {
			return err
		}
	}
	if f.Members == nil {
		return os.Rename(f.part(), f.path)
	}
	if err := unpack(ctx, f.part(), dir, f.RemoteFile); err != nil {
		return err
	}
	return os.Remove(f.part())
}

// download fills the .part, from where it ends, until it is the published file. It gives up when too many attempts in a
// row bring nothing. A .part whose SHA-256 is wrong is thrown away and fetched once more: what was kept of an
// earlier run may have been of another version. An error says that what came is kept, and that another run goes on from
// there.
func (f *fetch) download(ctx context.Context) error {
	idle, wrong, wait := 0, 0, f.backoff
	furthest := f.have()
	for {
		err := f.attempt(ctx)
		if err == nil {
			err = f.verify(ctx, f.part())
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case errors.As(err, new(digestError)):
			os.Remove(f.part())
			if wrong++; wrong < 2 {
				continue
			}
			return err
		case !errors.As(err, new(permanentError)):
			if idle++; f.have() > furthest {
				idle, wait, furthest = 0, f.backoff, f.have()
			}
			if idle <= f.retries {
				select {
				case <-ctx.Done():
				case <-time.After(wait):
				}
				wait = min(2*wait, 32*f.backoff)
				continue
			}
		}
		if n := f.have(); n > 0 {
			return fmt.Errorf("%w; %d bytes are kept in %s, run it again to go on from there", err, n, f.part())
		}
		os.Remove(f.part())
		return err
	}
}

// have returns how many bytes the .part has.
func (f *fetch) have() int64 {
	info, err := os.Stat(f.part())
	if err != nil {
		return 0
	}
	return info.Size()
}

// attempt makes one request for what is missing and appends what comes. A server that sends no byte for too long is given
// up.
func (f *fetch) attempt(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := fmt.Errorf("%s: stalled: no byte for %v", f.URL, f.idle)
	watch := time.AfterFunc(f.idle, func() { cancel(stalled) })
	defer watch.Stop()
	err := f.exchange(ctx, watch)
	if context.Cause(ctx) == stalled {
		return stalled
	}
	return err
}

func (f *fetch) exchange(ctx context.Context, watch *time.Timer) error {
	part, err := os.OpenFile(f.part(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return permanentError{fmt.Errorf("cannot write: %w", err)}
	}
	defer part.Close()
	have := f.have()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		return permanentError{err}
	}
	request.Header.Set("User-Agent", "tattle")
	request.Header.Set("Accept-Encoding", "identity") // the .gz is wanted as it is
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	watch.Reset(f.idle)
	if response.StatusCode == http.StatusRequestedRangeNotSatisfiable && f.verify(ctx, f.part()) == nil {
		return nil // nothing is missing
	}
	if have, err = f.place(response, have); have == 0 {
		part.Truncate(0) // it is sent from its beginning
	}
	if err != nil {
		return err
	}
	return f.append(part, response, have, watch)
}

// place returns the place in the .part that the answer's body belongs to, which is its end or its beginning. A
// range other than the one asked for empties the .part, for the next attempt to ask for all.
func (f *fetch) place(r *http.Response, have int64) (int64, error) {
	problem := fmt.Errorf("%s: %s", f.URL, r.Status)
	span := r.Header.Get("Content-Range")
	switch code := r.StatusCode; {
	case code == http.StatusOK:
		return 0, nil
	case code == http.StatusPartialContent && strings.HasPrefix(span, fmt.Sprintf("bytes %d-", have)):
		return have, nil
	case (code == http.StatusPartialContent || code == http.StatusRequestedRangeNotSatisfiable) && have > 0:
		return 0, fmt.Errorf("%w, for another range than asked (%q)", problem, span)
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		return have, problem
	}
	return have, permanentError{problem}
}

// append appends the body to the .part. It gives up on a server that sends another file than
// the published one, by its size: a mirror may compress a file a little worse.
func (f *fetch) append(part *os.File, r *http.Response, have int64, watch *time.Timer) error {
	limit := f.Size + f.Size/4 + 1<<16
	tooMuch := permanentError{fmt.Errorf("%s sends more than the %d bytes of the published file", f.URL, f.Size)}
	buffer := make([]byte, 1<<17)
	for have+r.ContentLength <= limit {
		n, err := r.Body.Read(buffer)
		if have += int64(n); have > limit {
			break
		}
		if n > 0 {
			watch.Reset(f.idle)
			if _, err := part.Write(buffer[:n]); err != nil {
				return permanentError{fmt.Errorf("cannot write: %w", err)}
			}
			f.progress(have)
		}
		r.ContentLength = max(r.ContentLength-int64(n), 0)
		if err == io.EOF {
			return part.Sync()
		}
		if err != nil {
			return fmt.Errorf("%s: broke off: %w", f.URL, err)
		}
	}
	part.Truncate(0)
	return tooMuch
}

// verify compares the SHA-256 of a file's contents with the published one. It
// reads no more than the published file holds.
func (f *fetch) verify(ctx context.Context, path string) error {
	stored, err := file.Open(path)
	if err != nil {
		return err
	}
	defer stored.Close()
	contents := file.Reader(ctx, stored)
	h := sha256.New()
	if f.Members == nil && strings.HasSuffix(f.Name, ".gz") {
		if contents, err = gzip.NewReader(contents); err != nil {
			err = fmt.Errorf("what %s sent is not the published file (%w)", f.URL, err)
		}
	}
	if err == nil {
		if _, err = io.Copy(h, io.LimitReader(contents, f.Contents+1)); err != nil {
			err = fmt.Errorf("what %s sent is damaged (%w): try again", f.URL, err)
		}
	}
	switch sum := hex.EncodeToString(h.Sum(nil)); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, new(*fs.PathError)):
		return err
	case err != nil:
		return digestError{err}
	case sum != f.SHA256:
		return digestError{fmt.Errorf("what %s sent is not the published file: SHA-256 %s, want %s", f.URL, sum, f.SHA256)}
	}
	return nil
}
