package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/file"
)

// Inputs completes what only names inputs: the SHA-256 and size of each file, of a
// folder those of all that is in it. Relative paths begin at cwd. An input that is not
// there is left out, or an error where it is required.
func Inputs(ctx context.Context, cwd string, in []Input) ([]Input, error) {
	var known []Input
	for _, i := range in {
		var err error
		i.SHA256, i.Size, i.Folder, err = hashInput(ctx, pathFrom(cwd, i.Path))
		if errors.Is(err, fs.ErrNotExist) && !i.Required {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", i.Name, err)
		}
		known = append(known, i)
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

// listLine is a file in the listing of a folder: digest and path.
const listLine = "%s  %s\x00"

// hashInput returns the SHA-256 of a file, or that of a folder: of its listing, a line
// of digest and path for each file, in order of the paths.
func hashInput(ctx context.Context, path string) (digest string, size int64, folder bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, false, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() { // a pipe can be read only once
		return "", 0, false, fmt.Errorf("%s is neither a file nor a folder", path)
	}
	if !info.IsDir() {
		digest, size, err = hashFile(ctx, path)
		return digest, size, false, err
	}
	files, err := listFolder(path)
	if err != nil {
		return "", 0, true, err
	}
	h := sha256.New()
	for _, f := range files {
		d, n, err := hashFile(ctx, filepath.Join(path, filepath.FromSlash(f)))
		if err != nil {
			return "", 0, true, err
		}
		size += n
		fmt.Fprintf(h, listLine, d, f)
	}
	return hex.EncodeToString(h.Sum(nil)), size, true, nil
}

// hashFile returns the SHA-256 and size of a file.
func hashFile(ctx context.Context, path string) (digest string, size int64, err error) {
	f, err := file.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, file.Reader(ctx, f))
	return hex.EncodeToString(h.Sum(nil)), size, err
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
