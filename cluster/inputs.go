package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/file"
	"tattle/run"
)

// Inputs completes what only names inputs: SHA-256, size, and whether they are folders.
// Relative paths begin at cwd.
func Inputs(ctx context.Context, cwd string, in []Input) ([]Input, error) {
	known := slices.Clone(in)
	for k := range known {
		i := &known[k]
		var err error
		if i.SHA256, i.Size, i.Folder, err = hashInput(ctx, pathFrom(cwd, i.Path)); err != nil {
			return nil, fmt.Errorf("%s: %w", i.Name, err)
		}
	}
	return known, nil
}

// pathFrom is path as seen from cwd.
func pathFrom(cwd, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(cwd, path)
}

func hashInput(ctx context.Context, path string) (digest string, size int64, folder bool, err error) {
	return writeInput(ctx, io.Discard, path)
}

// writeInput writes a file as it is, a folder as an archive of its files. It returns the
// SHA-256 and size of what it wrote.
func writeInput(ctx context.Context, to io.Writer, path string) (digest string, size int64, folder bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, false, err
	}
	m := newMeter(to, math.MaxInt64)
	if info.IsDir() {
		var files []string
		if files, err = listFolder(path); err == nil {
			err = run.Archive(untilDone(ctx, m), file.DirFS(path), files)
		}
		return m.digest(), m.size, true, err
	}
	f, err := file.Open(path) // which refuses pipes: they can be read only once
	if err != nil {
		return "", 0, false, err
	}
	defer f.Close()
	_, err = io.Copy(untilDone(ctx, m), f)
	return m.digest(), m.size, false, err
}

// untilDone is a writer that fails once ctx has ended.
func untilDone(ctx context.Context, to io.Writer) io.Writer {
	return writerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return to.Write(b)
	})
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// inputBlob names an input in the cluster.
func inputBlob(i Input) string { return "input." + i.SHA256 }

// putInput sends an input to the cluster. It returns an error if the input has changed since it was
// hashed.
func putInput(ctx context.Context, b blobs, path string, i Input) error {
	if there, err := b.has(ctx, inputBlob(i)); there || err != nil {
		return err
	}
	r, w := io.Pipe()
	go func() {
		found, _, _, err := writeInput(ctx, w, path)
		if err == nil && found != i.SHA256 {
			err = fmt.Errorf("%s %s: was changed while it was read", i.Name, i.Path)
		}
		w.CloseWithError(err)
	}()
	err := b.put(ctx, inputBlob(i), r)
	r.CloseWithError(errors.New("nobody reads on"))
	return err
}

// mostDepth bounds how deep folders lie in one another; links that go round exceed it.
const mostDepth = 32

// listFolder returns the slash paths of all files below dir, in order, links followed.
// It leaves out hidden files, such as .DS_Store.
func listFolder(dir string) ([]string, error) {
	var files []string
	var walk func(rel string, depth int) error
	walk = func(rel string, depth int) error {
		if depth > mostDepth {
			return fmt.Errorf("%s: folders go deeper than %d: does a link lead back?", filepath.Join(dir, rel), mostDepth)
		}
		entries, err := os.ReadDir(filepath.Join(dir, rel))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				continue
			}
			name := filepath.Join(rel, e.Name())
			info, err := os.Stat(filepath.Join(dir, name))
			switch {
			case err != nil:
				return err
			case info.IsDir():
				err = walk(name, depth+1)
			case info.Mode().IsRegular():
				files = append(files, filepath.ToSlash(name))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err := walk("", 0)
	slices.Sort(files)
	return files, err
}

// Gather puts files that lay in one folder on the submitter's machine into one folder
// again, below dir. paths says where each input is here; Gather returns where it is then.
func Gather(inputs []Input, paths map[string]string, dir string) (map[string]string, error) {
	at := map[string]string{}
	for _, i := range inputs {
		here, ok := paths[i.Path]
		if !ok {
			continue
		}
		if i.Folder || here == i.Path {
			at[i.Path] = here
			continue
		}
		to := filepath.Join(dir, strings.ReplaceAll(filepath.ToSlash(i.Path), ":", ""))
		if err := file.LinkOrCopy(here, to); err != nil {
			return nil, err
		}
		at[i.Path] = to
	}
	return at, nil
}
