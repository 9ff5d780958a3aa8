package bus

import (
	"container/list"
	"context"
	"sync"

	"github.com/nats-io/nuid"
)

// maxNear bounds the weight of the scenes that are kept as values, in nodes;
// minNear are kept whatever they weigh.
const (
	maxNear = 600_000
	minNear = 8
)

// PutScene keeps a scene and returns its key in Scenes. weight is its size in
// nodes. Where no other process can be connected the value itself is kept, not
// its encoding: GetScene then returns the same pointer, and nobody may change
// what it points to any more. Values kept like this share what did not change
// between them, so that a scene costs what has changed.
func PutScene[T any](ctx context.Context, b *Bus, scene *T, weight int) (string, error) {
	if b.near != nil {
		key := hashKey([]byte(nuid.Next()))
		b.near.put(key, scene, weight)
		return key, nil
	}
	return PutJSON(ctx, b.Scenes(), scene)
}

// GetScene returns what PutScene kept; it must not be changed. An unknown or
// expired key is an error with CodeNotFound.
func GetScene[T any](ctx context.Context, b *Bus, key string) (*T, error) {
	if b.near != nil {
		if v, ok := b.near.get(key); ok {
			if scene, ok := v.(*T); ok {
				return scene, nil
			}
		}
	}
	scene := new(T)
	err := GetJSON(ctx, b.Scenes(), key, scene)
	if err != nil && AsError(err).Code == CodeNotFound {
		scene = new(T)
		err = GetJSON(ctx, b.Blobs(), key, scene)
	}
	return scene, err
}

// KeepScene keeps a scene on disk as well, beyond the end of this process and
// of the time for which scenes are kept; it returns the key under which
// GetScene finds it then.
func KeepScene(ctx context.Context, b *Bus, key string) (string, error) {
	if b.near != nil {
		if v, ok := b.near.get(key); ok {
			kept, err := PutJSON(ctx, b.Blobs(), v)
			if err == nil {
				b.near.put(kept, v, 0)
			}
			return kept, err
		}
	}
	data, err := b.Scenes().Get(ctx, key)
	if err != nil {
		return "", err
	}
	return b.Blobs().Put(ctx, data)
}

// nearScenes are scenes as values, the latest first; the oldest go when they
// are too heavy together. It is safe for concurrent use.
type nearScenes struct {
	mu     sync.Mutex
	order  *list.List // of *nearScene
	byKey  map[string]*list.Element
	weight int
}

type nearScene struct {
	key    string
	value  any
	weight int
}

func newNearScenes() *nearScenes {
	return &nearScenes{order: list.New(), byKey: map[string]*list.Element{}}
}

func (s *nearScenes) put(key string, value any, weight int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byKey[key] = s.order.PushFront(&nearScene{key, value, weight})
	s.weight += weight
	for s.weight > maxNear && s.order.Len() > minNear {
		last := s.order.Remove(s.order.Back()).(*nearScene)
		delete(s.byKey, last.key)
		s.weight -= last.weight
	}
}

func (s *nearScenes) get(key string) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byKey[key]
	if !ok {
		return nil, false
	}
	s.order.MoveToFront(e)
	return e.Value.(*nearScene).value, true
}
