// Package catalogue knows public data sets by their names, sizes and checksums, and downloads them.
package catalogue

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"tattle/internal/file"
)

// Options says how to fetch; the zero value is the default.
type Options struct {
	BaseURL  string                  // fetches every file from below this address instead of its home
	Progress func(done, total int64) // called now and then with the bytes that are there of all files

	idle time.Duration // without a byte, before a connection is given up; 0 is idleTime
}

const idleTime = 30 * time.Second

// Get fetches a public data set into dir, where package dataset can read it. Files that are there and right are not fetched
// again. A file grows beside its place with ".part" in its name and moves there when its SHA-256 is right. A
// download that breaks off is an error; another Get goes on where it ended. Get returns an error if another fetches into dir.
func Get(ctx context.Context, name, dir string, o Options) error {
	d, err := Info(name)
	if err != nil {
		return err
	}
	return d.get(ctx, dir, o)
}

func (d Description) get(ctx context.Context, dir string, o Options) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder: %w", err)
	}
	unlock, err := file.Lock(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	defer unlock()
	var before int64
	for _, remote := range d.Files {
		f := fetch{RemoteFile: remote, path: filepath.Join(dir, remote.Name), idle: cmp.Or(o.idle, idleTime)}
		if o.BaseURL != "" {
			f.URL = strings.TrimSuffix(o.BaseURL, "/") + "/" + remote.Name
		}
		f.progress = func(done int64) {
			if o.Progress != nil {
				o.Progress(before+min(done, remote.Size), d.Bytes())
			}
		}
		if err := f.get(ctx); err != nil {
			return fmt.Errorf("%s: %w", remote.Name, err)
		}
		f.progress(remote.Size)
		before += remote.Size
	}
	return nil
}

// fetch brings one file over HTTP.
type fetch struct {
	RemoteFile
	path     string // where it goes
	idle     time.Duration
	progress func(done int64)
}

// get brings one file, or what is wanted of one archive, into place.
func (f *fetch) get(ctx context.Context) error {
	dir, part := filepath.Dir(f.path), f.path+".part"
	if f.Members != nil && f.lacking(dir) == "" || f.Members == nil && f.verify(ctx, f.path) == nil {
		return nil
	}
	if err := f.verify(ctx, part); err != nil {
		if err := f.download(ctx, part); err != nil {
			if kept, _ := os.Stat(part); kept != nil && kept.Size() > 0 {
				err = fmt.Errorf("%w; %d bytes are kept in %s, run it again to go on from there", err, kept.Size(), part)
			}
			return err
		}
		if err := f.verify(ctx, part); err != nil {
			if ctx.Err() == nil { // what was kept of an earlier run may have been of another version
				os.Remove(part)
			}
			return err
		}
	}
	if f.Members == nil {
		return os.Rename(part, f.path)
	}
	if err := f.unpack(ctx, part, dir); err != nil {
		return err
	}
	return os.Remove(part)
}

// download asks for what the .part lacks and appends what comes. A server that sends no byte for too long is given up, and
// one that sends more than the published file: a mirror may compress it a little worse.
func (f *fetch) download(ctx context.Context, name string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(f.idle, func() { cancel(fmt.Errorf("%s: no byte for %v", f.URL, f.idle)) })
	defer watch.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "tattle")
	request.Header.Set("Accept-Encoding", "identity") // the .gz is wanted as it is
	mode, have := os.O_WRONLY|os.O_CREATE|os.O_APPEND, int64(0)
	if kept, _ := os.Stat(name); kept != nil && kept.Size() > 0 {
		have = kept.Size()
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer response.Body.Close()
	switch code, span := response.StatusCode, response.Header.Get("Content-Range"); {
	case code == http.StatusPartialContent && strings.HasPrefix(span, fmt.Sprintf("bytes %d-", have)):
	case code == http.StatusOK: // it is sent from its beginning
		have, mode = 0, mode|os.O_TRUNC
	case code == http.StatusPartialContent || code == http.StatusRequestedRangeNotSatisfiable:
		os.Remove(name)
		return fmt.Errorf("%s: %s, for another range than asked (%q): run it again to fetch it from the beginning", f.URL, response.Status, span)
	default:
		return fmt.Errorf("%s: %s", f.URL, response.Status)
	}
	part, err := os.OpenFile(name, mode, 0o666)
	if err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	defer part.Close()
	limit := f.Size + f.Size/4 + 1<<16
	for buffer := make([]byte, 1<<17); ; {
		n, err := response.Body.Read(buffer)
		watch.Reset(f.idle)
		if have += int64(n); have > limit {
			os.Remove(name)
			return fmt.Errorf("%s sends more than the %d bytes of the published file", f.URL, f.Size)
		}
		if _, err := part.Write(buffer[:n]); err != nil {
			return fmt.Errorf("cannot write: %w", err)
		}
		f.progress(have)
		if err == io.EOF {
			return part.Sync()
		}
		if err != nil {
			return fmt.Errorf("%s: broke off: %w", f.URL, cmp.Or(context.Cause(ctx), err))
		}
	}
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
	if f.Members == nil && strings.HasSuffix(f.Name, ".gz") {
		if contents, err = gzip.NewReader(contents); err != nil {
			return cmp.Or(context.Cause(ctx), fmt.Errorf("what %s sent is not the published file (%w)", f.URL, err))
		}
	}
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(contents, f.Contents+1))
	switch sum := hex.EncodeToString(h.Sum(nil)); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("what %s sent is damaged (%w): run it again to fetch it anew", f.URL, err)
	case sum != f.SHA256:
		return fmt.Errorf("what %s sent is not the published file: SHA-256 %s, want %s", f.URL, sum, f.SHA256)
	}
	return nil
}

// Description describes a public data set.
type Description struct {
	Name  string
	About string       // its title, and lines on its contents, licence and source
	Files []RemoteFile // that [Get] fetches; none of a set without a known checksum
}

// RemoteFile is a file that [Get] fetches.
type RemoteFile struct {
	Name   string // in the folder it is put in
	URL    string
	Size   int64  // of the file as published, in bytes
	SHA256 string // of an idx file decompressed, of an archive as it is

	Contents int64 // bytes that SHA256 is of

	Folder     string   // of an archive: that its members are in
	Members    []string // of an archive, which is unpacked and then removed
	MemberSize int64    `toml:"member_size"` // of each, in bytes
}

//go:embed catalogue.toml
var catalogueText string

// all are the sets; a text that cannot be read is a broken build.
func all() []Description {
	var c struct{ Set []Description }
	if _, err := toml.Decode(catalogueText, &c); err != nil {
		panic("catalogue: " + err.Error())
	}
	return c.Set
}

// Names lists the sets that [Info] knows.
func Names() []string {
	var names []string
	for _, d := range all() {
		names = append(names, d.Name)
	}
	return names
}

// Info describes the set of that name.
func Info(name string) (Description, error) {
	for _, d := range all() {
		if d.Name == name {
			return d, nil
		}
	}
	return Description{}, fmt.Errorf("no data set %q: there are %s", name, strings.Join(Names(), ", "))
}

// Bytes returns the size of all files as they are fetched.
func (d Description) Bytes() int64 {
	var n int64
	for _, f := range d.Files {
		n += f.Size
	}
	return n
}

// String describes the set in some lines of text.
func (d Description) String() string {
	text := d.Name + ": " + d.About
	for _, f := range d.Files {
		of := "decompressed"
		if f.Members != nil {
			of = "as it is"
		}
		text += fmt.Sprintf("\n  %-10s %s, %d bytes, SHA-256 %s %s", "file", f.URL, f.Size, of, f.SHA256)
	}
	return text
}

// unpack writes the wanted members of a .tar.gz to dir. No name in the archive
// is used as a path: a member goes where the catalogue says, and whatever else
// the archive holds is passed over. Where it fails it leaves no member.
func (f *fetch) unpack(ctx context.Context, archive, dir string) (err error) {
	packed, err := file.Open(archive)
	if err != nil {
		return err
	}
	defer packed.Close()
	zip, err := gzip.NewReader(file.Reader(ctx, packed))
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	defer func() {
		for _, name := range f.Members {
			if err != nil {
				os.Remove(filepath.Join(dir, name))
			}
		}
	}()
	for in := tar.NewReader(zip); ; {
		header, err := in.Next()
		switch {
		case err == io.EOF && f.lacking(dir) != "":
			return fmt.Errorf("archive: has no %s", path.Join(f.Folder, f.lacking(dir)))
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("archive: %w", err)
		case path.Dir(header.Name) != f.Folder || !slices.Contains(f.Members, path.Base(header.Name)):
			continue
		case header.Typeflag != tar.TypeReg || header.Size != f.MemberSize:
			return fmt.Errorf("archive: %s is not a file of %d bytes", header.Name, f.MemberSize)
		}
		err = file.Write(filepath.Join(dir, path.Base(header.Name)), func(w io.Writer) error {
			_, err := io.Copy(w, in)
			return err
		})
		if err != nil {
			return fmt.Errorf("cannot unpack: %w", err)
		}
	}
}

// lacking returns the first member that is not in dir, or not in full; "" if there is none.
func (f *fetch) lacking(dir string) string {
	for _, name := range f.Members {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() != f.MemberSize {
			return name
		}
	}
	return ""
}
