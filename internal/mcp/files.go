package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
)

type uploadArgs struct {
	Paths []string `json:"paths,omitempty" jsonschema:"the files, in the folder that the server may upload from"`
	onElement
	hope
}

// files adds the tool that uploads.
func (s *Server) files() {
	moving(s, &mcp.Tool{Name: "browser_file_upload", Description: "Give files to a file field, a button that asks for files, or a place to drop them: the one with the ref, else the one clicked last. Answers with the verdict and what changed."}, func(ctx context.Context, in uploadArgs) (*reply, error) {
		if len(in.Paths) == 0 {
			return nil, errNothing("browser_file_upload", "paths; no file chooser is left open that could be cancelled")
		}
		t := s.lastClicked()
		if in.given() {
			var err error
			if t, err = in.target("file_upload"); err != nil {
				return nil, err
			}
		}
		if t == nil {
			return nil, errors.New("browser_file_upload wants the ref of a file field or of the button that asks for files, or a click on it before")
		}
		var names []string
		for _, p := range in.Paths {
			names = append(names, filepath.Base(p))
		}
		return s.act(ctx, bus.Intent{Action: bus.ActionUpload, Target: t, Values: in.Paths, DialogAnswer: bus.DialogLeave, Risk: bus.RiskReversible,
			Text: fmt.Sprintf("Upload %s to %s", strings.Join(names, ", "), describe(t.Words, t.Ref))}, in.hope)
	})
}

// clicked remembers what was clicked last, for an upload that names no element.
func (s *Server) clicked(t *bus.Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = t
}

func (s *Server) lastClicked() *bus.Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}
