package cli

import (
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/spf13/cobra"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/secret"
)

func (a *app) snapshotCmd() *cobra.Command {
	var format string
	var budget int
	var full bool
	c := &cobra.Command{
		Use: "snapshot URL", Short: "Print what the observer sees on a page", Args: exactArgs(1, "one address"),
		Long: "Open a page in a browser of its own, print the observation of it, and end: roles,\n" +
			"names, states, values, and a ref for whatever can be operated. What does not fit\n" +
			"into the budget is folded into counted markers; --full prints everything.\n\n" +
			"docs/observation.md explains what the lines say.",
		Example: "  quartet snapshot http://127.0.0.1:8080/\n" +
			"  quartet snapshot --format playwright --full http://127.0.0.1:8080/",
		RunE: func(c *cobra.Command, args []string) error {
			u, err := url.Parse(args[0])
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return usagef("%q is not an http or https address", args[0])
			}
			if format != "compact" && format != "playwright" && format != "json" {
				return usagef("--format %q: want compact, playwright or json", format)
			}
			store, err := os.MkdirTemp("", "quartet-snapshot-")
			if err != nil {
				return envErr(err)
			}
			defer os.RemoveAll(store)
			s, err := a.start(c.Context(), stackOptions{store: store, agents: []string{"observer"}, secrets: secret.None})
			if err != nil {
				return err
			}
			defer s.stop()
			session, err := s.pool.OpenSession(c.Context(), "snapshot", []string{u.Scheme + "://" + u.Host})
			if err != nil {
				return envErr(err)
			}
			tab, err := s.pool.Tab(c.Context(), session)
			if err != nil {
				return envErr(err)
			}
			nav, err := cdp.Call(c.Context(), tab.Session(), cdppage.Navigate, cdppage.NavigateParams{URL: u.String()})
			if err == nil && nav.ErrorText != "" {
				err = fmt.Errorf("%s", nav.ErrorText)
			}
			if err != nil {
				return envf("%s cannot be opened: %v", u, err)
			}
			if err := tab.Settle(c.Context(), 60*time.Millisecond, 10*time.Second); err != nil {
				a.log.Info("snapshot: the page does not come to rest", "error", err)
			}
			if full {
				budget = 1 << 30
			}
			o, err := bus.Call[bus.ObserveRequest, bus.Observation](c.Context(), s.bus, bus.VerbObserve, &session,
				bus.ObserveRequest{Session: session, Mode: "full", Format: format, Budget: budget})
			if err != nil {
				return err
			}
			if o.Text, err = bus.TextOf(c.Context(), s.bus, o); err != nil {
				return err
			}
			o.TextKey = ""
			if a.json {
				return a.printJSON(o)
			}
			a.printf("%s\n", o.Text)
			for _, n := range o.Notes {
				fmt.Fprintf(a.errOut, "note: %s\n", n)
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "compact", "compact, playwright or json")
	c.Flags().IntVar(&budget, "budget", 0, "most tokens to print (default: observation_tokens)")
	c.Flags().BoolVar(&full, "full", false, "print everything, however long")
	return c
}
