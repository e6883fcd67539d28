package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// maxGroup is the largest number of debits that one transaction commits.
const maxGroup = 1024

// errNothing rolls back a transaction that has nothing to write.
var errNothing = errors.New("nothing to write")

// debit is a request to the goroutine that writes.
type debit struct {
	subject  Subject
	inputs   []Input
	releases [][]int64 // of the inputs; replaced by those that the ledger keeps
	refused  error     // an *ExhaustedError
	debited  int       // new releases, to be committed
	err      error     // of the transaction
	done     chan struct{}
}

// Lookup returns the stored release of each input, nil where there is none. If the budget does
// not cover the others, it returns an ExhaustedError: Debit would, too, unless other requests or
// the time intervene.
func (l *Ledger) Lookup(s Subject, inputs []Input) (stored [][]int64, err error) {
	err = l.view(func(tx *bbolt.Tx) error {
		if stored, err = storedOf(tx, inputs); err != nil {
			return err
		}
		_, _, err = l.count(tx, s, missing(inputs, stored))
		return err
	})
	return stored, err
}

// Debit stores the releases of inputs that have none yet, counts them against the budget of the
// subject, and returns the stored releases of all inputs, and how many were debited: where another
// request was quicker, the release is the one that it stored. When Debit returns without an error, all of this is on disk.
// It returns an ExhaustedError, and stores nothing, if the budget does not cover all new inputs.
// If ctx ends, the debit may be stored nevertheless; the caller must not change inputs and
// releases afterwards.
func (l *Ledger) Debit(ctx context.Context, s Subject, inputs []Input, releases [][]int64) (kept [][]int64, debited int, err error) {
	d := &debit{subject: s, inputs: inputs, releases: append([][]int64(nil), releases...), done: make(chan struct{})}
	select {
	case <-l.closing:
		return nil, 0, ErrClosed
	default:
	}
	select {
	case l.queue <- d:
	case <-l.closing:
		return nil, 0, ErrClosed
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	select {
	case <-d.done:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	if err := errors.Join(d.err, d.refused); err != nil {
		return nil, 0, err
	}
	return d.releases, d.debited, nil
}

// write commits debits, those that wait together in one transaction.
func (l *Ledger) write() {
	defer close(l.ended)
	for {
		select {
		case d := <-l.queue:
			l.commit(l.group(d))
		case <-l.closing:
			return
		}
	}
}

// group returns a debit and those that wait.
func (l *Ledger) group(first *debit) []*debit {
	all := []*debit{first}
	for len(all) < maxGroup {
		select {
		case d := <-l.queue:
			all = append(all, d)
		default:
			return all
		}
	}
	return all
}

// commit writes debits in one transaction, and answers them when it is on disk.
func (l *Ledger) commit(all []*debit) {
	err := l.update(func(tx *bbolt.Tx) error {
		wrote := false
		for _, d := range all {
			if err := l.apply(tx, d); err != nil {
				return err
			}
			wrote = wrote || d.debited > 0
		}
		if !wrote {
			return errNothing
		}
		return nil
	})
	for _, d := range all {
		if err != nil && err != errNothing {
			d.err = fmt.Errorf("the ledger cannot be written: %w", err)
		}
		close(d.done)
	}
}

// apply does one debit within a transaction. It returns an error if the transaction must not be
// committed.
func (l *Ledger) apply(tx *bbolt.Tx, d *debit) error {
	stored, err := storedOf(tx, d.inputs)
	if err != nil {
		return err
	}
	fresh := missing(d.inputs, stored)
	start, used, err := l.count(tx, d.subject, fresh)
	if exhausted := (*ExhaustedError)(nil); errors.As(err, &exhausted) {
		d.refused = err
		return nil
	} else if err != nil {
		return err
	}
	for i, release := range stored {
		if release != nil {
			d.releases[i] = release
		} else if err := store(tx, d, i); err != nil {
			return err
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	d.debited = len(fresh)
	entry := binary.AppendUvarint(nil, uint64(start))
	entry = binary.AppendUvarint(entry, uint64(used+len(fresh)))
	return tx.Bucket(subjectsBucket).Put(d.subject[:], entry)
}

// store stores release i of a debit, unless an earlier input of it is the same.
func store(tx *bbolt.Tx, d *debit, i int) error {
	for j, in := range d.inputs[:i] {
		if in == d.inputs[i] {
			d.releases[i] = d.releases[j]
			return nil
		}
	}
	b := tx.Bucket(releasesBucket)
	b.FillPercent = 1 // numbers rise: pages that are full stay so
	number, err := b.NextSequence()
	if err != nil {
		return err
	}
	key := binary.BigEndian.AppendUint64(nil, number)
	if err := b.Put(key, appendRelease(nil, d.releases[i])); err != nil {
		return err
	}
	return tx.Bucket(inputsBucket).Put(d.inputs[i][:], key)
}

// storedOf returns the stored releases of inputs, nil where there is none.
func storedOf(tx *bbolt.Tx, inputs []Input) ([][]int64, error) {
	stored := make([][]int64, len(inputs))
	index, releases := tx.Bucket(inputsBucket), tx.Bucket(releasesBucket)
	for i, in := range inputs {
		key := index.Get(in[:])
		if key == nil {
			continue
		}
		release, err := readRelease(releases.Get(key))
		if err != nil {
			return nil, err
		}
		stored[i] = release
	}
	return stored, nil
}

// missing returns the different inputs without a stored release.
func missing(inputs []Input, stored [][]int64) (fresh []Input) {
	seen := map[Input]bool{}
	for i, in := range inputs {
		if stored[i] == nil && !seen[in] {
			seen[in] = true
			fresh = append(fresh, in)
		}
	}
	return fresh
}

// count returns when the current period of a subject began and its releases in it, or an
// ExhaustedError if the budget does not cover the new inputs.
func (l *Ledger) count(tx *bbolt.Tx, s Subject, fresh []Input) (start int64, used int, err error) {
	now := l.now()
	start = l.budget.start(now)
	if entry := tx.Bucket(subjectsBucket).Get(s[:]); entry != nil {
		last, n := binary.Uvarint(entry)
		count, m := binary.Uvarint(entry[max(n, 0):])
		if n <= 0 || m <= 0 {
			return 0, 0, errors.New("a counter of the ledger is damaged")
		}
		if int64(last) >= start { // later: the clock was set back, or periods were shorter
			start, used = int64(last), int(count)
		}
	}
	if len(fresh) > 0 && used+len(fresh) > l.budget.Releases {
		return 0, 0, &ExhaustedError{Budget: l.budget, Used: used, Asked: len(fresh), Wait: l.budget.left(start, now)}
	}
	return start, used, nil
}
