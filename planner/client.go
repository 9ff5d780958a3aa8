package planner

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/config"
	"github.com/quartet-agents/quartet/internal/workflow"
)

// ClientOptions say what a client's run may do.
type ClientOptions struct {
	Run            string        // id of the run, unique in the journal
	Name           string        // of the client, for whoever reads the journal
	AllowedOrigins []string      // documents come from these alone; {"*"} is any
	Limits         config.Limits // StepSeconds alone counts
	Vision         string        // "never", "auto" or "always"
	Logger         *slog.Logger
}

// A Client is a run whose moves come from outside, one at a time: a program
// that reads the page and decides for itself, such as one that speaks MCP. Each
// move goes through the same gate as any planner's: prepare, attempt, act,
// receipt, verdict, all in the journal. It is safe for concurrent use; moves
// wait for each other, looks do not.
type Client struct {
	r *run

	moving sync.Mutex
	mu     sync.Mutex
	now    bus.Session // as it was after the last move
}

// NewClient begins a client's run: it writes the first entries of the journal
// and opens the browser session, with one blank tab. Close ends it.
func NewClient(ctx context.Context, b *bus.Bus, o ClientOptions) (*Client, error) {
	if err := validLimits(o.Limits); err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	w := &workflow.Workflow{Name: o.Name, AllowedOrigins: o.AllowedOrigins}
	data, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	c := &Client{r: &run{
		agent: &Agent{b: b, o: Options{Limits: o.Limits}}, b: b, id: o.Run, w: w, o: RunOptions{Vision: o.Vision},
		limits: o.Limits, tries: 1, client: true, log: o.Logger.With("run", o.Run),
	}}
	if err := c.r.own(ctx, bus.Submission{Run: o.Run, Name: o.Name, Workflow: data, Submitted: time.Now().UTC()}); err != nil {
		return nil, err
	}
	if err := c.r.open(ctx, ""); err != nil {
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	c.now = c.r.session
	return c, nil
}

// Session is the browser session as it was after the last move.
func (c *Client) Session() bus.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Do makes one move and returns its outcome. An error says that there is none:
// an agent is away, the browser is lost, the run was closed.
func (c *Client) Do(ctx context.Context, i bus.Intent) (*Outcome, error) {
	c.moving.Lock()
	defer c.moving.Unlock()
	out, err := c.r.carry(ctx, i)
	c.mu.Lock()
	c.now = c.r.session
	c.mu.Unlock()
	return out, err
}

// Lost tells, after an error, whether the run's browser is gone: nothing more can
// be done in this run but to close it. It looks at the page to find out.
func (c *Client) Lost(ctx context.Context, err error) bool {
	if isBrowserLost(err) {
		return true
	}
	c.moving.Lock()
	defer c.moving.Unlock()
	lost, lerr := c.r.browserLost(ctx)
	return lost && lerr == nil
}

// Note writes a line for whoever reads the journal.
func (c *Client) Note(ctx context.Context, text string) error {
	c.moving.Lock()
	defer c.moving.Unlock()
	return c.r.append(ctx, bus.EventNote, bus.Note{Text: text})
}

// Close ends the run as closed and its browser session. Nobody claimed that
// anything was done, so nothing is checked.
func (c *Client) Close(ctx context.Context) error {
	c.moving.Lock()
	defer c.moving.Unlock()
	state, err := c.r.b.Journal().State(ctx, c.r.id)
	if err != nil {
		return err
	}
	if state.Finished == nil {
		err = c.r.append(ctx, bus.EventFinished, unsettled(bus.Finished{Status: bus.Closed, Reason: "its client ended"}, state))
	}
	return errors.Join(err, c.r.close(ctx))
}
