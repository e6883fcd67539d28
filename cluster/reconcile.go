package cluster

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"tattle/run"
)

// byFolder is the worker of commits that come from a folder's records.
const byFolder = "the folder"

// adopt gives the cluster the results that a folder holds and the ledger does not know of, or
// knows otherwise, and commits them: what lies in the folder stands.
func (s *Submission) adopt(ctx context.Context, st *stage, f *run.Folder) error {
	commits, err := readShards[commitRecord](ctx, st, "commit")
	if err != nil {
		return err
	}
	var news []int
	for i := range st.Shards {
		if f.Done(i) && commits[i].Digest != f.Digest(i) {
			news = append(news, i)
		}
	}
	return each(news, func(i int) error {
		info, err := os.Stat(f.Path(i))
		if err != nil {
			return &run.StoreError{Dir: f.Dir(), Err: err}
		}
		if s.job.Shared == "" {
			if err := putFile(ctx, s.blobs, resultBlob(st.Number, i, f.Digest(i)), f.Path(i)); err != nil {
				return err
			}
		}
		return st.put(ctx, "commit", i, commitRecord{Digest: f.Digest(i), Size: info.Size(), Worker: byFolder})
	})
}

// put writes a key of a shard.
func (s *stage) put(ctx context.Context, kind string, i int, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.l.retry(ctx, "change the ledger", attempt, func(ctx context.Context) error {
		_, err := s.l.kv.Put(ctx, s.key(kind, i), data)
		return err
	})
}

// forgive drops what is known of shards that were set aside, so that they are tried anew
// once they are filled in.
func (s *stage) forgive(ctx context.Context) error {
	failures, err := readShards[failure](ctx, s, "fail")
	for _, i := range slices.Sorted(maps.Keys(failures)) {
		if err == nil && failures[i].Aside {
			err = s.drop(ctx, "fail", i)
		}
	}
	return err
}
