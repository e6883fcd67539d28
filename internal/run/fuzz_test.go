package run

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/must"
)

// What is read of a manifest is written the same.
func FuzzManifest(f *testing.F) {
	good := must.Get(manifest().Encode())(f)
	f.Add(good)
	f.Add([]byte(`{"schema": "tattle run 2", "command": "x", "shards": -1, "settings": {"a": 1e999}, "program": {}}`))
	f.Add([]byte(`{"schema": "tattle run 2"} {}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseManifest(data)
		if err != nil {
			return
		}
		once := must.Get(m.Encode())(t)
		m = must.Get(ParseManifest(once))(t)
		if twice, err := m.Encode(); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s and then %s, %v", once, twice, err)
		}
	})
}

// Names and records mean what they are written from, and nothing else.
func FuzzShardFiles(f *testing.F) {
	digest := strings.Repeat("0123456789abcdef", 4)
	for _, i := range []int{0, 7, 999_999, 1_000_000, 12_345_678} {
		f.Add(i, dataName(i, digest), recordLine(i, digest))
		f.Add(i, shardName(i)+recordSuffix, recordLine(i+1, digest))
		f.Add(i, shardName(i)+failedSuffix, "")
	}
	f.Add(0, "shard-0.sha256", "shard--00001.failed")
	f.Add(1, "shard-+00001.sha256", digest)
	f.Fuzz(func(t *testing.T, i int, name, record string) {
		if shard, rest, ok := shardFile(name); ok && (shardName(shard)+rest != name || shard < 0) {
			t.Errorf("%q is shard %d and %q", name, shard, rest)
		}
		if d := parseRecord(i, record); d != "" && recordLine(i, d) != record {
			t.Errorf("%q commits %s", record, d)
		}
	})
}

// Whatever lies in a folder, listing it says what it finds or why it does not.
func FuzzScan(f *testing.F) {
	good := must.Get(manifest().Encode())(f)
	f.Add(string(good), digestOf(good), `{"schema": "tattle run file 1", "args": ["bound"]}`, `{"shard": 3, "causes": ["x"]}`)
	f.Add("{}", "", "[]", "[]")
	f.Add(strings.Replace(string(good), "6", "9007199254740993", 1), "x", "null", "null")
	f.Fuzz(func(t *testing.T, manifest, digest, record, failure string) {
		dir := t.TempDir()
		for name, data := range map[string]string{ManifestName: manifest, digestName: digest, RecordName: record, shardName(0) + failedSuffix: failure} {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666))
		}
		runs, err := Scan(t.Context(), dir)
		if err != nil || len(runs) != 1 || len(runs[0].Stages) != 1 {
			t.Fatalf("%+v, %v", runs, err)
		}
		for _, failure := range runs[0].Stages[0].Failures {
			if said := fmt.Sprint(failure.Cause(), runs[0].Problem, runs[0].Stages[0].Problem); strings.Contains(said, "\n") {
				t.Errorf("said %q", said)
			}
		}
	})
}
