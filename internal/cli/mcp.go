package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/mcp"
	"github.com/quartet-agents/quartet/internal/secret"
	"github.com/quartet-agents/quartet/planner"
)

// mcpStop bounds the end of a server: the runs of its clients are closed in it.
const mcpStop = 10 * time.Second

// mcpOptions are the flags of quartet mcp.
type mcpOptions struct {
	origins, hosts        []string
	browser               browserFlags
	files, addr, tokenEnv string
	idle                  time.Duration
}

func (a *app) mcpCmd() *cobra.Command {
	var o mcpOptions
	c := &cobra.Command{
		Use: "mcp", Short: "Serve a browser to MCP clients", Args: exactArgs(0, "no arguments"),
		Long: "Serve a browser session to a program that speaks the Model Context Protocol, over\n" +
			"stdin and stdout, or with --http to many, each with a session of its own. The\n" +
			"tools have the names and arguments of Playwright's MCP server. A client's run,\n" +
			"with every act and its verdict, is among the others: quartet runs list.\n\n" +
			"Over HTTP each request brings a bearer token: the one in the environment variable\n" +
			"that --token-env names, else one that is made up and written to stderr once. A\n" +
			"Host or Origin that is not this machine's is refused, unless --host names it.",
		RunE: func(c *cobra.Command, _ []string) error { return a.serveMCP(c.Context(), o) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.origins, "origins", []string{"*"}, "origins that pages may come from")
	o.browser.add(f)
	f.StringVar(&o.files, "files", "", "folder that files may be uploaded from (default the working directory)")
	f.StringVar(&o.addr, "http", "", "address to serve over HTTP on, as 127.0.0.1:8931, in place of stdin and stdout")
	f.StringVar(&o.tokenEnv, "token-env", "", "environment variable with the token that HTTP clients bring")
	f.StringSliceVar(&o.hosts, "host", nil, "further names under which HTTP clients may address this server")
	f.DurationVar(&o.idle, "idle", 30*time.Minute, "close the session of an HTTP client that is silent so long; 0 never")
	return c
}

// checkMCP says what is wrong with the flags, and finds the token.
func (a *app) checkMCP(o *mcpOptions) (token string, err error) {
	if err := browser.CheckOrigins(o.origins); err != nil {
		return "", usagef("--origins: %v", err)
	}
	if o.addr == "" && (o.tokenEnv != "" || len(o.hosts) > 0) {
		return "", usagef("--token-env and --host are for --http")
	}
	if o.idle < 0 {
		return "", usagef("--idle %v is below 0", o.idle)
	}
	if o.files == "" {
		o.files = "."
	}
	if o.files, err = filepath.Abs(o.files); err != nil {
		return "", envf("--files: %v", err)
	}
	if st, err := os.Stat(o.files); err != nil || !st.IsDir() {
		return "", usagef("--files %s is not a folder", o.files)
	}
	if o.tokenEnv == "" {
		return rand.Text(), nil
	}
	if token = a.env(o.tokenEnv); len(token) < 16 {
		return "", usagef("--token-env %s: the variable is not set, or has less than 16 characters", o.tokenEnv)
	}
	return token, nil
}

func (a *app) serveMCP(ctx context.Context, o mcpOptions) (err error) {
	if err := o.browser.apply(&a.config); err != nil {
		return err
	}
	token, err := a.checkMCP(&o)
	if err != nil {
		return err
	}
	first := runID("mcp")
	folder := filepath.Join(a.config.Runs, first)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return envf("the runs folder: %v; set runs to a folder that can be written", err)
	}
	so := stackOptions{secrets: secret.None, files: o.files}
	if a.config.NATS.URL == "" { // else the agents are elsewhere
		so.store, so.agents = a.store(&job{run: folder}), []string{"observer", "actor", "verifier", "vision"}
	}
	s, err := a.start(ctx, so)
	if err != nil {
		return err
	}
	defer s.stop()
	recording, forget := context.WithCancel(context.WithoutCancel(ctx))
	defer forget()
	var recorded sync.WaitGroup
	clients := &mcpClients{a: a, o: o, s: s, first: first, record: func(run, folder string) {
		recorded.Go(func() {
			if _, _, err := record(recording, s.bus, run, folder, func(*bus.RunState, bus.Event) error { return nil }); err != nil {
				a.log.Warn("mcp: the run was not recorded whole", "run", run, "error", err)
			}
		})
	}}
	newServer := func() (*mcp.Server, error) {
		return mcp.New(mcp.Options{Version: version, Bus: s.bus, Logger: a.log, Vision: a.config.Vision, Client: clients.begin,
			Folder: func(run string) string { return filepath.Join(a.config.Runs, run) }})
	}
	if o.addr != "" {
		err = a.serveHTTP(ctx, o, token, newServer)
	} else {
		var server *mcp.Server
		if server, err = newServer(); err == nil {
			err = server.Run(ctx, mcp.Stdio(os.Stdin, os.Stdout))
		}
	}
	// The runs are closed: their records come to an end by themselves.
	late := time.AfterFunc(mcpStop, forget)
	recorded.Wait()
	late.Stop()
	return err
}

// serveHTTP serves until ctx ends, and closes the runs of all clients.
func (a *app) serveHTTP(ctx context.Context, o mcpOptions, token string, newServer func() (*mcp.Server, error)) error {
	web, err := mcp.NewWeb(mcp.HTTPOptions{Token: token, Hosts: o.hosts, Idle: o.idle, New: newServer})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.addr)
	if err != nil {
		return envf("--http: %v", err)
	}
	fmt.Fprintf(a.errOut, "quartet mcp: serving http://%s/\n", l.Addr())
	if o.tokenEnv == "" {
		fmt.Fprintf(a.errOut, "quartet mcp: the token is %s\n", token)
	}
	server := &http.Server{Handler: web, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), mcpStop)
	defer cancel()
	err = errors.Join(err, web.Close(stop))
	return errors.Join(err, server.Close())
}

// mcpClients begin the runs of MCP clients and record them.
type mcpClients struct {
	a      *app
	o      mcpOptions
	s      *stack
	record func(run, folder string) // keeps a run's record, in the background

	mu    sync.Mutex
	first string // id of the first run, whose folder has the journal; "" when it was used
}

// begin begins the run of a client: at its first call, and after browser_close.
func (m *mcpClients) begin(ctx context.Context) (*planner.Client, error) {
	m.mu.Lock()
	run := m.first
	m.first = ""
	m.mu.Unlock()
	if run == "" {
		run = runID("mcp")
	}
	folder := filepath.Join(m.a.config.Runs, run)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	client, err := planner.NewClient(ctx, m.s.bus, planner.ClientOptions{Run: run, Name: "mcp", AllowedOrigins: m.o.origins,
		Limits: m.a.config.Limits, Vision: m.a.config.Vision, Logger: m.a.log})
	if err != nil {
		return nil, err
	}
	m.record(run, folder)
	return client, nil
}
