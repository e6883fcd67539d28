package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"sync"

	"tattle/internal/file"
	"tattle/report"
)

// Limits of one report.json. Those of the largest runs have a few MiB. Each value after a
// comma may take as much memory as the largest element of a report's lists, about 1 KiB, so
// the number of commas bounds the memory that a damaged file can need.
const (
	maxReport = 16 << 20
	maxCommas = 200_000
)

// large is the size from which files are read one at a time.
const large = 1 << 20

var oneLarge sync.Mutex

// readReport reads the report of a run. Errors are one line, whatever the file holds.
func readReport(root *os.Root, folder string) (*report.Report, error) {
	f, info, err := openRegular(root, path.Join(folder, reportName))
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	size := info.Size()
	if size > maxReport {
		return nil, fmt.Errorf("%s has %s, more than the %s that are read", reportName, bytesOf(size), bytesOf(maxReport))
	}
	if size > large {
		oneLarge.Lock()
		defer oneLarge.Unlock()
	}
	b, err := file.ReadAtMost(f, maxReport)
	if err != nil {
		return nil, plain(err)
	}
	return parse(b)
}

// parse reads a report that is not too large.
func parse(b []byte) (*report.Report, error) {
	if n := bytes.Count(b, []byte(",")); n > maxCommas {
		return nil, fmt.Errorf("%s lists %d values, more than the %d that are read", reportName, n, maxCommas)
	}
	r, err := report.ReadJSON(bytes.NewReader(b))
	if err != nil {
		return nil, plain(err)
	}
	return r, nil
}

// plain makes an error about a report one line.
func plain(err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s: %q must not be a %s", reportName, file.Short(wrong.Field, 100), wrong.Value)
	}
	return fmt.Errorf("%s: %s", reportName, file.Short(err.Error(), 300))
}

// bytesOf formats a size.
func bytesOf(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
