package dataset

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"tattle/internal/file"
	"tattle/npy"
)

// What decoded pictures are kept under.
const (
	cacheFolder = ".tattle-cache"
	noCache     = "none"

	// cacheVersion changes with what is made of the pictures and with how it is
	// kept. Go's version, which the decoders come with, is part of the key besides.
	cacheVersion = "pictures 2: triangle kernel, RGB planes"
)

// cache is the .npz that the decoded pictures of a source are kept in, whichever
// have been asked for so far: "rows" says which of the source's files they are,
// "pixels" is [rows, 3, side, side], and "key" the SHA-256 of all the files, which
// names it. A cache without a path keeps nothing. Where two processes write at
// once the last one's stays.
type cache struct {
	path string
	key  []uint8
	note func(string)
}

// openCache finds where the pictures are kept: nothing is read or written yet.
func openCache(fsys fs.FS, files []string, o pictureOptions) cache {
	c := cache{note: o.note}
	if c.note == nil {
		c.note = func(string) {}
	}
	if o.cache == noCache || len(files) == 0 {
		return c
	}
	dir, err := cacheDir(o)
	if err == nil {
		c.key, err = cacheKey(fsys, files, o.side)
	}
	if err != nil {
		c.note(fmt.Sprintf("decoded pictures are not kept: %v", err))
		return c
	}
	c.path = filepath.Join(dir, hex.EncodeToString(c.key[:16])+".npz")
	return c
}

// cacheDir returns the folder asked for, or the one beside the source.
func cacheDir(o pictureOptions) (string, error) {
	if o.cache != "" {
		return o.cache, nil
	}
	if o.source == "" {
		return "", errors.New("where the pictures come from has no name")
	}
	source, err := filepath.Abs(o.source)
	return filepath.Join(filepath.Dir(source), cacheFolder), err
}

// cacheKey hashes the versions, the side, and of every file the name and the
// size, with the CRC-32 of one in a zip and the time of change of another.
func cacheKey(fsys fs.FS, files []string, side int) ([]uint8, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%d\n%d\n", cacheVersion, runtime.Version(), side, len(files))
	for _, name := range files {
		info, err := fs.Stat(fsys, name)
		if err != nil {
			return nil, err
		}
		b := strconv.AppendQuote(nil, name)
		b = binary.LittleEndian.AppendUint64(b, uint64(info.Size()))
		if in, ok := info.Sys().(*zip.FileHeader); ok {
			b = binary.LittleEndian.AppendUint32(b, in.CRC32)
		} else {
			b = binary.LittleEndian.AppendUint64(b, uint64(info.ModTime().UnixNano()))
		}
		h.Write(b)
	}
	return h.Sum(nil), nil
}

// read returns the pictures kept; none if what is there is not whole, or not
// of these n files.
func (c cache) read(n, side int) album {
	if c.path == "" {
		return album{}
	}
	in, err := npy.Open(c.path)
	if err != nil {
		return album{}
	}
	defer in.Close()
	key, err := in.Array("key")
	if k, ok := key.Data.([]uint8); err != nil || !ok || !bytes.Equal(k, c.key) {
		return album{}
	}
	rows, _, err := in.Ints("rows")
	if err != nil || !distinctBelow(rows, n) {
		return album{}
	}
	a, err := in.Array("pixels")
	pixels, ok := a.Data.([]uint8)
	if err != nil || !ok || len(pixels) != len(rows)*3*side*side {
		return album{}
	}
	return album{rows, pixels}
}

// distinctBelow reports whether rows are distinct and in 0 … n−1.
func distinctBelow(rows []int, n int) bool {
	seen := make([]bool, n)
	for _, i := range rows {
		if i < 0 || i >= n || seen[i] {
			return false
		}
		seen[i] = true
	}
	return true
}

// write keeps the pictures, or notes why it cannot.
func (c cache) write(a album, side int) {
	if c.path == "" {
		return
	}
	err := os.MkdirAll(filepath.Dir(c.path), 0o777)
	if err == nil {
		err = file.Write(c.path, func(w io.Writer) error {
			out := npy.NewWriter(w)
			err := errors.Join(
				out.Add("key", []int{len(c.key)}, c.key),
				out.Add("rows", []int{len(a.rows)}, a.rows),
				out.Add("pixels", []int{len(a.rows), 3, side, side}, a.pixels))
			return errors.Join(err, out.Close())
		})
	}
	if err != nil {
		c.note(fmt.Sprintf("decoded pictures are not kept, and will be decoded again (%v): name a folder that can be written", err))
	}
}
