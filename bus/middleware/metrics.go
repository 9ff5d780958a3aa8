package middleware

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// Metrics counts calls by verb and keeps their durations. It is safe for
// concurrent use; the zero value is ready. One Metrics may sit on both sides
// of a process: the sides are counted apart.
type Metrics struct {
	mu    sync.Mutex
	verbs map[metricKey]*series
}

type metricKey struct {
	verb    string
	serving bool
}

// series keeps a ring of the newest durations, enough for percentiles.
type series struct {
	calls, errors uint64
	bytesIn       uint64
	bytesOut      uint64
	recent        []time.Duration
	next          int
}

const recentDurations = 1024

// A Metric is what is known of one verb on one side. Percentiles are over the
// newest 1024 calls; times are in milliseconds.
type Metric struct {
	Verb     string  `json:"verb"`
	Agent    string  `json:"agent"`
	Serving  bool    `json:"serving"`
	Calls    uint64  `json:"calls"`
	Errors   uint64  `json:"errors"`
	BytesIn  uint64  `json:"bytes_in"`
	BytesOut uint64  `json:"bytes_out"`
	P50      float64 `json:"p50_ms"`
	P99      float64 `json:"p99_ms"`
}

// Middleware counts the calls of one side.
func (x *Metrics) Middleware(serving bool) Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (*Message, error) {
			start := time.Now()
			r, err := next(ctx, m)
			reply := 0
			if r != nil {
				reply = len(r.Data)
			}
			in, out := reply, len(m.Data)
			if serving {
				in, out = out, in
			}
			x.add(metricKey{m.Verb, serving}, time.Since(start), err, in, out)
			return r, err
		}
	}
}

func (x *Metrics) add(k metricKey, d time.Duration, err error, in, out int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.verbs == nil {
		x.verbs = map[metricKey]*series{}
	}
	s := x.verbs[k]
	if s == nil {
		s = &series{}
		x.verbs[k] = s
	}
	s.calls++
	if err != nil {
		s.errors++
	}
	s.bytesIn += uint64(in)
	s.bytesOut += uint64(out)
	if len(s.recent) < recentDurations {
		s.recent = append(s.recent, d)
		return
	}
	s.recent[s.next] = d
	s.next = (s.next + 1) % recentDurations
}

// Snapshot returns what was counted so far, ordered by verb.
func (x *Metrics) Snapshot() []Metric {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []Metric
	for k, s := range x.verbs {
		d := slices.Sorted(slices.Values(s.recent))
		out = append(out, Metric{
			Verb: k.verb, Agent: agentOf(k.verb), Serving: k.serving,
			Calls: s.calls, Errors: s.errors, BytesIn: s.bytesIn, BytesOut: s.bytesOut,
			P50: percentile(d, 0.50), P99: percentile(d, 0.99),
		})
	}
	slices.SortFunc(out, func(a, b Metric) int {
		if a.Verb != b.Verb {
			if a.Verb < b.Verb {
				return -1
			}
			return 1
		}
		if a.Serving == b.Serving {
			return 0
		}
		if b.Serving {
			return -1
		}
		return 1
	})
	return out
}

// percentile takes sorted durations; nearest rank, in milliseconds.
func percentile(d []time.Duration, p float64) float64 {
	if len(d) == 0 {
		return 0
	}
	i := int(math.Ceil(p*float64(len(d)))) - 1
	return float64(d[max(0, i)].Microseconds()) / 1000
}
