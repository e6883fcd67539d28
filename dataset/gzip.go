package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
)

// source hands out the contents of a file in order, from its bytes or from the
// gzip stream that they are.
type source struct {
	name string
	rest []byte       // of a plain file
	zip  *gzip.Reader // of a compressed one
	raw  *bytes.Reader
	read int // bytes unpacked so far
}

func isGzip(data []byte) bool { return len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b }

func (s *source) openGzip(data []byte) error {
	s.raw = bytes.NewReader(data)
	zip, err := gzip.NewReader(s.raw)
	if err != nil {
		return malformed(s.name, "gzip header is broken (%v): get the file again", err)
	}
	zip.Multistream(false)
	s.zip = zip
	return nil
}

// head returns the next n bytes, which are few.
func (s *source) head(n int) ([]byte, error) {
	if s.zip == nil {
		if len(s.rest) < n {
			return nil, malformed(s.name, "truncated: ends within the header; get the file again")
		}
		b := s.rest[:n]
		s.rest = s.rest[n:]
		return b, nil
	}
	b := make([]byte, n)
	k, err := io.ReadFull(s.zip, b)
	s.read += k
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, malformed(s.name, "truncated: ends within the header; get the file again")
	}
	return b, s.broken(err)
}

// take returns the n bytes that are left by what the header claims, and fails
// where fewer or more are left.
func (s *source) take(n int, claim string) ([]byte, error) {
	if s.zip != nil {
		return s.unpack(n, claim)
	}
	if len(s.rest) < n {
		return nil, malformed(s.name, "truncated: header claims %s (%d bytes), %d are there; get the file again", claim, n, len(s.rest))
	}
	if len(s.rest) > n {
		return nil, malformed(s.name, "%d bytes follow the %s that the header claims: header or contents are wrong; get the file again", len(s.rest)-n, claim)
	}
	return s.rest, nil
}

// unpack reads n bytes of a gzip stream into storage that starts at a small
// multiple of the compressed size and doubles as bytes arrive.
func (s *source) unpack(n int, claim string) ([]byte, error) {
	b := make([]byte, 0, min(n, 4*int(s.raw.Size())))
	for len(b) < n {
		if len(b) == cap(b) {
			grown := make([]byte, len(b), min(n, 2*cap(b)))
			copy(grown, b)
			b = grown
		}
		k, err := s.zip.Read(b[len(b):cap(b)])
		b, s.read = b[:len(b)+k], s.read+k
		if err == io.EOF && len(b) < n {
			return nil, malformed(s.name, "gzip holds less than it claims: header claims %s (%d bytes), %d are there; get the file again", claim, n, len(b))
		}
		if err != nil && err != io.EOF {
			return nil, s.broken(err)
		}
	}
	return b, s.end(claim)
}

// end checks that the stream ends here, that its CRC-32 and size hold, and that
// nothing follows it.
func (s *source) end(claim string) error {
	var one [1]byte
	k, err := io.ReadFull(s.zip, one[:])
	if k > 0 {
		return malformed(s.name, "gzip holds more than it claims: bytes follow the %s of the header; get the file again", claim)
	}
	if err != io.EOF {
		return s.broken(err)
	}
	if s.raw.Len() > 0 {
		return malformed(s.name, "%d bytes follow the end of the gzip stream: get the file again, or pack it as one stream", s.raw.Len())
	}
	return nil
}

// broken names what a gzip error means for the file.
func (s *source) broken(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return malformed(s.name, "truncated: the gzip stream breaks off after %d bytes of contents; get the file again", s.read)
	case errors.Is(err, gzip.ErrChecksum):
		var trailer [8]byte // CRC-32 and size, which the reader has just passed
		s.raw.ReadAt(trailer[:], s.raw.Size()-int64(s.raw.Len())-8)
		if size := binary.LittleEndian.Uint32(trailer[4:]); size != uint32(s.read) {
			return malformed(s.name, "gzip lies about its size: it says %d bytes and holds %d; get the file again", size, s.read)
		}
		return malformed(s.name, "gzip contents are damaged (wrong CRC-32): get the file again")
	}
	return malformed(s.name, "gzip contents are damaged (%v): get the file again", err)
}
