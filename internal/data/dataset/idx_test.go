package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// idxBytes writes an idx file with the given header and body.
func idxBytes(code byte, body []byte, shape ...int) []byte {
	b := []byte{0, 0, code, byte(len(shape))}
	for _, n := range shape {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return append(b, body...)
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// tampered changes bytes of a copy, counted from the end.
func tampered(b []byte, fromEnd int, xor byte) []byte {
	b = bytes.Clone(b)
	b[len(b)-fromEnd] ^= xor
	return b
}

func TestIDXRefuses(t *testing.T) {
	good := idxBytes(8, make([]byte, 24), 6, 2, 2)
	zip := gzipped(good)
	huge := 1 << 30
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"empty", "truncated: ends too early", nil},
		{"short body", "truncated: header claims 6×2×2 unsigned byte (24 bytes), 20 are there", good[:len(good)-4]},
		{"text", "not an idx file", []byte("hello world, hello")},
		{"type", "has no type that is read", idxBytes(0x0E, make([]byte, 4), 4)},
		{"rank 0", "no dimensions", idxBytes(8, []byte{1})},
		{"trailing", "bytes follow the 6×2×2", append(bytes.Clone(good), 1, 2, 3)},
		{"overflow", "the header is wrong", idxBytes(8, nil, huge, huge)},
		{"1 GiB claimed", "truncated: header claims 1073741824", idxBytes(8, make([]byte, 9), huge)},
		{"gzip cut in header", "gzip header is broken", zip[:5]},
		{"gzip without trailer", "truncated: ends too early", zip[:len(zip)-8]},
		{"gzip wrong CRC", "damaged (gzip: invalid checksum)", tampered(zip, 7, 1)},
		{"gzip trailing", "damaged (gzip: invalid header)", append(bytes.Clone(zip), "hello, world"...)},
		{"gzip holds more", "bytes follow the 6×2×2", gzipped(append(bytes.Clone(good), 1, 2, 3))},
		{"gzip damaged", "damaged", damaged(good)},
	} {
		_, err := decodeIDX("some.gz", c.data)
		var format *FormatError
		if !errors.As(err, &format) || format.File != "some.gz" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %q", c.name, err)
		}
	}
}

// No part of a file but the whole is taken.
func TestIDXTruncated(t *testing.T) {
	good := idxBytes(8, []byte("some twenty-four bytes ."), 6, 2, 2)
	for _, whole := range [][]byte{good, gzipped(good)} {
		for n := range whole {
			if a, err := decodeIDX("cut", whole[:n]); err == nil {
				t.Errorf("%d of %d bytes were read as %v", n, len(whole), a)
			}
		}
	}
}

// damaged compresses b and gives its deflate stream a reserved block type.
func damaged(b []byte) []byte {
	zip := gzipped(b)
	zip[10] |= 0x06
	return zip
}

// A header that claims a gigabyte costs no more than the bytes that are there.
func TestIDXAllocatesByContents(t *testing.T) {
	body := make([]byte, 1<<20)
	for name, data := range map[string][]byte{
		"plain": idxBytes(8, body, 1<<30),
		"gzip":  gzipped(idxBytes(8, body, 1<<30)),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		must.Fail(t, must.Err(decodeIDX(name, data)))
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
			t.Errorf("%s: allocated %d bytes for 1 MiB of contents", name, n)
		}
	}
}

func FuzzIDX(f *testing.F) {
	good := idxBytes(8, make([]byte, 24), 6, 2, 2)
	for _, seed := range [][]byte{good, gzipped(good), gzipped(good)[:30], idxBytes(0x0C, make([]byte, 16), 2, 2), idxBytes(0x0C, nil, 1<<30, 1<<30), idxBytes(8, nil, 0, 28, 28)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := decodeIDX("fuzz", data)
		if err != nil {
			if _, format := errors.AsType[*FormatError](err); !format {
				t.Fatalf("not a FormatError: %v", err)
			}
			return
		}
		n := nn.Size(a.shape)
		if got := len(a.data) / a.size; got != n {
			t.Fatalf("%d elements for shape %v", got, a.shape)
		}
		if !isGzip(data) && n > len(data) {
			t.Fatalf("%d elements out of %d bytes", n, len(data))
		}
	})
}
