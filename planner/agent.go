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
	"github.com/quartet-agents/quartet/internal/llm"
	"github.com/quartet-agents/quartet/internal/workflow"
)

// Options configure the planner agent.
type Options struct {
	// Limits are used where a workflow sets none.
	Limits config.Limits
	// Model is asked for workflows with a goal; nil where none is configured.
	Model llm.Model
	// ObservationTokens is the budget of one observation for the model.
	ObservationTokens int
	// Grace is how long, after Stop, an attempt under way may take to come to its
	// verdict before its run is given back; 0 means no time.
	Grace time.Duration
	// Runs is how many runs are driven at once; 0 means 1.
	Runs   int
	Logger *slog.Logger
}

// RunOptions are a run's own settings, in its submission.
type RunOptions struct {
	// Vision is "never", "auto" or "always" (DESIGN 2.5).
	Vision string `json:"vision,omitempty"`
	// Files are the files that the workflow uploads: path as the workflow
	// writes it → key in the blob store.
	Files map[string]string `json:"files,omitempty"`
}

// An Agent takes runs from the queue and drives them.
type Agent struct {
	b    *bus.Bus
	o    Options
	log  *slog.Logger
	stop context.CancelFunc
	done sync.WaitGroup
}

// New returns an agent that is not started.
func New(b *bus.Bus, o Options) (*Agent, error) {
	if err := validLimits(o.Limits); err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Agent{b: b, o: o, log: o.Logger.With("agent", "planner")}, nil
}

// Start begins to take runs, in the background, until Stop.
func (a *Agent) Start(ctx context.Context) error {
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	a.done.Go(func() {
		err := a.b.Work(ctx, a.drive, bus.WithRuns(max(1, a.o.Runs)), bus.WithDead(a.bury))
		if err != nil && ctx.Err() == nil {
			a.log.Error("planner: the queue of runs is lost", "error", err)
		}
	})
	return nil
}

// Stop gives unfinished runs back to the queue, after Grace, and waits for them.
func (a *Agent) Stop(context.Context) error {
	if a.stop != nil {
		a.stop()
	}
	a.done.Wait()
	return nil
}

// drive owns one run until it is finished, fenced off or given back.
func (a *Agent) drive(ctx context.Context, s bus.Submission) error {
	var w workflow.Workflow
	if err := json.Unmarshal(s.Workflow, &w); err != nil {
		return bus.Errorf(bus.GiveUp, bus.CodeBadMessage, "run %s: the workflow does not decode: %w", s.Run, err)
	}
	var ro RunOptions
	if len(s.Options) > 0 {
		if err := json.Unmarshal(s.Options, &ro); err != nil {
			return bus.Errorf(bus.GiveUp, bus.CodeBadMessage, "run %s: the options do not decode: %w", s.Run, err)
		}
	}
	r := &run{agent: a, b: a.b, id: s.Run, w: &w, o: ro, limits: mergeLimits(a.o.Limits, w.Limits), tries: maxTries, log: a.log.With("run", s.Run)}
	err := r.drive(ctx, s)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bus.ErrFenced):
		r.log.Info("planner: another planner owns the run now")
		return err // the queue leaves the run to it
	case errors.Is(err, bus.ErrFinished):
		return nil
	}
	return err
}
