package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"tattle/internal/file"
)

// The files of a shard: its data, named by what is in them, the record that commits
// them, what failed, and the claim of a process that computes it.
const (
	shardPrefix  = "shard-"
	recordSuffix = ".sha256"
	failedSuffix = ".failed"
	claimSuffix  = ".claim"
	prefixDigits = 16 // of the digest, in the name of the data
)

func shardName(i int) string { return fmt.Sprintf("%s%06d", shardPrefix, i) }

func dataName(i int, digest string) string { return shardName(i) + "." + digest[:prefixDigits] }

// recordLine is what commits data of that digest: a line that sha256sum -c reads.
func recordLine(i int, digest string) string { return digest + "  " + dataName(i, digest) + "\n" }

// parseRecord returns the digest that a record names, "" if it is no record of
// shard i.
func parseRecord(i int, record string) string {
	digest, _, _ := strings.Cut(record, " ")
	if !IsDigest(digest) || record != recordLine(i, digest) {
		return ""
	}
	return digest
}

// IsDigest says whether s is a SHA-256 in lower-case hexadecimal, as Digest returns it.
func IsDigest(s string) bool { return len(s) == 64 && isHex(s) }

func isHex(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') }) < 0
}

// shardFile splits the name of a file into the number of its shard and the rest, which is one of
// the suffixes, or a point and the beginning of a digest.
func shardFile(name string) (i int, rest string, ok bool) {
	name, ok = strings.CutPrefix(name, shardPrefix)
	if !ok {
		return 0, "", false
	}
	number, rest, _ := strings.Cut(name, ".")
	rest = "." + rest
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || shardPrefix+number != shardName(i) {
		return 0, "", false
	}
	ok = rest == recordSuffix || rest == failedSuffix || rest == claimSuffix || len(rest) == prefixDigits+1 && isHex(rest[1:])
	return i, rest, ok
}

// listing is what a folder holds, by the names of its files alone.
type listing struct {
	data    map[int][]string // names of data by shard
	records map[int]bool
	failed  map[int]bool
	claims  map[int]bool
	folders []string
	other   []string // files
	total   int
}

// listAtOnce is how many names are read before the next are.
const listAtOnce = 4096

// errCrowded says that a folder holds more names than were asked for.
var errCrowded = errors.New("too many files")

// list reads the names in a folder.
func list(dir string) (*listing, error) { return listUpTo(dir, math.MaxInt) }

// listUpTo is list for at most so many names.
func listUpTo(dir string, most int) (*listing, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	n := &listing{data: map[int][]string{}, records: map[int]bool{}, failed: map[int]bool{}, claims: map[int]bool{}}
	for {
		entries, err := d.ReadDir(listAtOnce)
		for _, e := range entries {
			n.add(e)
		}
		if n.total += len(entries); n.total > most {
			return nil, fmt.Errorf("%s: %w", dir, errCrowded)
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (n *listing) add(e os.DirEntry) {
	name := e.Name()
	i, rest, ok := shardFile(name)
	switch {
	case ok && rest == recordSuffix: // whatever it is: it is in a record's place
		n.records[i] = true
	case e.IsDir():
		n.folders = append(n.folders, name)
	case !e.Type().IsRegular():
	case !ok:
		n.other = append(n.other, name)
	case rest == failedSuffix:
		n.failed[i] = true
	case rest == claimSuffix:
		n.claims[i] = true
	default:
		n.data[i] = append(n.data[i], name)
	}
}

// readSmall reads a plain file of at most so many bytes.
func readSmall(path string, most int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	data, err := file.ReadFileAtMost(path, most)
	if errors.Is(err, file.ErrTooLong) {
		err = fmt.Errorf("%s holds more than %d bytes", path, most)
	}
	return data, err
}

// Digest returns the SHA-256 of a file in hexadecimal.
func Digest(path string) (string, error) {
	f, err := file.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// WriteJSON writes v as JSON that people can read.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
