package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds what is read of one answer.
const maxAnswer = 8 << 20

// A record is what the transport saw of one call. It travels by context,
// because langchaingo's openai client destroys typed errors.
type record struct {
	status int
	after  time.Duration
	body   []byte
	err    error
}

type (
	recordKey   struct{}
	mustCallKey struct{}
)

// withMustCall carries a forced tool call to the transport, for the provider
// whose langchaingo client ignores the option.
func withMustCall(ctx context.Context, must bool) context.Context {
	return context.WithValue(ctx, mustCallKey{}, must)
}

// message is the provider's own words about a failure.
func (r *record) message() string {
	if r.status < 400 {
		return ""
	}
	var m struct {
		Error struct {
			Message string `json:"message"`
			Type    string `json:"type"`
			Code    any    `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(r.body, &m) == nil && m.Error.Message != "" {
		words := m.Error.Message
		if code, ok := m.Error.Code.(string); ok {
			words += " (" + code + ")"
		}
		return words
	}
	text := strings.TrimSpace(string(r.body))
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return text
}

// A transport mends requests on the wire and records answers.
type transport struct {
	base http.RoundTripper
	mend func(body map[string]any)
}

// RoundTrip never returns an error with a type that matters: the record does.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	rec, _ := req.Context().Value(recordKey{}).(*record)
	if rec == nil {
		rec = &record{}
	}
	req = req.Clone(req.Context())
	if req.Body != nil {
		raw, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		var body map[string]any
		if json.Unmarshal(raw, &body) == nil {
			t.mend(body)
			if must, _ := req.Context().Value(mustCallKey{}).(bool); must {
				body["tool_choice"] = map[string]any{"type": "any"}
			}
			if raw, err = json.Marshal(body); err != nil {
				return nil, err
			}
		}
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	}
	res, err := t.base.RoundTrip(req)
	if err != nil {
		rec.err = err
		return nil, err
	}
	rec.status, rec.after = res.StatusCode, retryAfter(res.Header, time.Now())
	rec.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	res.Body.Close()
	if err != nil {
		rec.err, rec.status = err, 0
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(rec.body))
	return res, nil
}

// retryAfter reads Retry-After (seconds or an HTTP date, RFC 9110 10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := h.Get("Retry-After")
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// withRecord returns a context whose calls are recorded in rec.
func withRecord(ctx context.Context, rec *record) context.Context {
	return context.WithValue(ctx, recordKey{}, rec)
}
