package run

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// hide writes a hidden file in the folder, and returns where. What fails to be kept is
// a *StoreError; what write itself fails of is returned as it is. Nothing is left where
// it errs or write panics.
func (f *Folder) hide(name string, write func(io.Writer) error) (path string, size int64, err error) {
	beside := filepath.Join(f.dir, fmt.Sprintf(".%s.%016x.tmp", name, rand.Uint64()))
	to, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", 0, &StoreError{f.dir, cause(err)}
	}
	finished := false
	defer func() {
		if !finished {
			to.Close()
			os.Remove(beside)
		}
	}()
	disk := &disk{file: to}
	b := bufio.NewWriterSize(disk, 1<<16)
	if err = write(b); err == nil {
		err = b.Flush()
	}
	if disk.err != nil {
		return "", 0, &StoreError{f.dir, disk.err}
	}
	if err != nil {
		return "", 0, err
	}
	if err = to.Sync(); err == nil {
		err = to.Close()
	}
	if err != nil {
		return "", 0, &StoreError{f.dir, cause(err)}
	}
	finished = true
	return beside, disk.size, nil
}

// disk is a file that remembers how much it took, and what it failed of.
type disk struct {
	file *os.File
	size int64
	err  error
}

func (d *disk) Write(b []byte) (int, error) {
	n, err := d.file.Write(b)
	d.size += int64(n)
	if err != nil {
		d.err = cause(err)
	}
	return n, err
}

// sync puts new names on disk, where the system can.
func (f *Folder) sync() {
	if d, err := os.Open(f.dir); err == nil {
		d.Sync()
		d.Close()
	}
}

// cause strips a hidden file's name, which says nothing to the reader.
func cause(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
