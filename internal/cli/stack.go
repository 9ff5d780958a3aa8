package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/quartet-agents/quartet/actor"
	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/bus/middleware"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/llm"
	"github.com/quartet-agents/quartet/internal/secret"
	"github.com/quartet-agents/quartet/observer"
	"github.com/quartet-agents/quartet/observer/page"
	"github.com/quartet-agents/quartet/planner"
	"github.com/quartet-agents/quartet/verifier"
	"github.com/quartet-agents/quartet/vision"
)

// agentNames are the agents in the order in which they are started; they are
// stopped the other way round, the planner first.
var agentNames = []string{"observer", "actor", "verifier", "vision", "planner"}

// stopGrace is how long an attempt under way may take to come to its verdict
// when the command is told to end: 5 s are the most that all of it may take.
const stopGrace = 2500 * time.Millisecond

// A service is an agent as the stack sees it.
type service interface {
	Start(context.Context) error
	Stop(context.Context) error
}

// A stack is what one process runs: a bus, perhaps with its server, perhaps a
// browser, and some or all of the agents.
type stack struct {
	server   *bus.Server
	bus      *bus.Bus
	pool     *browser.Pool
	services []service
	log      *slog.Logger
}

// stackOptions say what a stack has.
type stackOptions struct {
	store   string // folder of an embedded server; "" connects to nats.url
	agents  []string
	secrets secret.Source
	names   []string // of the secrets in use, for redaction
	files   string   // folder that uploads may come from
	runs    int      // how many runs the planner drives at once
}

// needsBrowser says whether one of the agents touches or reads pages.
func (o stackOptions) needsBrowser() bool {
	return slices.ContainsFunc(o.agents, func(name string) bool { return name != "planner" && name != "verifier" })
}

// start puts a stack together. On an error nothing of it is left.
func (a *app) start(ctx context.Context, o stackOptions) (s *stack, err error) {
	s = &stack{log: a.log}
	defer func() {
		if err != nil {
			err = envErr(errors.Join(err, s.stop()))
			s = nil
		}
	}()
	node := fmt.Sprintf("%s-%d", hostName(), os.Getpid())
	// The browser takes longest: it starts while the bus does.
	browserUp := make(chan error, 1)
	if o.needsBrowser() {
		if s.pool, err = a.newPool(node); err != nil {
			return s, err
		}
		go func() { browserUp <- s.pool.Start(ctx) }()
	} else {
		browserUp <- nil
	}
	redactor := middleware.NewRedactor()
	for _, name := range o.names {
		if v, ok := o.secrets(name); ok {
			redactor.Add(name, v)
		}
	}
	co := bus.ConnectOptions{URL: a.config.NATS.URL, Name: "quartet", Node: node, Logger: a.log, Redactor: redactor, Patience: 5 * time.Second}
	if o.store != "" {
		if s.server, err = bus.StartServer(bus.ServerOptions{StoreDir: o.store}); err != nil {
			return s, err
		}
		co.URL, co.Server = "", s.server
	}
	if s.bus, err = bus.Connect(ctx, co); err != nil {
		return s, err
	}
	if err = <-browserUp; err != nil {
		return s, err
	}
	for _, name := range o.agents {
		svc, err := a.agent(s, name, o)
		if err != nil {
			return s, err
		}
		if err := svc.Start(ctx); err != nil {
			return s, fmt.Errorf("the %s did not start: %w", name, err)
		}
		s.services = append(s.services, svc)
	}
	return s, nil
}

// agent makes one agent.
func (a *app) agent(s *stack, name string, o stackOptions) (service, error) {
	c := a.config
	switch name {
	case "observer":
		return observer.New(s.bus, s.pool, observer.Options{Budget: c.ObservationTokens, Logger: a.log})
	case "actor":
		return actor.New(s.bus, s.pool, actor.Options{Secrets: o.secrets, FilesRoot: o.files, Look: c.Vision, Input: c.Browser.Input, Logger: a.log})
	case "verifier":
		return verifier.New(s.bus, verifier.Options{Logger: a.log})
	case "vision":
		vo := vision.Options{Logger: a.log}
		if c.Models.Vision != "" {
			m, err := a.model(c.Models.Vision)
			if err != nil {
				return nil, err
			}
			vo.Reader, vo.Fallback = vision.NewModelReader(llm.Eyes{Model: m}, vision.Grid{}), vision.NewTextReader("", "")
		}
		return vision.New(s.bus, s.pool, vo)
	case "planner":
		po := planner.Options{Limits: c.Limits, ObservationTokens: c.ObservationTokens, Runs: o.runs, Grace: stopGrace, Logger: a.log}
		if c.Models.Planner != "" {
			m, err := a.model(c.Models.Planner)
			if err != nil {
				return nil, err
			}
			po.Model = m
		}
		return planner.New(s.bus, po)
	}
	return nil, fmt.Errorf("there is no agent %q", name)
}

func (a *app) model(name string) (llm.Model, error) {
	return llm.Open(name, llm.Options{Env: a.env})
}

// newPool makes the browser's pool from the configuration.
func (a *app) newPool(node string) (*browser.Pool, error) {
	c := a.config.Browser
	opts := []browser.Option{
		browser.WithNode(node), browser.WithLogger(a.log), browser.WithHeadless(c.Headless),
		browser.WithScript("observer", page.Script), browser.WithScript("actor", actor.Script()),
	}
	if c.Executable != "" {
		opts = append(opts, browser.WithExecutable(c.Executable))
	}
	if c.Endpoint != "" {
		opts = append(opts, browser.WithEndpoint(c.Endpoint))
	}
	if c.Downloads != "" {
		seen := c.BrowserDownloads
		if seen == "" {
			seen = c.Downloads
		}
		opts = append(opts, browser.WithDownloadDir(c.Downloads, seen))
	}
	return browser.NewPool(opts...)
}

// stop ends everything, the planner first so that its run goes back to the
// queue. It leaves no process, profile or port behind.
func (s *stack) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var errs []error
	for i := len(s.services) - 1; i >= 0; i-- {
		errs = append(errs, s.services[i].Stop(ctx))
	}
	if s.pool != nil {
		errs = append(errs, s.pool.Close(ctx))
	}
	if s.bus != nil {
		errs = append(errs, s.bus.Close())
	}
	if s.server != nil {
		s.server.Close()
	}
	return errors.Join(errs...)
}

func hostName() string {
	h, err := os.Hostname()
	if err != nil {
		return "host"
	}
	return h
}

// secrets finds where the values of secrets come from: the environment, then
// the env file (configured, or .env beside the workflow where there is one).
func (a *app) secrets(dir string) (secret.Source, error) {
	env := secret.Source(a.lookupEnv)
	path := a.config.EnvFile
	if path == "" {
		path = filepath.Join(dir, ".env")
		if _, err := os.Stat(path); err != nil {
			return env, nil
		}
	}
	file, err := secret.File(path)
	if err != nil {
		return nil, envErr(fmt.Errorf("env file: %w", err))
	}
	return secret.First(env, file), nil
}
