package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"tattle/internal/file"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Files of the data folder.
const (
	databaseFile = "ledger.db"
	keyFile      = "ledger.key"
)

const (
	// lockTimeout is how long Open waits for another process to close the ledger.
	lockTimeout = time.Second
	// pageSize is that of the database, in bytes: nine releases of 784 values fill a page to 97 %,
	// and only four fit into one of 4 KiB.
	pageSize = 8 << 10
)

// Buckets of the database.
var (
	metaBucket     = []byte("meta")     // version and check
	subjectsBucket = []byte("subjects") // Subject → start of a period, in Unix seconds, and count
	inputsBucket   = []byte("inputs")   // Input → number of the release
	releasesBucket = []byte("releases") // number → release
)

var (
	versionKey = []byte("version")
	checkKey   = []byte("check") // its value is the HMAC of itself, which shows whether the key belongs to the database
	probeKey   = []byte("probe")
	version    = []byte("1")
)

// Options are the settings of a Ledger.
type Options struct {
	Budget Budget
	// FreeRepeats answers inputs that are stored without budget. Then refusals, counts and times
	// reveal which inputs are stored.
	FreeRepeats bool
}

// A Ledger counts and keeps releases. It is safe for concurrent use, and one process at a time
// may have it open.
type Ledger struct {
	db          *bbolt.DB
	key         []byte
	budget      Budget
	now         func() time.Time // time.Now, but for tests
	freeRepeats bool
	queue       chan *debit   // to the goroutine that writes
	closing     chan struct{} // closed by Close
	ended       chan struct{} // closed by the goroutine that writes
	damaged     atomic.Bool   // a transaction ended in a panic, and may hold its locks for ever
}

// Open opens the ledger in a folder, or makes one. It returns an error if the budget is none, if
// another process has the ledger open, and if the folder has a database without its key.
func Open(dir string, o Options) (*Ledger, error) {
	if err := o.Budget.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := create(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, databaseFile)
	key, err := openKey(filepath.Join(dir, keyFile), path)
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(path)
	if err != nil {
		return nil, err
	}
	l := &Ledger{db: db, key: key, budget: o.Budget, now: time.Now, freeRepeats: o.FreeRepeats,
		queue: make(chan *debit), closing: make(chan struct{}), ended: make(chan struct{})}
	if err := l.check(); err != nil {
		if !l.damaged.Load() {
			err = errors.Join(err, db.Close())
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	go l.write()
	return l, nil
}

// openDatabase opens the database, or makes an empty one.
func openDatabase(path string) (db *bbolt.DB, err error) {
	err = sound(func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout, PageSize: pageSize, FreelistType: bbolt.FreelistMapType})
		return err
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s: %w", path, ErrInUse)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return db, nil
}

// create makes a database and its key, unless there is one of them. Both are whole on disk before
// they get their names; if that fails, neither is left, and create can be tried again.
func create(dir string) (err error) {
	path, keyPath := filepath.Join(dir, databaseFile), filepath.Join(dir, keyFile)
	if size(path) > 0 || file.Exists(keyPath) {
		return nil
	}
	made, err := os.MkdirTemp(dir, "new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	key, err := makeKey(filepath.Join(made, keyFile))
	if err != nil {
		return err
	}
	db, err := openDatabase(filepath.Join(made, databaseFile))
	if err != nil {
		return err
	}
	l := &Ledger{db: db, key: key}
	if err := errors.Join(l.prepare(), db.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.Link(filepath.Join(made, keyFile), keyPath); err != nil { // which fails if another process made one meanwhile
		return err
	}
	if err := os.Rename(filepath.Join(made, databaseFile), path); err != nil {
		return errors.Join(err, os.Remove(keyPath))
	}
	file.Sync(dir)
	return nil
}

// size returns the size of a file, 0 without one.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

var errDamaged = errors.New("the file is damaged: put back a copy")

// ErrInUse is the cause of Open's error if another process has the ledger open.
var ErrInUse = errors.New("another process has the ledger open")

// sound returns the error of f. It returns errDamaged if f panics or reads beyond the file: bbolt does
// so where pages are damaged or missing.
func sound(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = errDamaged
		}
	}()
	return f()
}

// view runs a transaction that reads.
func (l *Ledger) view(f func(*bbolt.Tx) error) error { return l.transact(l.db.View, f) }

// update runs a transaction that writes.
func (l *Ledger) update(f func(*bbolt.Tx) error) error { return l.transact(l.db.Update, f) }

// transact runs a transaction. If one finds damage, all later ones return errDamaged at once: bbolt
// may still hold its locks, and they would wait for them for ever.
func (l *Ledger) transact(begin func(func(*bbolt.Tx) error) error, f func(*bbolt.Tx) error) error {
	if l.damaged.Load() {
		return errDamaged
	}
	ended := false
	err := sound(func() error {
		err := begin(f)
		ended = true
		return err
	})
	if !ended {
		l.damaged.Store(true)
	}
	return err
}

// check returns an error if the database is not one of this version and key.
func (l *Ledger) check() error {
	check := l.tag(checkKey)
	return l.view(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(metaBucket)
		switch {
		case meta == nil:
			return errDamaged
		case string(meta.Get(versionKey)) != string(version):
			return fmt.Errorf("its version is %q, and this program knows %s only", meta.Get(versionKey), version)
		case string(meta.Get(checkKey)) != string(check[:]):
			return fmt.Errorf("%s is not the key of this ledger: put back the right one", keyFile)
		}
		return nil
	})
}

// prepare makes the buckets of a new database.
func (l *Ledger) prepare() error {
	check := l.tag(checkKey)
	return l.update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{metaBucket, subjectsBucket, inputsBucket, releasesBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		meta := tx.Bucket(metaBucket)
		if err := meta.Put(checkKey, check[:]); err != nil {
			return err
		}
		return meta.Put(versionKey, version)
	})
}

// Close waits for the debits in progress and closes the database, unless it is damaged: its locks then
// end with the process. Later debits get ErrClosed.
func (l *Ledger) Close() error {
	close(l.closing)
	<-l.ended
	if l.damaged.Load() {
		return errDamaged
	}
	return l.db.Close()
}

// openKey reads the key of a database.
func openKey(path, database string) ([]byte, error) {
	begun := size(database) > 0
	key, err := os.ReadFile(path)
	switch {
	case err == nil && !begun:
		return nil, fmt.Errorf("%s is missing or empty beside its key: put it back, or all budgets begin anew and inputs get other noise than before; to begin a new ledger, use an empty folder", database)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing: without it every subject of the ledger beside it would count as new; put it back", path)
	case err != nil:
		return nil, err
	case len(key) != keySize:
		return nil, fmt.Errorf("%s has %d bytes, but a key has %d: put back the right one", path, len(key), keySize)
	}
	return key, nil
}

// probeSize is what Probe writes: room for some hundred debits.
const probeSize = 256 << 10

// Probe writes to the database and deletes it again. It returns an error if there is no room for
// debits.
func (l *Ledger) Probe() error {
	for _, change := range []func(meta *bbolt.Bucket) error{
		func(meta *bbolt.Bucket) error { return meta.Put(probeKey, make([]byte, probeSize)) },
		func(meta *bbolt.Bucket) error { return meta.Delete(probeKey) },
	} {
		if err := l.update(func(tx *bbolt.Tx) error { return change(tx.Bucket(metaBucket)) }); err != nil {
			return fmt.Errorf("the ledger cannot be written: %w", err)
		}
	}
	return nil
}
