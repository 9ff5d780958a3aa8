package mcp

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
)

// unlimited is the budget of a whole page.
const unlimited = 1 << 30

// maxContext is how many levels around a hit can be shown.
const maxContext = 5

type noArgs struct{}

type snapshotArgs struct {
	Format string `json:"format,omitempty" jsonschema:"compact (default, fewest tokens), playwright (the YAML form) or json (the whole tree)"`
	Mode   string `json:"mode,omitempty" jsonschema:"auto (default; in the playwright and json forms full): what changed since your last look, the page within the budget where there is none; diff: the same, always against your last look, not in json; full: the whole page"`
	Budget int    `json:"budget,omitempty" jsonschema:"most tokens of the answer"`
	Ref    string `json:"ref,omitempty" jsonschema:"only this element and what is in it"`
	Target string `json:"target,omitempty" jsonschema:"the same as ref"`
}

type findArgs struct {
	Text    string `json:"text" jsonschema:"text, alternatives (a | b), globs (INV-*), or a role before a colon (button: save)"`
	Ref     string `json:"ref,omitempty" jsonschema:"search in this element only"`
	Context *int   `json:"context,omitempty" jsonschema:"levels around a hit to show, 0 to 5; default 1"`
	Budget  int    `json:"budget,omitempty" jsonschema:"most tokens of the answer"`
}

type expandArgs struct {
	Ref    string `json:"ref" jsonschema:"the element to write out, from a '… more' marker or any line; page is the whole"`
	From   int    `json:"from,omitempty" jsonschema:"skip so many of its lines or rows, as the marker says"`
	Budget int    `json:"budget,omitempty" jsonschema:"most tokens of the answer"`
}

// reading adds the tools that look.
func (s *Server) reading() {
	read := &mcp.ToolAnnotations{ReadOnlyHint: true}
	tool(s, &mcp.Tool{Name: "browser_snapshot", Annotations: read,
		Description: "The page as text: roles, names, states, values, and a ref for whatever can be operated. By default only what changed since your last look."}, s.snapshot)
	tool(s, &mcp.Tool{Name: "browser_find", Annotations: read,
		Description: "Search the whole page, also what a snapshot folded away. Answers with the lines that match, each with its place and refs."}, s.find)
	tool(s, &mcp.Tool{Name: "browser_expand", Annotations: read,
		Description: "Write out one element of the page that a snapshot folded away: the rest of a table, the options of a list."}, s.expand)
	tool(s, &mcp.Tool{Name: "browser_close", Description: "Close the browser session."}, func(ctx context.Context, _ noArgs) (string, error) {
		return "The session is closed.", s.close(ctx)
	})
}

func (s *Server) snapshot(ctx context.Context, in snapshotArgs) (string, error) {
	req := bus.ObserveRequest{Format: in.Format, Mode: in.Mode, Budget: in.Budget}
	if in.Budget < 0 {
		return "", fmt.Errorf("budget %d: it is a number of tokens above 0", in.Budget)
	}
	switch in.Format {
	case "", "compact", "playwright", "json":
	default:
		return "", fmt.Errorf("format %q: it is compact, playwright or json", short(in.Format))
	}
	if in.Mode == "" && in.Format == "playwright" || in.Mode != "diff" && in.Format == "json" {
		in.Mode, req.Mode = "full", "full" // who asks for that form expects the page
	}
	switch in.Mode {
	case "", "auto", "diff":
		req.Base = s.lastSeen()
		if in.Mode == "diff" && req.Base == 0 && in.Format != "json" {
			req.Mode = "auto" // the first look has nothing to compare with
		}
	case "full":
		if in.Budget == 0 {
			req.Budget = unlimited
		}
	default:
		return "", fmt.Errorf("mode %q: it is auto, full or diff", short(in.Mode))
	}
	if in.Ref != "" || in.Target != "" {
		ref, err := refOf("snapshot", in.Ref, in.Target)
		if err != nil {
			return "", err
		}
		req.Ref = ref
	}
	return s.observe(ctx, req)
}

func (s *Server) expand(ctx context.Context, in expandArgs) (string, error) {
	if in.From < 0 || in.Budget < 0 {
		return "", fmt.Errorf("expand wants numbers not below 0")
	}
	ref, err := partOf("expand", in.Ref)
	if err != nil {
		return "", err
	}
	return s.observe(ctx, bus.ObserveRequest{Mode: "full", Ref: ref, From: in.From, Budget: in.Budget})
}

// observe is look without the observation.
func (s *Server) observe(ctx context.Context, req bus.ObserveRequest) (string, error) {
	_, text, err := s.look(ctx, req)
	return text, err
}

// look asks for the page and writes the answer.
func (s *Server) look(ctx context.Context, req bus.ObserveRequest) (bus.Observation, string, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return bus.Observation{}, "", err
	}
	req.Session = c.Session()
	o, err := bus.Call[bus.ObserveRequest, bus.Observation](ctx, s.o.Bus, bus.VerbObserve, &req.Session, req)
	if err != nil {
		return bus.Observation{}, "", s.orLost(ctx, c, err)
	}
	if req.Ref == "" {
		s.saw(o.Version)
	}
	text, err := s.write(ctx, o, req.Format)
	return o, text, err
}

func (s *Server) find(ctx context.Context, in findArgs) (string, error) {
	if strings.TrimSpace(in.Text) == "" {
		return "", fmt.Errorf("find wants a text")
	}
	around := 1
	if in.Context != nil {
		around = *in.Context
	}
	if around < 0 || around > maxContext || in.Budget < 0 {
		return "", fmt.Errorf("find: context is 0 to %d and budget not below 0; they are %d and %d", maxContext, around, in.Budget)
	}
	ref := ""
	if in.Ref != "" {
		var err error
		if ref, err = partOf("find", in.Ref); err != nil {
			return "", err
		}
	}
	c, err := s.begin(ctx)
	if err != nil {
		return "", err
	}
	session := c.Session()
	req := bus.FindRequest{Session: session, Query: in.Text, Ref: ref, Context: around, Budget: in.Budget}
	o, err := bus.Call[bus.FindRequest, bus.Observation](ctx, s.o.Bus, bus.VerbFind, &session, req)
	if err != nil {
		return "", err
	}
	return s.write(ctx, o, "compact")
}

// write is an observation as the client gets it: the text, then what the text
// cannot say of itself.
func (s *Server) write(ctx context.Context, o bus.Observation, format string) (string, error) {
	text, err := bus.TextOf(ctx, s.o.Bus, o)
	if err != nil {
		return "", err
	}
	var head strings.Builder
	if o.Dialog != nil {
		fmt.Fprintf(&head, "A %s dialog is open: %q. It blocks the page until browser_handle_dialog answers it.\n", o.Dialog.Type, o.Dialog.Message)
	}
	for _, n := range o.Notes {
		if !strings.Contains(text, n) {
			fmt.Fprintf(&head, "note: %s\n", n)
		}
	}
	if format == "playwright" && o.Kind == "full" {
		return head.String() + "```yaml\n" + text + "\n```", nil
	}
	return head.String() + text, nil
}

// checkURL says what is wrong with an address.
func checkURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		if raw == "about:blank" {
			return nil
		}
		return fmt.Errorf("%q is not an http or https address", raw)
	}
	return nil
}
