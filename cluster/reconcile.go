package cluster

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"tattle/run"
)

// byFolder is the worker of commits that come from a folder's records.
const byFolder = "the folder"

// adopt commits what a folder has recorded and the ledger does not know of, or knows
// otherwise: what lies in the folder stands. It returns what then is committed.
func (s *stage) adopt(ctx context.Context, f *run.Folder) (commits map[int]commitRecord, err error) {
	commits = map[int]commitRecord{}
	if !s.fresh {
		if commits, err = readShards[commitRecord](ctx, s, "commit"); err != nil {
			return nil, err
		}
	}
	var news []int
	for i := range s.Shards {
		if f.Done(i) && commits[i].Digest != f.Digest(i) {
			news = append(news, i)
		}
	}
	return commits, s.all(ctx, "tell the ledger what the folder holds", news, func(js jetstream.JetStream, i int) (jetstream.PubAckFuture, error) {
		c := commitRecord{Digest: f.Digest(i), Worker: byFolder}
		if info, err := os.Stat(f.Path(i)); err == nil {
			c.Size = info.Size()
		}
		commits[i] = c
		data, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		return js.PublishAsync("$KV."+bucketName(s.l.id)+"."+s.key("commit", i), data, jetstream.WithStallWait(attempt))
	}, func(_ int, err error) error { return err })
}

// forgive drops what is known of shards that were set aside, so that they are tried anew
// once they are filled in.
func (s *stage) forgive(ctx context.Context) error {
	if s.fresh {
		return nil
	}
	failures, err := readShards[failure](ctx, s, "fail")
	if err != nil {
		return err
	}
	for _, i := range slices.Sorted(maps.Keys(failures)) {
		if failures[i].Aside {
			if err := s.drop(ctx, "fail", i); err != nil {
				return err
			}
		}
	}
	return nil
}
