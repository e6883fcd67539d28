.PHONY: test check bench golden

test: ## the README's test command
	go test ./...

check: ## everything the gate checks
	bash .ci/run

bench: ## the figures of BENCHMARKS.md; BENCH=name picks some, TAGS=openblas compares with OpenBLAS
	go test -run '^$$' -bench '$(or $(BENCH),.)' -tags '$(TAGS)' ./internal/simd ./nn ./bound ./curious

golden: ## rewrite the golden files from what the program prints now
	go test ./report -update
