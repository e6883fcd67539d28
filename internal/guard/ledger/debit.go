package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

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
	debited  int       // inputs that were counted, to be committed
	err      error     // of the transaction
	done     chan struct{}
}

// Covers returns an ExhaustedError if the budget of a subject does not cover inputs: Debit would,
// too, unless other requests or the time intervene.
func (l *Ledger) Covers(s Subject, inputs []Input) error {
	return l.view(func(tx *bbolt.Tx) error {
		_, _, err := l.count(tx, s, inputs)
		return err
	})
}

// Debit counts the different inputs of a request against the budget of a subject, and returns the
// release that each has from then on: the stored one, or else that of releases, which it stores.
// debited is how many were counted. An input counts whether or not it is stored, unless repeats are free.
// When Debit returns without an error, all of this is on disk. It returns an ExhaustedError, and
// stores nothing, if the budget does not cover the request. If ctx ends, the debit may be stored
// nevertheless; the caller must not change inputs and releases afterwards.
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
	start, used, err := l.count(tx, d.subject, d.inputs)
	if exhausted := (*ExhaustedError)(nil); errors.As(err, &exhausted) {
		d.refused = err
		return nil
	} else if err != nil {
		return err
	}
	for i, in := range d.inputs {
		if j := slices.Index(d.inputs[:i], in); j >= 0 {
			d.releases[i] = d.releases[j]
		} else if err := l.keep(tx, d, i); err != nil {
			return err
		}
	}
	if d.debited == 0 {
		return nil
	}
	entry := binary.AppendUvarint(nil, uint64(start))
	entry = binary.AppendUvarint(entry, uint64(used+d.debited))
	return tx.Bucket(subjectsBucket).Put(d.subject[:], entry)
}

// keep counts input i of a debit and finds its stored release, or stores the new one. For an input
// that is stored it does the same work: it reads a release, and appends the new one, which nothing
// refers to. So neither the time nor the size of the file depends on what is stored.
func (l *Ledger) keep(tx *bbolt.Tx, d *debit, i int) error {
	in, index, releases := d.inputs[i], tx.Bucket(inputsBucket), tx.Bucket(releasesBucket)
	key := bytes.Clone(index.Get(in[:])) // of the stored release
	known := key != nil
	if known && l.freeRepeats {
		release, err := readRelease(releases.Get(key))
		d.releases[i] = release
		return err
	}
	releases.FillPercent = 1 // numbers rise: pages that are full stay so
	number, err := releases.NextSequence()
	if err != nil {
		return err
	}
	added := binary.BigEndian.AppendUint64(nil, number)
	if err := releases.Put(added, appendRelease(nil, d.releases[i])); err != nil {
		return err
	}
	read := key
	if !known { // any other one
		key, read = added, binary.BigEndian.AppendUint64(nil, 1+binary.LittleEndian.Uint64(in[:])%number)
	}
	release, err := readRelease(releases.Get(read))
	if err != nil {
		return err
	}
	if known {
		d.releases[i] = release
	}
	d.debited++
	return index.Put(in[:], key)
}

// count returns when the current period of a subject began and its releases in it, or an
// ExhaustedError if the budget does not cover the inputs.
func (l *Ledger) count(tx *bbolt.Tx, s Subject, inputs []Input) (start int64, used int, err error) {
	now := l.now()
	start = l.budget.start(now)
	if entry := tx.Bucket(subjectsBucket).Get(s[:]); entry != nil {
		last, n := binary.Uvarint(entry)
		count, m := binary.Uvarint(entry[max(n, 0):])
		if n <= 0 || m <= 0 {
			return 0, 0, errors.New("a counter of the ledger is damaged")
		}
		if int64(last) >= start { // the clock was set back, or periods were shorter: a used period does not begin again
			start, used = int64(last), int(count)
		}
	}
	cost, asked := 0, map[Input]bool{}
	for _, in := range inputs {
		if !asked[in] && !(l.freeRepeats && tx.Bucket(inputsBucket).Get(in[:]) != nil) {
			cost++
		}
		asked[in] = true
	}
	if cost > 0 && used+cost > l.budget.Releases {
		return 0, 0, &ExhaustedError{Budget: l.budget, Used: used, Asked: len(asked), Wait: l.budget.left(start, now)}
	}
	return start, used, nil
}
