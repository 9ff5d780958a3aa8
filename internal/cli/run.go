package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quartet-agents/quartet/internal/demo"
	"github.com/quartet-agents/quartet/internal/workflow"
)

func (a *app) runCmd() *cobra.Command {
	var o struct {
		vars                          []string
		demo                          bool
		browser                       browserFlags
		vision, model, envFile, store string
	}
	c := &cobra.Command{
		Use: "run FILE", Short: "Run a workflow", Args: exactArgs(1, "one workflow file"),
		Long: "Run a workflow to its end, with a line for each step as it is judged, and write\n" +
			"a report. Without nats.url everything runs in this process; with it the agents\n" +
			"elsewhere do the work and this command watches.",
		Example: "  quartet run --demo examples/workflows/add-seat.yaml\n" +
			"  quartet run --var customer=\"Acme GmbH\" my-workflow.yaml",
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.browser.apply(&a.config); err != nil {
				return err
			}
			for flag, to := range map[string]struct{ v, dst *string }{
				"vision": {&o.vision, &a.config.Vision}, "model": {&o.model, &a.config.Models.Planner}, "env-file": {&o.envFile, &a.config.EnvFile}} {
				if c.Flags().Changed(flag) {
					*to.dst = *to.v
				}
			}
			if err := a.config.Validate(); err != nil {
				return usageErr(err)
			}
			vars, err := parseVars(o.vars)
			if err != nil {
				return err
			}
			if o.demo {
				d, err := a.startDemo(c.Context(), args[0], vars)
				if err != nil {
					return err
				}
				defer d.Close()
			}
			j, err := a.load(args[0], vars)
			if err != nil {
				return err
			}
			return a.execute(c.Context(), j, false)
		},
	}
	c.Flags().StringArrayVar(&o.vars, "var", nil, "set a variable of the workflow, NAME=VALUE (repeatable)")
	c.Flags().BoolVar(&o.demo, "demo", false, "start the demo back office for this run, and set the variables demo and pay to its addresses")
	o.browser.add(c.Flags())
	c.Flags().StringVar(&o.vision, "vision", "", "never, auto or always look at pixels")
	c.Flags().StringVar(&o.model, "model", "", "provider/model for a workflow with a goal")
	c.Flags().StringVar(&o.envFile, "env-file", "", "file with secrets, NAME=VALUE a line (default: .env beside the workflow)")
	return c
}

func parseVars(list []string) (map[string]string, error) {
	vars := map[string]string{}
	for _, kv := range list {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, usagef("--var %q: want NAME=VALUE", kv)
		}
		vars[k] = v
	}
	return vars, nil
}

// startDemo serves the demo on free ports and points the workflow's variables
// demo and pay at it, unless the caller has set them.
func (a *app) startDemo(ctx context.Context, path string, vars map[string]string) (*demo.Server, error) {
	d, err := demo.Start(ctx, demo.Options{Addr: "127.0.0.1:0", PayAddr: "127.0.0.1:0"})
	if err != nil {
		return nil, envErr(err)
	}
	w, err := workflow.Load(path, workflow.Overrides{})
	if err != nil {
		d.Close()
		return nil, usageErr(err)
	}
	for name, url := range map[string]string{"demo": d.URL(), "pay": d.PayURL()} {
		if _, has := w.Vars[name]; !has {
			continue
		}
		if _, set := vars[name]; !set {
			vars[name] = url
		}
	}
	return d, nil
}

// execute runs a job to its end: in this process, or by the agents at nats.url.
func (a *app) execute(ctx context.Context, j *job, resume bool) error {
	if err := os.MkdirAll(j.run, 0o755); err != nil {
		return envf("the runs folder: %v; set runs to a folder that can be written", err)
	}
	keep := resume
	defer func() {
		if !keep {
			os.RemoveAll(j.run) // nothing happened that a report could tell
		}
	}()
	if err := checkSpace(j.run); err != nil {
		return envErr(err)
	}
	so := stackOptions{secrets: j.secrets, names: j.w.Secrets, runs: 1}
	if a.config.NATS.URL == "" {
		so.agents, so.store, so.files = agentNames, a.store(j), j.dir
		if a.config.Browser.Endpoint == "" {
			if err := reachable(ctx, j.w.Start); err != nil {
				return err
			}
		}
	}
	s, err := a.start(ctx, so)
	if err != nil {
		return err
	}
	defer s.stop()
	if resume {
		err = j.resubmit(ctx, s.bus)
	} else {
		err = j.submit(ctx, s.bus, a.config.Vision)
	}
	if err != nil {
		return envErr(err)
	}
	keep = true
	return a.follow(ctx, s.bus, j)
}

// store is where the journal of a run in this process lives.
func (a *app) store(j *job) string {
	if a.config.NATS.Store != "" {
		return a.config.NATS.Store
	}
	return filepath.Join(j.run, "journal")
}

// errInterrupted is how a run ends for whoever pressed Ctrl-C.
func errInterrupted(id string) error {
	return &exitError{code: exitPerson, err: fmt.Errorf("interrupted; go on with: quartet resume %s", id)}
}

func interrupted(ctx context.Context, err error) bool {
	return errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, context.Canceled)
}
