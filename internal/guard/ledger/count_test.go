package ledger

import (
	"encoding/binary"
	"testing"

	"go.etcd.io/bbolt"

	"tattle/internal/must"
)

// totals are what a ledger holds.
type totals struct{ debits, inputs, releases int }

// countAll adds the counters of all subjects, and counts inputs and releases.
func countAll(t testing.TB, l *Ledger) (c totals) {
	t.Helper()
	must.Do(t, l.db.View(func(tx *bbolt.Tx) error {
		c.inputs, c.releases = tx.Bucket(inputsBucket).Stats().KeyN, tx.Bucket(releasesBucket).Stats().KeyN
		return tx.Bucket(subjectsBucket).ForEach(func(_, entry []byte) error {
			_, n := binary.Uvarint(entry)
			count, _ := binary.Uvarint(entry[n:])
			c.debits += int(count)
			return nil
		})
	}))
	return c
}
