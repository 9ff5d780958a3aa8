package bus

import (
	"context"
	"testing"
)

type scene struct{ Words string }

// TestScenesStayValues: where nobody else can be connected a scene is the same
// value for all; with a port it is stored, so that another process finds it.
func TestScenesStayValues(t *testing.T) {
	for _, test := range []struct {
		listen string
		same   bool
	}{{"", true}, {"127.0.0.1:-1", false}} {
		ctx := context.Background()
		srv, err := StartServer(ServerOptions{StoreDir: t.TempDir(), Listen: test.listen})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(srv.Close)
		b, err := Connect(ctx, ConnectOptions{Server: srv})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		in := &scene{"hello"}
		key, err := PutScene(ctx, b, in, 1)
		if err != nil {
			t.Fatal(err)
		}
		out, err := GetScene[scene](ctx, b, key)
		if err != nil || out.Words != "hello" || (out == in) != test.same {
			t.Errorf("listen %q: %v, %v; the same value %v, want %v", test.listen, out, err, out == in, test.same)
		}
		_, err = GetScene[scene](ctx, b, hashKey([]byte("never kept")))
		wantCode(t, err, CodeNotFound, GiveUp)
	}
}

// TestNearScenesAreBounded: the oldest go when they weigh too much, but a few stay.
func TestNearScenesAreBounded(t *testing.T) {
	s := newNearScenes()
	for i := range 30 {
		s.put(string(rune('a'+i)), i, maxNear/10)
	}
	if _, old := s.get("a"); old || s.weight > maxNear {
		t.Errorf("the oldest is kept; weight %d of %d", s.weight, maxNear)
	}
	for i := range minNear {
		s.put("heavy"+string(rune('a'+i)), i, maxNear)
	}
	if _, ok := s.get("heavya"); !ok || s.order.Len() != minNear {
		t.Errorf("%d scenes are kept, want %d", s.order.Len(), minNear)
	}
}
