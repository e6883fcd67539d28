// Package cluster spreads a run over processes and machines. A NATS server with JetStream
// keeps the run's ledger: which shards are to be computed, which worker has leased which
// shard, and which result was committed. Each shard is committed once.
package cluster
