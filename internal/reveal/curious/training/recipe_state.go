package training

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"tattle/internal/engine/nn/train"
	"tattle/internal/file"
	"tattle/internal/reveal/curious"
)

// unfinished is a training as it was after an epoch.
type unfinished struct {
	State    train.State
	Measured []curious.HistoryEpoch
}

// An unfinishedJSON is the file of an unfinished training. Its parameters and moments are the bytes of float32, little-endian:
// as decimal numbers they would take longer than the epoch.
type unfinishedJSON struct {
	Result          train.Result
	Measured        []curious.HistoryEpoch
	Params, Moments [][]byte // two moments for each of the parameters
}

// write keeps the training in a file.
func (u *unfinished) write(files *file.Dir, path string) error {
	kept := unfinishedJSON{Result: u.State.Result, Measured: u.Measured}
	for _, p := range u.State.Params {
		kept.Params = append(kept.Params, bytesOf(p))
	}
	for _, m := range u.State.Moments {
		kept.Moments = append(kept.Moments, bytesOf(m[0]), bytesOf(m[1]))
	}
	return files.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(kept) })
}

// readUnfinished reads the file that write makes. If the file does not exist, it returns nil.
func readUnfinished(path string) (*unfinished, error) {
	b, err := file.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var kept unfinishedJSON
	err = json.Unmarshal(b, &kept)
	if err == nil && (len(kept.Params) == 0 || len(kept.Moments) != 2*len(kept.Params)) {
		err = errors.New("it has no parameters, or no moments of them")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not an unfinished training (%w): take the file away, and the training starts again", path, err)
	}
	u := &unfinished{State: train.State{Result: kept.Result}, Measured: kept.Measured}
	for i, p := range kept.Params {
		u.State.Params = append(u.State.Params, floatsOf(p))
		u.State.Moments = append(u.State.Moments, [2][]float32{floatsOf(kept.Moments[2*i]), floatsOf(kept.Moments[2*i+1])})
	}
	return u, nil
}

// bytesOf returns the bytes of numbers.
func bytesOf(x []float32) []byte {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// floatsOf returns the numbers that have these bytes.
func floatsOf(b []byte) []float32 {
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}
