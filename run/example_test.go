package run_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tattle/run"
)

// A run of three shards, computed in this process and kept in a folder. Interrupted, it
// goes on with the shards that are missing.
func ExampleLeader() {
	root, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	folder, err := run.Leader{}.Run(context.Background(), run.Work{
		Dir:      filepath.Join(root, "shards"),
		Manifest: run.Manifest{Command: "squares", Shards: 3},
		Resume:   true,
		Do: func(_ context.Context, i int, w io.Writer) error {
			_, err := fmt.Fprint(w, i*i)
			return err
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range folder.Len() {
		data, err := os.ReadFile(folder.Path(i))
		fmt.Println(string(data), err)
	}
	// Output:
	// 0 <nil>
	// 1 <nil>
	// 4 <nil>
}
