// Package folders computes stages of a run each of whose shards is a folder, such as the
// models and the result of a training. A shard holds the folder as one archive. Once it is
// committed, by whichever process, it is unpacked below the run's folder, and stays there
// when other folders are computed later.
package folders
