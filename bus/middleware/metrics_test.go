package middleware

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

func TestMetrics(t *testing.T) {
	var m Metrics
	if m.Snapshot() != nil {
		t.Error("nothing counted, something there")
	}
	fail := errors.New("x")
	h := m.Middleware(false)(func(_ context.Context, msg *Message) (*Message, error) {
		if msg.Node == "fail" {
			return nil, fail
		}
		return &Message{Data: make([]byte, 7)}, nil
	})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			node := ""
			if i%4 == 0 {
				node = "fail"
			}
			_, _ = h(t.Context(), &Message{Verb: "actor.act", Node: node, Data: make([]byte, 3)}) // a quarter fails
		})
	}
	wg.Wait()
	_, _ = m.Middleware(true)(h)(t.Context(), &Message{Verb: "actor.act", Data: make([]byte, 3)}) // counted on both sides
	got := m.Snapshot()
	if len(got) != 2 {
		t.Fatalf("metrics are %+v", got)
	}
	c, s := got[0], got[1]
	if c.Verb != "actor.act" || c.Agent != "actor" || c.Serving || c.Calls != 41 || c.Errors != 10 || c.BytesOut != 41*3 || c.BytesIn != 31*7 {
		t.Errorf("calling side: %+v", c)
	}
	if !s.Serving || s.Calls != 1 || s.BytesIn != 3 || s.BytesOut != 7 {
		t.Errorf("serving side: %+v", s)
	}
}

func TestPercentiles(t *testing.T) {
	var m Metrics
	for i := range 2000 { // only the newest 1024 count: 976 … 1999 ms
		m.add(metricKey{"v.x", false}, time.Duration(i)*time.Millisecond, nil, 0, 0)
	}
	got := m.Snapshot()[0]
	if got.Calls != 2000 || got.P50 != 976+511 || got.P99 != 976+1013 {
		t.Errorf("metrics are %+v", got)
	}
}
