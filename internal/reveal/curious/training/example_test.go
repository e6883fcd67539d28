package training_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
	"tattle/internal/run"
)

// Two seeds of one training are kept in folders. Called again, Train reads them.
func ExampleTrain() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	source := &training.Source{Options: dataset.Options{Kind: dataset.KindGlyphs, Sensitive: []string{"family: italic; *"}, Limit: dataset.Limit{Most: 60}, Seed: 1}}
	var seeds []training.Seed
	for seed := range uint64(2) {
		seeds = append(seeds, training.Seed{Folder: training.SeedFolder(seed + 1), Source: source, Options: curious.Options{Attack: curious.Regularized, Epochs: 1, Seed: seed + 1}})
	}
	for range 2 {
		t, err := training.Train(ctx, seeds, &training.Data{}, training.Options{
			Dir: dir, Stage: filepath.Join(dir, "shards"), Pool: run.Leader{},
			Start: func(missing []string, _ int) error {
				_, err := fmt.Println("missing:", len(missing))
				return err
			},
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(seeds[0].Folder, len(t.Results[0].Epochs), "epoch")
	}
	// Output:
	// missing: 2
	// seed-1 1 epoch
	// missing: 0
	// seed-1 1 epoch
}
