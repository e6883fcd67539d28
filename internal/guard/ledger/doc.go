// Package ledger counts the releases of each subject on disk, and keeps every release, so that
// the same input of a subject always gets the same release.
//
// The same input counts each time it is asked for. If repeats were free, whoever may ask in a
// subject's name could learn from refusals and counts which inputs the subject had before:
// Options.FreeRepeats.
//
// A subject and an input are stored as HMACs (SHA-256, 128 bits) with a key that is made at the
// first start and never leaves the data folder: who reads the database alone cannot test a guess
// of a name or of an input.
//
// # The store
//
// The store is bbolt, one file: a B+ tree with transactions, maintained by the etcd project. A
// debit touches three entries (the subject's counter, the input's entry, the release), and either
// all of them are on disk or none is; that is a transaction, and bbolt has no other state to
// recover after kill -9 or a power cut.
//
// One goroutine writes. Debits that arrive while it waits for the disk are committed together by
// the next transaction, so the number of releases a second is not limited by the number of
// fsyncs a second, and a lone debit waits for nobody.
//
// Releases are numbered, and appended in the order of their numbers, which fills their pages. A
// release of n values takes about the entropy of its noise: see appendRelease. What is stored is
// never deleted, because a deleted release would be drawn again, with new noise.
package ledger
