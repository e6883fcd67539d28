.PHONY: test check bench bench-all detection papers figures golden mutants try wheel example

test: ## the README's test command
	go test ./...

check: ## everything the gate checks
	bash .ci/run

bench: ## the figures of BENCHMARKS.md; BENCH=name picks some, TAGS=openblas compares with OpenBLAS
	go test -run '^$$' -bench '$(or $(BENCH),.)' -tags '$(TAGS)' ./internal/math/simd ./internal/engine/nn ./internal/protect/bound ./internal/reveal/curious

bench-all: ## the benchmarks of BENCHMARKS.md beside their peers, five times in turn, as a table (hours); BENCH=regexp picks commands
	go run ./internal/benchall -match '$(or $(BENCH),.)' BENCHMARKS.md

detection: ## the tables of docs/detection.md (40 min); DATA and LABELS name the folders of MNIST and QMNIST
	go run ./internal/detection -data '$(DATA)' -labels '$(LABELS)'

papers: ## the tables of docs/papers.md from the folders RUNS/figure1, RUNS/table3 and so on, of tattle reproduce
	go run ./internal/papers -runs '$(RUNS)' docs/papers.md

figures: ## the tables of README.md from the runs in the folder RUNS; those that it lacks are made (half an hour)
	go test ./internal/cli -run TestReadmeFigures -timeout 3h -figures '$(abspath $(RUNS))'

golden: ## rewrite the golden files from what the program prints now
	go test ./internal/report -update

mutants: ## which changes of one operator the tests of a package do not notice; PKG=./internal/math/stat, N=100
	go run ./internal/mutants -n $(or $(N),100) $(PKG)

try: ## the page docs/try, which audits a CSV in the browser: python3 -m http.server -d docs/try
	GOOS=js GOARCH=wasm go build -trimpath -ldflags '-s -w' -o docs/try/tattle.wasm ./cmd/tattle-wasm
	cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" docs/example/scores.csv docs/try

wheel: ## the Python package with the program, in dist/; PLATFORM=all for every platform, VERSION=1.2.3
	python3 python/wheel.py --out dist --version '$(or $(VERSION),0.1.0)' $(if $(PLATFORM),--platform '$(PLATFORM)')

example: ## the files of docs/example, which the README's first commands use (half a minute)
	go test ./internal/cli -run TestExampleFiles -example
