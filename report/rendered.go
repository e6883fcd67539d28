package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"html"
	"io"
	"regexp"
	"strings"

	"tattle/internal/file"
)

// Render writes a file that is made from the report alone, and records its SHA-256 under
// the name.
func (r *Report) Render(path, name string, write func(io.Writer) error) error {
	hash := sha256.New()
	if err := file.Write(path, func(w io.Writer) error { return write(io.MultiWriter(w, hash)) }); err != nil {
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

// WithoutPictures puts the digest of every picture that a page of WriteHTML holds in its
// place: the page as WriteHTML makes it from a report that was read from report.json.
func WithoutPictures(page []byte) []byte {
	return embedded.ReplaceAllFunc(page, func(uri []byte) []byte {
		_, text, _ := bytes.Cut(uri, []byte(","))
		picture, err := base64.StdEncoding.Strict().DecodeString(html.UnescapeString(string(text)))
		if err != nil || strings.ContainsAny(string(text), "\r\n") {
			return uri
		}
		return []byte("sha256:" + Digest(picture))
	})
}
