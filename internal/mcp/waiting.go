package mcp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
)

const (
	maxWait = 60 * time.Second
	// waitFor is how long a text is waited for where no time is given.
	waitFor = 10 * time.Second
)

type waitArgs struct {
	Time     float64 `json:"time,omitempty" jsonschema:"seconds, at most 60; with a text, the longest that it is waited for (default 10)"`
	Text     string  `json:"text,omitempty" jsonschema:"wait until this text can be seen"`
	TextGone string  `json:"textGone,omitempty" jsonschema:"wait until this text cannot be seen any more"`
	hope
}

// waiting adds the tool that waits.
func (s *Server) waiting() {
	moving(s, &mcp.Tool{Name: "browser_wait_for", Description: "Wait until a text comes or goes, until what expect says is true, or for a time. That it did not come true is an error. Answers with the verdict and what changed."}, s.wait)
}

func (s *Server) wait(ctx context.Context, in waitArgs) (*reply, error) {
	limit := time.Duration(in.Time * float64(time.Second))
	if in.Time < 0 || limit > maxWait {
		return nil, fmt.Errorf("time %g: it is 0 to %g seconds", in.Time, maxWait.Seconds())
	}
	checks, err := in.checks()
	if err != nil {
		return nil, err
	}
	var what []string
	if in.Text != "" {
		checks = append(checks, seen(in.Text, false))
		what = append(what, fmt.Sprintf("until %q is seen", short(in.Text)))
	}
	if in.TextGone != "" {
		checks = append(checks, seen(in.TextGone, true))
		what = append(what, fmt.Sprintf("until %q is gone", short(in.TextGone)))
	}
	switch {
	case len(checks) == 0 && limit == 0:
		return nil, errNothing("browser_wait_for", "a time, a text, a textGone or an expect")
	case len(checks) == 0:
		what = append(what, "for "+limit.String())
	case limit == 0:
		limit = waitFor
	}
	i := bus.Intent{Action: bus.ActionWait, Value: strconv.FormatInt(limit.Milliseconds(), 10), Expect: checks, Text: "Wait " + strings.Join(what, " and "),
		Risk: bus.RiskRead, TimeoutMS: int((limit + 5*time.Second).Milliseconds())}
	return s.mustHold(ctx, i)
}

// seen is the check of a text anywhere on the page.
func seen(text string, gone bool) bus.Expect {
	e := bus.Expect{Kind: bus.ExpectVisible, Want: text, Text: fmt.Sprintf("%q is seen", short(text))}
	if gone {
		e.Kind, e.Text = bus.ExpectGone, fmt.Sprintf("%q is gone", short(text))
	}
	return e
}

// mustHold carries out an intent whose expectations are the whole of it: that
// they do not hold is an error.
func (s *Server) mustHold(ctx context.Context, i bus.Intent) (*reply, error) {
	out, tabs, err := s.do(ctx, i)
	if err != nil {
		return nil, err
	}
	r := s.begun(ctx, out)
	r.failed = r.failed || out.Verdict.Outcome != bus.Right
	s.ended(ctx, r, out, tabs)
	return r, nil
}
