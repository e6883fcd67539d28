package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What is small goes into the key-value bucket; what is not goes, in parts, into the
// object store: a part is all that is held in memory, and all that is sent again if the
// connection breaks.
const (
	smallBlob  = 128 << 10
	partBytes  = 8 << 20
	chunkBytes = 128 << 10

	mostManifest = 64 << 20        // as package run has it
	partTime     = time.Minute     // for one part
	smallTime    = 3 * time.Second // for one key, until it is tried again
)

// blobs keeps the data of a run in the cluster, by names that hold their digests: what is put
// twice is the same.
//
// The key blob.NAME holds 's' and the data, or 'p' and the number of the objects NAME.0, NAME.1, ….
// It is written last.
type blobs struct {
	l    *ledger
	obj  jetstream.ObjectStore
	most int // bytes of a message
}

// errDamaged says that data are not there, or not what they were.
var errDamaged = errors.New("damaged")

func blobKey(name string) string { return "blob." + name }

func partName(name string, i int) string { return name + "." + strconv.Itoa(i) }

// openBlobs opens the data of a run. Where make is set there may be none yet.
func openBlobs(ctx context.Context, l *ledger, make bool) (blobs, error) {
	b := blobs{l: l, most: int(l.js.Conn().MaxPayload())}
	err := l.retry(ctx, "open the run's data", attempt, func(ctx context.Context) (err error) {
		b.obj, err = l.js.ObjectStore(ctx, bucketName(l.id))
		if make && errors.Is(err, jetstream.ErrBucketNotFound) {
			err = b.make(ctx)
		}
		return err
	})
	return b, err
}

// make makes the object store, which is read from its leader only, as keys are.
func (b *blobs) make(ctx context.Context) error {
	name := bucketName(b.l.id)
	if _, err := b.l.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name, Replicas: b.l.o.Replicas}); err != nil {
		return err
	}
	stream, err := b.l.js.Stream(ctx, "OBJ_"+name)
	if err != nil {
		return err
	}
	config := stream.CachedInfo().Config
	config.AllowDirect = false
	if _, err = b.l.js.UpdateStream(ctx, config); err == nil {
		b.obj, err = b.l.js.ObjectStore(ctx, name)
	}
	return err
}

// remove takes the data off the server, for good.
func (b blobs) remove(ctx context.Context) error {
	err := b.l.retry(ctx, "remove the run's data", attempt, func(ctx context.Context) error {
		return b.l.js.DeleteObjectStore(ctx, bucketName(b.l.id))
	})
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}

// has reports whether a blob of that name was put.
func (b blobs) has(ctx context.Context, name string) (bool, error) {
	_, _, err := b.head(ctx, name)
	if errors.Is(err, errDamaged) {
		return false, nil
	}
	return err == nil, err
}

// put keeps what r has under a name, unless there is a blob of that name.
func (b blobs) put(ctx context.Context, name string, r io.Reader) error {
	small := min(smallBlob, b.most/2)
	head, err := io.ReadAll(io.LimitReader(r, int64(small)+1))
	if err != nil {
		return err
	}
	if len(head) <= small {
		return b.write(ctx, name, append([]byte{'s'}, head...))
	}
	if there, err := b.has(ctx, name); there || err != nil {
		return err
	}
	parts, err := b.putParts(ctx, name, io.MultiReader(bytes.NewReader(head), r))
	if err != nil {
		return err
	}
	return b.write(ctx, name, fmt.Appendf(nil, "p%d", parts))
}

// write writes the key of a blob.
func (b blobs) write(ctx context.Context, name string, value []byte) error {
	return b.l.retry(ctx, "keep data in the cluster", smallTime, func(ctx context.Context) error {
		_, err := b.l.kv.Put(ctx, blobKey(name), value)
		return err
	})
}

func (b blobs) putParts(ctx context.Context, name string, r io.Reader) (parts int, err error) {
	buf := make([]byte, partBytes)
	for ; ; parts++ {
		n, err := io.ReadFull(r, buf)
		if n == 0 && err == io.EOF {
			return parts, nil
		}
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return parts, err
		}
		meta := jetstream.ObjectMeta{Name: partName(name, parts), Opts: &jetstream.ObjectMetaOptions{ChunkSize: uint32(min(chunkBytes, b.most/2))}}
		err = b.l.retry(ctx, "keep data in the cluster", partTime, func(ctx context.Context) error {
			_, err := b.obj.Put(ctx, meta, bytes.NewReader(buf[:n]))
			return err
		})
		if err != nil {
			return parts, err
		}
	}
}

// get writes a blob to w. It returns errDamaged if there is none, if its SHA-256 is another,
// or if it has more bytes than most.
func (b blobs) get(ctx context.Context, name, digest string, most int64, w io.Writer) error {
	m := newMeter(w, most)
	small, parts, err := b.head(ctx, name)
	if err == nil {
		_, err = m.Write(small)
	}
	for i := 0; i < parts && err == nil; i++ {
		var data []byte
		if data, err = b.part(ctx, partName(name, i)); err == nil {
			_, err = m.Write(data)
		}
	}
	if found := m.digest(); err == nil && found != digest {
		err = fmt.Errorf("%w: its SHA-256 is %.16s…, not %.16s…", errDamaged, found, digest)
	}
	return err
}

// head reads the key of a blob: its data, or the number of its parts.
func (b blobs) head(ctx context.Context, name string) (small []byte, parts int, err error) {
	var value []byte
	err = b.l.retry(ctx, "fetch data from the cluster", smallTime, func(ctx context.Context) error {
		e, err := b.l.kv.Get(ctx, blobKey(name))
		if err == nil {
			value = e.Value()
		}
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, 0, fmt.Errorf("%w: not in the cluster any more", errDamaged)
	case err != nil:
		return nil, 0, err
	case len(value) > 0 && value[0] == 's':
		return value[1:], 0, nil
	case len(value) > 0 && value[0] == 'p':
		if parts, err = strconv.Atoi(string(value[1:])); err == nil && parts > 0 {
			return nil, parts, nil
		}
	}
	return nil, 0, fmt.Errorf("%w: its entry in the cluster says nothing", errDamaged)
}

// part returns a part, which fits into memory.
func (b blobs) part(ctx context.Context, name string) (data []byte, err error) {
	var lost error
	err = b.l.retry(ctx, "fetch data from the cluster", partTime, func(ctx context.Context) error {
		lost, data = nil, nil
		o, err := b.obj.Get(ctx, name)
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(o, partBytes+1))
			o.Close()
		}
		if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrDigestMismatch) {
			lost = fmt.Errorf("%w in the cluster: %w", errDamaged, err)
			return nil
		}
		return err
	})
	return data, errors.Join(lost, err)
}

// drop forgets a blob. Parts that it fails to remove go with the run.
func (b blobs) drop(ctx context.Context, name string) error {
	_, parts, err := b.head(ctx, name)
	if err != nil && !errors.Is(err, errDamaged) {
		return err
	}
	for i := range parts {
		b.obj.Delete(ctx, partName(name, i))
	}
	return b.l.retry(ctx, "drop data in the cluster", smallTime, func(ctx context.Context) error { return b.l.kv.Purge(ctx, blobKey(name)) })
}

// A meter passes data on, and measures them. More than most bytes are an error.
type meter struct {
	to         io.Writer
	sum        hash.Hash
	size, most int64
}

func newMeter(to io.Writer, most int64) *meter { return &meter{to: to, sum: sha256.New(), most: most} }

func (m *meter) Write(b []byte) (int, error) {
	if m.size += int64(len(b)); m.size > m.most {
		return 0, fmt.Errorf("%w: there is more of it than there should be", errDamaged)
	}
	m.sum.Write(b)
	return m.to.Write(b)
}

// digest returns the SHA-256 of what was written.
func (m *meter) digest() string { return hex.EncodeToString(m.sum.Sum(nil)) }
