package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/report"
	"github.com/quartet-agents/quartet/internal/workflow"
)

func (a *app) resumeCmd() *cobra.Command {
	return &cobra.Command{
		Use: "resume RUN", Short: "Go on with a run that was interrupted", Args: exactArgs(1, "the id of a run"),
		Long: "Go on with a run whose process ended before it did. What an attempt that was\n" +
			"open did is found out by observation; an irreversible one is never repeated\n" +
			"blindly, and asks a person where the page does not tell.",
		RunE: func(c *cobra.Command, args []string) error {
			j, err := a.begun(c.Context(), args[0])
			if err != nil {
				return err
			}
			return a.execute(c.Context(), j, true)
		},
	}
}

// begun finds a run that was submitted before: its workflow as it was then.
func (a *app) begun(ctx context.Context, id string) (*job, error) {
	j := &job{id: id, run: filepath.Join(a.config.Runs, id)}
	state, err := a.runState(ctx, id, j)
	if err != nil {
		return nil, err
	}
	if state.Finished != nil {
		return nil, usagef("run %s is finished (%s). Its report says where it stands; a new run starts from the beginning, and does again what this one has done", id, state.Finished.Status)
	}
	if state.Events == 0 {
		return nil, usagef("run %s was not begun; run its workflow instead", id)
	}
	j.w = &workflow.Workflow{}
	if err := json.Unmarshal(state.Submission.Workflow, j.w); err != nil {
		return nil, usagef("run %s: its workflow does not decode: %v", id, err)
	}
	j.dir = state.Submission.Dir
	j.submission = state.Submission
	if j.secrets, err = a.secrets(j.dir); err != nil {
		return nil, err
	}
	return j, nil
}

// resubmit queues the run again, as it was submitted.
func (j *job) resubmit(ctx context.Context, b *bus.Bus) error {
	s := j.submission
	s.Resume = true
	return b.Submit(ctx, s)
}

// runState reads a run from the journal that holds it: at nats.url, or in the
// run's own folder.
func (a *app) runState(ctx context.Context, id string, j *job) (*bus.RunState, error) {
	o := stackOptions{}
	if a.config.NATS.URL == "" {
		o.store = a.store(j)
		if _, err := os.Stat(o.store); errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("there is no run %s in %s; see quartet runs list", id, a.config.Runs)
		}
	}
	s, err := a.start(ctx, o)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	state, err := s.bus.Journal().State(ctx, id)
	if err != nil {
		return nil, envErr(err)
	}
	return state, nil
}

func (a *app) runsCmd() *cobra.Command {
	c := &cobra.Command{Use: "runs", Short: "List runs, show one", Args: cobra.ArbitraryArgs, RunE: verbs}
	c.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the runs, newest first", Args: noArgs,
			RunE: func(c *cobra.Command, _ []string) error { return a.listRuns(c.Context()) },
		},
		&cobra.Command{
			Use: "show RUN", Short: "Show the steps and the end of a run", Args: exactArgs(1, "the id of a run"),
			RunE: func(c *cobra.Command, args []string) error { return a.showRun(c.Context(), args[0]) },
		})
	return c
}

func (a *app) listRuns(ctx context.Context) error {
	list, err := a.summaries(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(x, y bus.RunSummary) int { return cmp.Or(y.Started.Compare(x.Started), cmp.Compare(x.Run, y.Run)) })
	if a.json {
		return a.printJSON(list)
	}
	if len(list) == 0 {
		a.printf("no runs\n")
	}
	for _, r := range list {
		status := string(r.Status)
		if status == "" {
			status = "unfinished"
		}
		a.printf("%-48s %-12s %s  %s\n", r.Run, status, ago(r.Started), oneLine(r.Reason, 80))
	}
	return nil
}

// summaries lists the runs of the journal at nats.url, or those in the folder.
func (a *app) summaries(ctx context.Context) ([]bus.RunSummary, error) {
	if a.config.NATS.URL != "" {
		s, err := a.start(ctx, stackOptions{})
		if err != nil {
			return nil, err
		}
		defer s.stop()
		list, err := s.bus.Journal().Runs(ctx)
		if err != nil {
			return nil, envErr(err)
		}
		return list, nil
	}
	dirs, err := filepath.Glob(filepath.Join(a.config.Runs, "*", "events.jsonl"))
	if err != nil {
		return nil, usageErr(err)
	}
	list := []bus.RunSummary{}
	for _, path := range dirs {
		state, err := report.Load(filepath.Dir(path))
		if err != nil {
			a.log.Warn("cli: a run cannot be read", "path", path, "error", err)
			continue
		}
		r := bus.RunSummary{Run: state.Run, Name: state.Submission.Name, Events: uint64(state.Events), Started: state.Started, Updated: state.Updated}
		if f := state.Finished; f != nil {
			r.Status, r.Reason = f.Status, f.Reason
		}
		list = append(list, r)
	}
	return list, nil
}

func (a *app) showRun(ctx context.Context, id string) error {
	var state *bus.RunState
	var err error
	dir := filepath.Join(a.config.Runs, id)
	if a.config.NATS.URL != "" {
		state, err = a.runState(ctx, id, &job{id: id, run: dir})
	} else if state, err = report.Load(dir); errors.Is(err, fs.ErrNotExist) {
		err = usagef("there is no run %s in %s; see quartet runs list", id, a.config.Runs)
	}
	if err != nil {
		return err
	}
	if state.Events == 0 {
		return usagef("there is no run %s; see quartet runs list", id)
	}
	if a.json {
		return a.printJSON(state)
	}
	a.printf("%s: %s, begun %s, took %s\n\n", state.Run, state.Submission.Name, ago(state.Started), state.Updated.Sub(state.Started).Round(100*time.Millisecond))
	for _, i := range state.Intents {
		if i.Skipped != nil {
			a.printf("  -  skipped                %s\n", oneLine(i.Intent.Text, 90))
		}
		for _, at := range i.Attempts {
			if at.Verdict != nil {
				a.printf("%s\n", stepLine(i, at))
			}
		}
	}
	if state.Finished == nil {
		a.printf("\nunfinished; go on with: quartet resume %s\n", id)
		return nil
	}
	a.printf("\n%s: %s\n", state.Finished.Status, state.Finished.Reason)
	if path := filepath.Join(dir, "report.html"); a.config.NATS.URL == "" {
		a.printf("report: %s\n", path)
	}
	return nil
}
