package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"tattle/internal/file"
)

// ClaimExpires is after what time without a sign of life a claim counts for nothing. File systems
// on networks may show a sign of life a minute late. Tests shorten it.
var ClaimExpires = 90 * time.Second

// pollEvery is how often a process that waits for others looks at the folder.
var pollEvery = 200 * time.Millisecond

// claims are files by which processes that share a folder tell one another what they work on.
// Each names its host and process. The process renews the time of its files; a file that
// keeps its time for ClaimExpires, by the clock of who looks, counts for nothing. A claim saves
// work and nothing else: two processes that hold one compute the same bytes.
type claims struct {
	files *file.Dir

	mu   sync.Mutex
	held map[string]bool
	seen map[string]sight // of others
	stop func()
}

// sight is when a claim was first seen with the time that it has.
type sight struct{ renewed, first time.Time }

// newClaims starts to renew what will be claimed, until close is called.
func newClaims(files *file.Dir) *claims {
	ctx, cancel := context.WithCancel(context.Background())
	c := &claims{files: files, held: map[string]bool{}, seen: map[string]sight{}, stop: cancel}
	every := ClaimExpires / 6
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				c.renew()
			}
		}
	}()
	return c
}

// close gives back what is still held.
func (c *claims) close() {
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.held {
		c.files.Remove(path)
	}
	clear(c.held)
}

func (c *claims) renew() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for path := range c.held {
		c.files.Chtimes(path, now, now) // fails where another process took it, which does no harm
	}
}

// take claims a file, and reports whether nobody else who is alive holds it.
func (c *claims) take(path string) (bool, error) {
	won, err := c.create(path)
	if err == nil && !won && c.expired(path) {
		won, err = c.takeOver(path)
	}
	if won {
		c.mu.Lock()
		c.held[path] = true
		c.mu.Unlock()
	}
	return won, err
}

// takeOver replaces an expired claim. Of several processes that try at a time, one does.
func (c *claims) takeOver(path string) (bool, error) {
	guard := path + ".taken"
	won, err := c.create(guard)
	if err != nil || !won {
		if c.expired(guard) { // its process ended between two lines
			c.files.Remove(guard)
		}
		return false, err
	}
	defer c.files.Remove(guard)
	if !c.expired(path) { // another process took it over before
		return false, nil
	}
	c.files.Remove(path)
	return c.create(path)
}

// give gives a claim back.
func (c *claims) give(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[path] {
		delete(c.held, path)
		c.files.Remove(path)
	}
}

// create makes the file of a claim, and reports whether there was none.
func (c *claims) create(path string) (bool, error) {
	to, err := c.files.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		_, err = fmt.Fprintf(to, "%s %d\n", hostname(), os.Getpid())
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		return false, &StoreError{filepath.Dir(path), file.Cause(err)}
	}
	return true, nil
}

func hostname() string {
	host, _ := os.Hostname()
	return strings.ReplaceAll(host, " ", "_")
}

// expired reports whether who holds a claim is gone.
func (c *claims) expired(path string) bool {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && ownerDied(path) {
		return true
	}
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.seen[path]
	if !ok || !s.renewed.Equal(info.ModTime()) {
		c.seen[path] = sight{info.ModTime(), time.Now()}
		return false
	}
	return time.Since(s.first) > ClaimExpires
}

// ownerDied reports whether a claim names a process of this machine that has ended. In a
// container of the same name it may be wrong, which costs time only.
func ownerDied(path string) bool {
	data, err := readSmall(path, recordSize)
	host, pid, ok := strings.Cut(strings.TrimSpace(string(data)), " ")
	id, wrong := strconv.Atoi(pid)
	if err != nil || !ok || wrong != nil || host != hostname() || id == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(id)
	if err != nil {
		return true
	}
	err = p.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}

// leadName is the claim of the process that leads a run.
const leadName = ".lead"

// ErrLed says that another process leads a run.
var ErrLed = errors.New("another process works on this run")

// A Lead is the claim to lead the run in a folder: the process that holds it begins the stages,
// merges them and writes the results. Any number of others may compute shards meanwhile.
type Lead struct {
	*claims
	path string
}

// NewLead returns the claim to the run in dir; it takes nothing.
func NewLead(files *file.Dir, dir string) Lead {
	return Lead{newClaims(files), filepath.Join(dir, leadName)}
}

// Take makes this process the one that leads, until Close. It returns ErrLed where another one
// does.
func (l Lead) Take() error {
	won, err := l.take(l.path)
	if err == nil && !won {
		err = ErrLed
	}
	return err
}

// Taken reports whether a process that is alive leads.
func (l Lead) Taken() bool { return !l.expired(l.path) }

// Close gives the lead back.
func (l Lead) Close() { l.close() }

// SeemsLed reports whether the clocks say that a process leads the run in dir.
func SeemsLed(dir string) bool {
	path := filepath.Join(dir, leadName)
	info, err := os.Lstat(path)
	return err == nil && !ownerDied(path) && time.Since(info.ModTime()) < ClaimExpires
}
