// Package cluster carries runs over processes and machines: the ledger of a run, kept
// by NATS JetStream, says which shards are to be done, who has leased which, and what
// was committed, once.
package cluster
