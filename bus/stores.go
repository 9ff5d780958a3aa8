package bus

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Store keeps bytes under the hash of their content. It is safe for
// concurrent use. Get of an unknown or expired key is an error with
// CodeNotFound.
type Store interface {
	Put(ctx context.Context, data []byte) (key string, err error)
	Get(ctx context.Context, key string) ([]byte, error)
}

// maxUnpacked bounds what GetJSON unpacks, against a damaged or hostile entry.
const maxUnpacked = 256 << 20

// Blobs keeps screenshots, traces and downloads, on disk. They may hold bytes
// that no redactor understands: paint secrets over before.
func (b *Bus) Blobs() Store { return b.blobs }

// Scenes keeps page trees, in memory, for ConnectOptions.SceneTTL and up to
// 256 MiB; the oldest go first.
func (b *Bus) Scenes() Store { return b.scenes }

// PutJSON stores v as gzipped JSON, secrets redacted.
func PutJSON(ctx context.Context, s Store, v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", Errorf(GiveUp, CodeBadMessage, "cannot be encoded: %w", err)
	}
	if r, ok := s.(redacting); ok {
		data = r.redactJSON(data)
	}
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestSpeed)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(data); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return s.Put(ctx, z.Bytes())
}

// GetJSON reads what PutJSON stored into v.
func GetJSON(ctx context.Context, s Store, key string, v any) error {
	z, err := s.Get(ctx, key)
	if err != nil {
		return err
	}
	r, err := gzip.NewReader(bytes.NewReader(z))
	if err != nil {
		return Errorf(GiveUp, CodeBadMessage, "%s is not gzipped JSON: %w", key, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if err != nil {
		return Errorf(GiveUp, CodeBadMessage, "%s is damaged: %w", key, err)
	}
	if len(data) > maxUnpacked {
		return Errorf(GiveUp, CodeTooLarge, "%s unpacks to more than %d bytes", key, maxUnpacked)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return Errorf(GiveUp, CodeBadMessage, "%s is not the JSON expected: %w", key, err)
	}
	return nil
}

type redacting interface{ redactJSON([]byte) []byte }

func hashKey(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func checkKey(key string) error {
	if len(key) != 64 || !isToken(key) {
		return Errorf(GiveUp, CodeNotFound, "%q is not a key of a store", key)
	}
	return nil
}

func notFound(key string) *Error {
	return Errorf(GiveUp, CodeNotFound, "nothing is stored under %s (it may have expired)", key)
}

// blobStore is an object store: large things, in chunks, on disk.
type blobStore struct {
	b       *Bus
	objects jetstream.ObjectStore
}

func (s *blobStore) redactJSON(d []byte) []byte { return s.b.redact.JSON(d) }

func (s *blobStore) Put(ctx context.Context, data []byte) (string, error) {
	key := hashKey(data)
	if info, err := s.objects.GetInfo(ctx, key); err == nil && info.Size == uint64(len(data)) {
		return key, nil
	}
	if _, err := s.objects.Put(ctx, jetstream.ObjectMeta{Name: key}, bytes.NewReader(data)); err != nil {
		return "", storeError(err, "storing a blob")
	}
	return key, nil
}

func (s *blobStore) Get(ctx context.Context, key string) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	data, err := s.objects.GetBytes(ctx, key)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, notFound(key)
	}
	if err != nil {
		return nil, storeError(err, "reading blob "+key)
	}
	if hashKey(data) != key {
		return nil, Errorf(GiveUp, CodeStore, "blob %s is damaged", key)
	}
	return data, nil
}

const (
	sceneChunk   = 128 << 10
	headerChunks = "Quartet-Chunks"
)

// sceneStore is a memory stream with a message for each chunk; almost every
// tree is one chunk, so that a put and a get are one round trip each. An
// object store would refuse new entries when full; this one forgets old ones.
type sceneStore struct {
	b      *Bus
	stream jetstream.Stream
}

func (s *sceneStore) redactJSON(d []byte) []byte { return s.b.redact.JSON(d) }

func sceneSubject(key string, chunk int) string {
	return fmt.Sprintf("quartet.scene.%s.%d", key, chunk)
}

func (s *sceneStore) Put(ctx context.Context, data []byte) (string, error) {
	key := hashKey(data)
	n := max(1, (len(data)+sceneChunk-1)/sceneChunk)
	// The first chunk goes last: a reader who finds it finds the others too.
	for i := n - 1; i >= 0; i-- {
		m := nats.NewMsg(sceneSubject(key, i))
		m.Header.Set(headerChunks, strconv.Itoa(n))
		m.Data = data[i*sceneChunk : min(len(data), (i+1)*sceneChunk)]
		if _, err := s.b.js.PublishMsg(ctx, m); err != nil {
			return "", storeError(err, "storing a scene")
		}
	}
	return key, nil
}

func (s *sceneStore) Get(ctx context.Context, key string) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	var data []byte
	for i, n := 0, 1; i < n; i++ {
		m, err := s.stream.GetLastMsgForSubject(ctx, sceneSubject(key, i))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, notFound(key)
		}
		if err != nil {
			return nil, storeError(err, "reading scene "+key)
		}
		if i == 0 {
			if n, err = strconv.Atoi(m.Header.Get(headerChunks)); err != nil || n < 1 {
				return nil, Errorf(GiveUp, CodeStore, "scene %s is damaged", key)
			}
		}
		data = append(data, m.Data...)
	}
	if hashKey(data) != key {
		return nil, Errorf(GiveUp, CodeStore, "scene %s is damaged", key)
	}
	return data, nil
}
