package gram

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"slices"

	"tattle/internal/file"
)

// blocks are numbered arrays in files of a folder. Those that fit into room stay in memory; the
// others are read again for every use.
type blocks[T float32 | float64] struct {
	files     *file.Dir
	dir, name string
	room      int64       // bytes that are left for blocks in memory
	kept      map[int][]T // blocks in memory
	buffer    []T         // the block that was read last, and its number
	number    int
	raw       []byte
}

// rawBytes is how much of a file is converted at once.
const rawBytes = 1 << 18

// crcBytes is the length of the checksum that ends a file.
const crcBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func newBlocks[T float32 | float64](files *file.Dir, dir, name string, room int64) *blocks[T] {
	return &blocks[T]{files: files, dir: dir, name: name, room: room, kept: map[int][]T{}, number: -1, raw: make([]byte, 0, rawBytes)}
}

func (b *blocks[T]) path(i int) string {
	return filepath.Join(b.dir, fmt.Sprintf("%s-%04d", b.name, i))
}

// get returns block i, of size elements. The slice is valid until the next get. The error says
// what is wrong with the file.
func (b *blocks[T]) get(i, size int) ([]T, error) {
	if x, ok := b.kept[i]; ok {
		return x, nil
	}
	if b.number == i {
		return b.buffer, nil
	}
	b.number = -1
	b.buffer = slices.Grow(b.buffer[:0], size)[:size]
	if err := b.read(b.path(i), b.buffer); err != nil {
		return nil, fmt.Errorf("read %s: %w", b.path(i), err)
	}
	if b.number = i; b.keep(i, b.buffer) {
		return b.kept[i], nil
	}
	return b.buffer, nil
}

// put writes block i. A block that does not fit into memory is the next get's to read.
func (b *blocks[T]) put(i int, x []T) error {
	if err := b.files.Write(b.path(i), func(w io.Writer) error { return b.write(w, x) }); err != nil {
		return err
	}
	b.keep(i, x)
	return nil
}

// keep copies block i into memory if there is room.
func (b *blocks[T]) keep(i int, x []T) bool {
	if size := int64(binary.Size(x)); size <= b.room {
		b.room -= size
		b.kept[i] = slices.Clone(x)
		return true
	}
	return false
}

// write writes x with its checksum.
func (b *blocks[T]) write(w io.Writer, x []T) (err error) {
	sum := uint32(0)
	for part := range slices.Chunk(x, rawBytes/8) {
		if b.raw, err = binary.Append(b.raw[:0], binary.LittleEndian, part); err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, b.raw)
		if _, err := w.Write(b.raw); err != nil {
			return err
		}
	}
	_, err = w.Write(binary.LittleEndian.AppendUint32(b.raw[:0], sum))
	return err
}

// read overwrites x with the array in a file, and compares the checksum.
func (b *blocks[T]) read(path string, x []T) error {
	f, err := file.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if want := int64(binary.Size(x)) + crcBytes; info.Size() != want {
		return fmt.Errorf("%d bytes, want %d", info.Size(), want)
	}
	sum := uint32(0)
	for part := range slices.Chunk(x, rawBytes/8) {
		raw := b.raw[:binary.Size(part)]
		if _, err := io.ReadFull(f, raw); err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, raw)
		if _, err := binary.Decode(raw, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	raw := b.raw[:crcBytes]
	if _, err := io.ReadFull(f, raw); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(raw) != sum {
		return fmt.Errorf("the checksum is wrong: the file is damaged")
	}
	return nil
}
