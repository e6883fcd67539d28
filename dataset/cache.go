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
	"strconv"

	"tattle/internal/file"
	"tattle/npy"
)

// What decoded pictures are kept under.
const (
	cacheFolder = ".tattle-cache"
	noCache     = "none"

	// cacheVersion changes with all that decoding gives: the decoders, the
	// kernel of resizing, the order of the pixels.
	cacheVersion = "pictures 1: Go's JPEG and PNG, triangle kernel, RGB planes"
)

// cache is the .npz that decoded pictures are kept in: "pixels", [n, 3, side,
// side], and "key", the SHA-256 of what they were made of, which names it. A
// cache without a path keeps nothing.
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

// cacheKey hashes the version, the side, and of every file the name and the
// size, with the CRC-32 of one in a zip and the time of change of another.
func cacheKey(fsys fs.FS, files []string, side int) ([]uint8, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d\n%d\n", cacheVersion, side, len(files))
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

// read returns the pictures kept; nil where there are none, or what is there is
// not whole or not these.
func (c cache) read(n, side int) []uint8 {
	if c.path == "" {
		return nil
	}
	in, err := npy.Open(c.path)
	if err != nil {
		return nil
	}
	defer in.Close()
	key, err := in.Array("key")
	if k, ok := key.Data.([]uint8); err != nil || !ok || !bytes.Equal(k, c.key) {
		return nil
	}
	a, err := in.Array("pixels")
	pixels, ok := a.Data.([]uint8)
	if err != nil || !ok || len(pixels) != n*3*side*side {
		return nil
	}
	return pixels
}

// write keeps the pictures, or notes why it cannot.
func (c cache) write(pixels []uint8, n, side int) {
	if c.path == "" {
		return
	}
	err := os.MkdirAll(filepath.Dir(c.path), 0o777)
	if err == nil {
		err = file.Write(c.path, func(w io.Writer) error {
			out := npy.NewWriter(w)
			err := errors.Join(
				out.Add("key", []int{len(c.key)}, c.key),
				out.Add("pixels", []int{n, 3, side, side}, pixels))
			return errors.Join(err, out.Close())
		})
	}
	if err != nil {
		c.note(fmt.Sprintf("decoded pictures are not kept, and will be decoded again (%v): name a folder that can be written", err))
	}
}
