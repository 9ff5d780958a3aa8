package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/disintegration/imaging"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// jpegQuality is that of pictures which nobody measures.
const jpegQuality = 90

type pictureArgs struct {
	onElement
	Type     string `json:"type,omitempty" jsonschema:"png (default) or jpeg"`
	Filename string `json:"filename,omitempty" jsonschema:"a name in the run's folder to save it under, instead of answering with the picture"`
	FullPage bool   `json:"fullPage,omitempty" jsonschema:"not offered: scroll, or look with browser_snapshot"`
	Scale    string `json:"scale,omitempty" jsonschema:"css, a pixel for each CSS pixel, is the only one"`
}

// pictures adds the tool that takes a picture.
func (s *Server) pictures() {
	add(s, &mcp.Tool{Name: "browser_take_screenshot", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
		Description: "A picture of what is in view, or of one element in it; secret fields are painted over. Nothing can be clicked by it: browser_snapshot says more for less."}, s.picture)
}

func (s *Server) picture(ctx context.Context, in pictureArgs) (*mcp.CallToolResult, error) {
	kind, err := in.kind()
	if err != nil {
		return nil, err
	}
	if s.o.Vision == "never" {
		return nil, errors.New("pictures are switched off (vision: never); browser_snapshot says what is on the page")
	}
	c, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	session := c.Session()
	var box *aria.Box
	what := "the view"
	if in.given() {
		t, err := in.target("take_screenshot")
		if err != nil {
			return nil, err
		}
		if box, err = s.boxOf(ctx, session, t.Ref); err != nil {
			return nil, err
		}
		what = describe(in.Element, t.Ref)
	}
	shot, err := bus.Call[bus.ScreenshotRequest, bus.ScreenshotReply](ctx, s.o.Bus, bus.VerbScreenshot, &session, bus.ScreenshotRequest{Session: session})
	if err != nil {
		return nil, err
	}
	data, err := s.o.Bus.Blobs().Get(ctx, shot.Blob)
	if err != nil {
		return nil, fmt.Errorf("the picture was taken, but cannot be read: %w", err)
	}
	if box != nil || kind == "jpeg" {
		if data, err = convert(data, box, kind); err != nil {
			return nil, err
		}
	}
	// It is no escalation of ours: who asked for it reads it, and the journal says so.
	if err := c.Note(ctx, fmt.Sprintf("the client took a picture of %s (%d bytes)", what, len(data))); err != nil {
		return nil, err
	}
	if in.Filename == "" {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "A picture of " + what + "."}, &mcp.ImageContent{Data: data, MIMEType: "image/" + kind}}}, nil
	}
	path := filepath.Join(s.o.Folder(session.ID), in.Filename)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, fmt.Errorf("the picture was not saved: %w", err)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("A picture of %s is in %s (%d bytes).", what, path, len(data))}}}, nil
}

// kind is the picture's format; what can't be done is said before anything is.
func (in pictureArgs) kind() (string, error) {
	kind := in.Type
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(in.Filename), "."))
	if kind == "" {
		kind = "png"
		if ext == "jpg" || ext == "jpeg" {
			kind = "jpeg"
		}
	}
	switch {
	case kind != "png" && kind != "jpeg":
		return "", fmt.Errorf("type %q: it is png or jpeg", short(kind))
	case in.FullPage:
		return "", errors.New("fullPage is not offered: a picture shows what is in view; scroll, or read the whole page with browser_snapshot and mode full")
	case in.Scale != "" && in.Scale != "css":
		return "", fmt.Errorf("scale %q: css is the only one", short(in.Scale))
	case in.Filename != "" && in.Filename != filepath.Base(in.Filename) || in.Filename == "." || in.Filename == "..":
		return "", fmt.Errorf("filename %q: it is a name in the run's folder, without a path", short(in.Filename))
	}
	switch ext {
	case "png", "jpg", "jpeg":
	default:
		if in.Filename != "" {
			return "", fmt.Errorf("filename %q: it ends in .png, .jpg or .jpeg", short(in.Filename))
		}
	}
	return kind, nil
}

// boxOf is where an element is in the view.
func (s *Server) boxOf(ctx context.Context, session bus.Session, ref string) (*aria.Box, error) {
	o, err := bus.Call[bus.ObserveRequest, bus.Observation](ctx, s.o.Bus, bus.VerbObserve, &session, bus.ObserveRequest{Session: session, Mode: "full", Format: "json", Ref: ref, Budget: unlimited})
	if err != nil {
		return nil, err
	}
	text, err := bus.TextOf(ctx, s.o.Bus, o)
	if err != nil {
		return nil, err
	}
	var tree aria.Tree
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		return nil, fmt.Errorf("the observation of %s: %w", ref, err)
	}
	n := tree.ByRef(ref)
	if n == nil || n.Box == nil || n.Offscreen {
		return nil, fmt.Errorf("%s is not in view; browser_hover brings it there", ref)
	}
	return n.Box, nil
}

// convert crops a picture and writes it in its format.
func convert(data []byte, box *aria.Box, kind string) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the picture: %w", err)
	}
	if box != nil {
		r := image.Rect(int(box.X), int(box.Y), int(box.X+box.W+1), int(box.Y+box.H+1)).Intersect(img.Bounds())
		if r.Empty() {
			return nil, errors.New("the element is not in view; browser_hover brings it there")
		}
		img = imaging.Crop(img, r)
	}
	var out bytes.Buffer
	if kind == "jpeg" {
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: jpegQuality})
	} else {
		err = png.Encode(&out, img)
	}
	return out.Bytes(), err
}
