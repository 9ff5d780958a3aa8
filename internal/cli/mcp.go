package cli

import (
	"context"
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

func (a *app) mcpCmd() *cobra.Command {
	var o struct {
		origins []string
		headed  bool
	}
	c := &cobra.Command{
		Use: "mcp", Short: "Serve a browser to an MCP client over stdin and stdout", Args: exactArgs(0, "no arguments"),
		Long: "Serve a browser session to a program that speaks the Model Context Protocol. The\n" +
			"tools have the names and arguments of Playwright's MCP server. The client's run,\n" +
			"with every act and its verdict, is among the others: quartet runs list.",
		RunE: func(c *cobra.Command, _ []string) error {
			a.config.Browser.Headless = a.config.Browser.Headless && !o.headed
			if err := browser.CheckOrigins(o.origins); err != nil {
				return usagef("--origins: %v", err)
			}
			id := runID("mcp")
			folder := filepath.Join(a.config.Runs, id)
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return envf("the runs folder: %v; set runs to a folder that can be written", err)
			}
			so := stackOptions{secrets: secret.None}
			if a.config.NATS.URL == "" { // else the agents are elsewhere
				so.store, so.agents = a.store(&job{run: folder}), []string{"observer", "actor", "verifier", "vision"}
			}
			s, err := a.start(c.Context(), so)
			if err != nil {
				return err
			}
			defer s.stop()
			recorded := &sync.WaitGroup{}
			recording, forget := context.WithCancel(context.WithoutCancel(c.Context()))
			defer forget()
			begun := 0
			server, err := mcp.New(mcp.Options{Version: version, Bus: s.bus, Logger: a.log, Client: func(ctx context.Context) (*planner.Client, error) {
				run := id
				if begun++; begun > 1 { // after browser_close
					run = runID("mcp")
				}
				folder := filepath.Join(a.config.Runs, run)
				if err := os.MkdirAll(folder, 0o755); err != nil {
					return nil, err
				}
				client, err := planner.NewClient(ctx, s.bus, planner.ClientOptions{Run: run, Name: "mcp", AllowedOrigins: o.origins,
					Limits: a.config.Limits, Vision: a.config.Vision, Logger: a.log})
				if err != nil {
					return nil, err
				}
				recorded.Go(func() {
					if _, _, err := record(recording, s.bus, run, folder, func(*bus.RunState, bus.Event) error { return nil }); err != nil {
						a.log.Warn("mcp: the run was not recorded whole", "run", run, "error", err)
					}
				})
				return client, nil
			}})
			if err != nil {
				return err
			}
			err = server.Run(c.Context(), mcp.Stdio(os.Stdin, os.Stdout))
			// The run is closed: its record comes to an end by itself.
			late := time.AfterFunc(10*time.Second, forget)
			recorded.Wait()
			late.Stop()
			return err
		},
	}
	c.Flags().StringSliceVar(&o.origins, "origins", []string{"*"}, "origins that pages may come from")
	c.Flags().BoolVar(&o.headed, "headed", false, "show the browser's window")
	return c
}
