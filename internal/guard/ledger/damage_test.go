package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestDamagedFile: a ledger whose file is cut or overwritten gives errors, and does not end the
// process; a release that comes back is the one that was stored.
func TestDamagedFile(t *testing.T) {
	shared.Long(t, "ledgers damaged at many places")
	dir := t.TempDir()
	path := filepath.Join(dir, databaseFile)
	l := open(t, dir, Budget{Releases: 2}, nil)
	const subjects = 300
	for i := range subjects {
		mustOne(t, l, fmt.Sprint(i), float32(i), []int64{int64(i), -5}, []int64{int64(i), -5})
	}
	l.Close()
	whole := must.Get(os.ReadFile(path))(t)
	failed, damaged := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(1, seed))
		content := append([]byte(nil), whole...)
		if seed%4 == 0 {
			content = content[:r.IntN(len(content))]
		} else {
			at := r.IntN(len(content) - pageSize)
			clear(content[at : at+r.IntN(pageSize)])
		}
		os.Remove(path) // the lock of a ledger that could not be opened is on the old file
		must.Do(t, os.WriteFile(path, content, 0o600))
		l, err := Open(dir, Options{Budget: Budget{Releases: 2}})
		if err != nil {
			failed++
			continue
		}
		for range 10 {
			i := r.IntN(subjects)
			got, err := one(l, fmt.Sprint(i), float32(i), -1, -1)
			switch {
			case err != nil:
				failed++
				if strings.Contains(err.Error(), "damaged") {
					damaged++
				}
			case got[1] == -5 && got[0] != int64(i):
				t.Errorf("the release of subject %d is that of %d", i, got[0])
			}
		}
		l.Close()
	}
	t.Logf("%d errors, %d of them say that the ledger is damaged", failed, damaged)
	if damaged == 0 {
		t.Error("no damage is found")
	}
}

// TestDamagedCounter: a count that is cut off is an error, and no budget that begins anew.
func TestDamagedCounter(t *testing.T) {
	l := open(t, t.TempDir(), Budget{Releases: 2}, nil)
	for _, entry := range [][]byte{{}, {5}} {
		must.Do(t, l.update(func(tx *bbolt.Tx) error {
			s := l.Subject("a")
			return tx.Bucket(subjectsBucket).Put(s[:], entry)
		}))
		_, err := one(l, "a", 1, 0)
		must.Fail(t, err, "a counter of the ledger is damaged")
	}
}

// TestDamagedFileKeepsLocks: where bbolt keeps its lock after damage, the next debit and Close end.
func TestDamagedFileKeepsLocks(t *testing.T) {
	l := open(t, t.TempDir(), Budget{Releases: 2}, nil)
	err := l.transact(func(func(*bbolt.Tx) error) error {
		must.Get(l.db.Begin(true))(t)
		panic("a page is damaged")
	}, nil)
	for range 2 {
		if !errors.Is(err, errDamaged) {
			t.Fatalf("%v where the file is damaged", err)
		}
		_, err = one(l, "a", 1, 0)
	}
	if err := l.Close(); err != errDamaged {
		t.Errorf("closed with %v", err)
	}
}
