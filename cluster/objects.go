package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// What is small goes into the key-value bucket; what is not goes, in parts, into the
// object store: a part is all that is held in memory, sent without an acknowledgement
// and sent again where the connection broke.
const (
	tinyBlob   = 4 << 10 // many of these are sent without waiting for each
	smallBlob  = 128 << 10
	partBytes  = 8 << 20
	chunkBytes = 128 << 10

	mostManifest = 64 << 20        // as package run has it
	partTime     = time.Minute     // for one part
	smallTime    = 3 * time.Second // for one key, until it is tried again
)

// blobs keeps the data of a run in the cluster, by name, written once.
//
// The key blob.NAME holds 's' and the data, or 'p', the number of parts and, after a
// space, what their names begin with. It is written last.
type blobs struct {
	l    *ledger
	obj  jetstream.ObjectStore
	most int // bytes of a message
}

// errDamaged says that data are not there, or not what they were.
var errDamaged = errors.New("damaged")

func blobKey(name string) string { return "blob." + name }

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
	_, err := b.value(ctx, name)
	if errors.Is(err, errDamaged) {
		return false, nil
	}
	return err == nil, err
}

// put keeps what r has under a name, unless there is a blob of that name: names hold
// digests, so it would be the same.
func (b blobs) put(ctx context.Context, name string, r io.Reader) error {
	small := min(smallBlob, b.most/2)
	head, err := io.ReadAll(io.LimitReader(r, int64(small)+1))
	if err != nil {
		return err
	}
	if len(head) <= small {
		_, err := b.create(ctx, name, append([]byte{'s'}, head...))
		return err
	}
	if there, err := b.has(ctx, name); there || err != nil {
		return err
	}
	prefix := nuid.Next()
	parts, err := b.putParts(ctx, prefix, io.MultiReader(bytes.NewReader(head), r))
	if err == nil {
		var won bool
		if won, err = b.create(ctx, name, fmt.Appendf(nil, "p%d %s", parts, prefix)); won {
			return nil
		}
	}
	b.removeParts(ctx, prefix, parts)
	return err
}

// create writes the key of a blob, unless there is one.
func (b blobs) create(ctx context.Context, name string, value []byte) (won bool, err error) {
	err = b.l.retry(ctx, "keep data in the cluster", smallTime, func(ctx context.Context) error {
		_, err := b.l.kv.Create(ctx, blobKey(name), value)
		return err
	})
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err == nil, err
	}
	there, err := b.value(ctx, name)
	return bytes.Equal(there, value), err // it may be our own, unanswered
}

func partName(prefix string, i int) string { return prefix + "." + strconv.Itoa(i) }

func (b blobs) putParts(ctx context.Context, prefix string, r io.Reader) (parts int, err error) {
	buf := make([]byte, partBytes)
	for ; ; parts++ {
		n, err := io.ReadFull(r, buf)
		if n == 0 && err == io.EOF {
			return parts, nil
		}
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return parts, err
		}
		meta := jetstream.ObjectMeta{Name: partName(prefix, parts), Opts: &jetstream.ObjectMetaOptions{ChunkSize: uint32(min(chunkBytes, b.most/2))}}
		err = b.l.retry(ctx, "keep data in the cluster", partTime, func(ctx context.Context) error {
			_, err := b.obj.Put(ctx, meta, bytes.NewReader(buf[:n]))
			return err
		})
		if err != nil {
			return parts, err
		}
	}
}

// get writes a blob to w. It returns errDamaged where there is none, or not all of it.
func (b blobs) get(ctx context.Context, name string, w io.Writer) error {
	value, err := b.value(ctx, name)
	if err != nil {
		return err
	}
	if value[0] == 's' {
		_, err := w.Write(value[1:])
		return err
	}
	parts, prefix, err := partsOf(value)
	if err != nil {
		return err
	}
	for i := range parts {
		data, err := b.part(ctx, partName(prefix, i))
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return nil
}

func (b blobs) part(ctx context.Context, name string) (data []byte, err error) {
	var lost error
	err = b.l.retry(ctx, "fetch data from the cluster", partTime, func(ctx context.Context) (err error) {
		lost = nil
		data, err = b.read(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrDigestMismatch) || errors.Is(err, errDamaged) {
			lost = fmt.Errorf("%w in the cluster: %w", errDamaged, err)
			return nil
		}
		return err
	})
	return data, errors.Join(lost, err)
}

// read returns a part, which fits into memory.
func (b blobs) read(ctx context.Context, name string) ([]byte, error) {
	o, err := b.obj.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	var data bytes.Buffer
	_, err = io.Copy(&limited{&data, partBytes}, o)
	return data.Bytes(), err
}

// limited returns errDamaged once more is written than there should be.
type limited struct {
	w    io.Writer
	left int64
}

func (l *limited) Write(b []byte) (int, error) {
	if l.left -= int64(len(b)); l.left < 0 {
		return 0, fmt.Errorf("%w: there is more of it than there should be", errDamaged)
	}
	return l.w.Write(b)
}

// value is what the key of a blob holds, one byte at least.
func (b blobs) value(ctx context.Context, name string) (value []byte, err error) {
	err = b.l.retry(ctx, "fetch data from the cluster", smallTime, func(ctx context.Context) error {
		e, err := b.l.kv.Get(ctx, blobKey(name))
		if err == nil {
			value = e.Value()
		}
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && len(value) == 0 {
		return nil, fmt.Errorf("%w: not in the cluster any more", errDamaged)
	}
	return value, err
}

// partsOf reads the key of a blob in parts.
func partsOf(value []byte) (parts int, prefix string, err error) {
	count, prefix, ok := strings.Cut(string(value), " ")
	if count, ok2 := strings.CutPrefix(count, "p"); ok && ok2 {
		if parts, err = strconv.Atoi(count); err == nil && parts > 0 {
			return parts, prefix, nil
		}
	}
	return 0, "", fmt.Errorf("%w: its entry in the cluster says nothing", errDamaged)
}

// drop forgets a blob.
func (b blobs) drop(ctx context.Context, name string) error {
	value, err := b.value(ctx, name)
	if errors.Is(err, errDamaged) {
		return nil
	}
	if err == nil {
		err = b.l.retry(ctx, "drop data in the cluster", smallTime, func(ctx context.Context) error { return b.l.kv.Purge(ctx, blobKey(name)) })
	}
	if parts, prefix, none := partsOf(value); none == nil && err == nil {
		b.removeParts(ctx, prefix, parts)
	}
	return err
}

// removeParts makes room; what it fails to remove goes with the run.
func (b blobs) removeParts(ctx context.Context, prefix string, parts int) {
	for i := range parts {
		if b.obj.Delete(ctx, partName(prefix, i)) != nil {
			return
		}
	}
}
