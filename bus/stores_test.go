package bus

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestStores(t *testing.T) {
	srv := testServer(t, "127.0.0.1:-1")
	b := testBus(t, ConnectOptions{Server: srv})
	far := testBus(t, ConnectOptions{URL: srv.ClientURL()})
	ctx := t.Context()
	r := rand.NewChaCha8([32]byte{1})
	for name, s := range map[string][2]Store{"blobs": {b.Blobs(), far.Blobs()}, "scenes": {b.Scenes(), far.Scenes()}} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 1, sceneChunk - 1, sceneChunk, sceneChunk + 1, 3<<20 + 17} {
				data := make([]byte, n)
				_, _ = r.Read(data) // never fails
				key, err := s[0].Put(ctx, data)
				if err != nil {
					t.Fatal(n, err)
				}
				again, err := s[1].Put(ctx, data)
				if err != nil || again != key {
					t.Errorf("the same content has keys %s and %s, %v", key, again, err)
				}
				got, err := s[1].Get(ctx, key)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%d bytes came back as %d, %v", n, len(got), err)
				}
			}
			_, err := s[0].Get(ctx, strings.Repeat("0", 64))
			wantCode(t, err, CodeNotFound, GiveUp)
			_, err = s[0].Get(ctx, "../x")
			wantCode(t, err, CodeNotFound, GiveUp)
			type tree struct{ Text []string }
			in := tree{[]string{"Größe", strings.Repeat("x", 1<<20)}}
			key, err := PutJSON(ctx, s[0], in)
			if err != nil {
				t.Fatal(err)
			}
			var out tree
			if err := GetJSON(ctx, s[1], key, &out); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(in, out); d != "" {
				t.Error(d)
			}
			raw, err := s[0].Put(ctx, []byte("not gzip"))
			if err != nil {
				t.Fatal(err)
			}
			wantCode(t, GetJSON(ctx, s[0], raw, &out), CodeBadMessage, GiveUp)
		})
	}
}

func TestScenesExpire(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, ""), SceneTTL: 300 * time.Millisecond})
	key, err := b.Scenes().Put(t.Context(), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the scene is gone", func() bool {
		_, err := b.Scenes().Get(t.Context(), key)
		return errors.Is(err, &Error{Code: CodeNotFound})
	})
}

func TestSessionState(t *testing.T) {
	srv := testServer(t, "")
	ctx := t.Context()
	b := testBus(t, ConnectOptions{Server: srv})
	if d, err := b.GetSessionState(ctx, "s1", "refs"); d != nil || err != nil {
		t.Errorf("an unknown session has %q, %v", d, err)
	}
	// Eight processes reserve numbers; none may be lost or given twice.
	var wg sync.WaitGroup
	var mu sync.Mutex
	taken := map[uint64]bool{}
	for range 8 {
		p := testBus(t, ConnectOptions{Server: srv})
		wg.Go(func() {
			for range 10 {
				var mine uint64
				err := p.UpdateSessionState(ctx, "s1", "refs", func(old []byte) ([]byte, error) {
					mine = 0
					if old != nil {
						mine = binary.BigEndian.Uint64(old)
					}
					return binary.BigEndian.AppendUint64(nil, mine+1), nil
				})
				mu.Lock()
				if err != nil || taken[mine] {
					t.Errorf("number %d was given before, or %v", mine, err)
				}
				taken[mine] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(taken) != 80 {
		t.Errorf("%d numbers were given, want 80", len(taken))
	}
	stop := errors.New("stop")
	if err := b.UpdateSessionState(ctx, "s1", "refs", func([]byte) ([]byte, error) { return nil, stop }); !errors.Is(err, stop) {
		t.Errorf("update's error arrives as %v", err)
	}
	if err := b.PutSessionState(ctx, "s1", "receipt.i7.1", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	// Of those who create one only the first does, and who read it before it was
	// changed is told so.
	early, err := b.ReadSessionState(ctx, "s1", "once")
	if err != nil {
		t.Fatal(err)
	}
	if old, err := b.CreateSessionState(ctx, "s1", "once", []byte(`1`)); old != nil || err != nil {
		t.Errorf("created in place of %q: %v", old, err)
	}
	if old, err := b.CreateSessionState(ctx, "s1", "once", []byte(`2`)); string(old) != "1" || err != nil {
		t.Errorf("created again in place of %q: %v", old, err)
	}
	if moved, err := early.Replace(ctx, []byte(`3`)); !moved || err != nil {
		t.Errorf("what was read too early was replaced: %v, %v", moved, err)
	}
	if d, err := b.GetSessionState(ctx, "s1", "once"); string(d) != "1" || err != nil {
		t.Errorf("once holds %q: %v", d, err)
	}
	if err := b.UpdateSessionState(ctx, "s2", "refs", func([]byte) ([]byte, error) { return []byte(`1`), nil }); err != nil {
		t.Fatal(err)
	}
	if d, err := b.GetSessionState(ctx, "s1", "receipt.i7.1"); err != nil || string(d) != "{}" {
		t.Errorf("the receipt is %q, %v", d, err)
	}
	if err := b.DropSessionState(ctx, "s1"); err != nil {
		t.Fatal(err)
	}
	if d, err := b.GetSessionState(ctx, "s1", "refs"); d != nil || err != nil {
		t.Errorf("after the drop there is %q, %v", d, err)
	}
	if d, err := b.GetSessionState(ctx, "s2", "refs"); string(d) != "1" || err != nil {
		t.Errorf("another session lost its state: %q, %v", d, err)
	}
	for _, k := range []string{"", "a b", "a..b", "*", "x.>"} {
		if _, err := b.GetSessionState(ctx, "s1", k); !errors.Is(err, &Error{Code: CodeBadArgument}) {
			t.Errorf("key %q gives %v", k, err)
		}
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.UpdateSessionState(done, "s1", "refs", func([]byte) ([]byte, error) { return []byte(`1`), nil }); err == nil {
		t.Error("an update with an ended context succeeds")
	}
}
