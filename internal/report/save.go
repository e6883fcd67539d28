package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"tattle/internal/file"
	"tattle/internal/run"
)

// The files of every run's folder.
const (
	FileJSON = "report.json"
	FileHTML = "report.html"
)

// A Rendering is a file that is made from a report alone.
type Rendering struct {
	Name  string
	Write func(io.Writer) error
}

// Renderings lists the files of a run's folder that a report renders to, without FileJSON.
func (r *Report) Renderings() []Rendering {
	all := []Rendering{{FileHTML, r.WriteHTML}}
	if r.Subcommand() == "audit" {
		all = append(all, Rendering{"report.md", r.WriteMarkdown}, Rendering{"report.sarif", r.WriteSARIF}, Rendering{"report.junit.xml", r.WriteJUnit})
	}
	return all
}

// Save writes what the report renders to and FileJSON into a run's folder, the latter last: it marks the run as
// finished. The report records the digests of the files that say how the run was begun, too.
func (r *Report) Save(files *file.Dir, dir string) error {
	for _, f := range r.Renderings() {
		if err := r.Render(files, filepath.Join(dir, f.Name), f.Name, f.Write); err != nil {
			return err
		}
	}
	for _, name := range run.RecordFiles {
		digest, err := run.Digest(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		r.Rendered[name] = digest
	}
	return files.Write(filepath.Join(dir, FileJSON), r.WriteJSON)
}

// Render writes a file that is made from the report alone, and records its SHA-256 under the name.
func (r *Report) Render(files *file.Dir, path, name string, write func(io.Writer) error) error {
	hash := sha256.New()
	if err := files.Write(path, func(w io.Writer) error { return write(io.MultiWriter(w, hash)) }); err != nil {
		return err
	}
	if r.Rendered == nil {
		r.Rendered = map[string]string{}
	}
	r.Rendered[name] = hex.EncodeToString(hash.Sum(nil))
	return nil
}

// Digest returns the SHA-256 of b in hexadecimal.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

var embedded = regexp.MustCompile(`data:image/png;base64,([^"]*)`)

// WithoutPictures puts the digest of every picture that a page of WriteHTML holds in its place: the page as
// WriteHTML makes it from a report that was read from report.json.
func WithoutPictures(page []byte) []byte {
	return embedded.ReplaceAllFunc(page, func(uri []byte) []byte {
		_, text, _ := bytes.Cut(uri, []byte(","))
		picture, err := base64.StdEncoding.Strict().DecodeString(string(text))
		if err != nil || bytes.ContainsAny(text, "\r\n") {
			return uri
		}
		return []byte("sha256:" + Digest(picture))
	})
}

// SavePictures writes the pictures as PNG files into a folder, numbered in their order, and records their digests.
func (r *Report) SavePictures(files *file.Dir, dir string) error {
	for i, p := range r.Pictures {
		name := fmt.Sprintf("picture-%d.png", i+1)
		if err := r.Render(files, filepath.Join(dir, name), name, func(w io.Writer) error { _, err := w.Write(p.PNG); return err }); err != nil {
			return err
		}
	}
	return nil
}

// Digests lists files of a folder with their SHA-256.
func Digests(dir string, names []string) (all []File, err error) {
	for _, name := range names {
		hash, err := run.Digest(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		all = append(all, File{name, hash})
	}
	return all, nil
}
