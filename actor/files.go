package actor

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

const (
	// inlineUpload bounds what is handed to a browser on another machine.
	inlineUpload = 20 << 20
	chooserWait  = 2 * time.Second
)

// upload gives files to a file input, to what opens a file chooser, or to a
// place where files are dropped.
func (h *hand) upload(ctx context.Context) error {
	names := h.in.Values
	if len(names) == 0 && h.in.Value != "" {
		names = []string{h.in.Value}
	}
	if len(names) == 0 {
		return refuse(bus.RefusedFile, "no file is named")
	}
	given, err := h.givenFiles(ctx, names)
	if err != nil {
		return err
	}
	el := h.req.Attempt.Target
	f, err := h.frameOf(ctx, el.Ref)
	if err != nil {
		return err
	}
	var in struct {
		Input    bool   `json:"input"`
		Multiple bool   `json:"multiple"`
		Handle   string `json:"handle"`
	}
	if err := f.Call(ctx, &in, `(ref) => globalThis.__quartetAct.fileFacts(ref)`, el.Ref); err != nil {
		return err
	}
	if !in.Input {
		return h.uploadByChooser(ctx, el, given)
	}
	if len(names) > 1 && !in.Multiple {
		return refuse(bus.RefusedUnsupported, "the field takes one file only")
	}
	var known bool
	if err := f.Call(ctx, &known, `(ref) => Boolean(globalThis.__quartetAct.el(ref))`, el.Ref); err != nil {
		return err
	}
	if !known {
		return refuse(bus.RefusedStale, "%s (%s) is gone", el.Ref, label(el.Role, el.Name))
	}
	t := *el
	h.rec.Target = &t
	before, err := readValue(ctx, f, in.Handle)
	if err != nil {
		return err
	}
	h.rec.ValueBefore = before.shown()
	if err := h.arm(ctx, f, in.Handle, "input", "change"); err != nil {
		return err
	}
	h.rec.Sent = true
	obj, err := f.Handle(ctx, `(ref) => globalThis.__quartetAct.el(ref)`, in.Handle)
	if err != nil {
		return err
	}
	defer f.Release(context.WithoutCancel(ctx), obj)
	if err := given.into(ctx, f, obj); err != nil {
		return err
	}
	h.collect(ctx, "input", "input")
	got, err := readValue(ctx, f, in.Handle)
	if err != nil || got.Gone {
		h.note("the field could not be read back")
		return nil
	}
	h.rec.ValueAfter = got.shown()
	h.rec.Matches = new(got.shown() == given.names())
	return nil
}

// uploadByChooser clicks the target and answers the file chooser that opens;
// when none opens, the files are dropped onto the target.
func (h *hand) uploadByChooser(ctx context.Context, el *bus.Element, given givenFiles) error {
	a, err := h.target(ctx, el, readyOptions{Purpose: forClick})
	if err != nil {
		return err
	}
	s := a.frame.Session
	if _, err := cdp.Call(ctx, s, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true}); err != nil {
		return err
	}
	opened, stop := s.Subscribe(page.FileChooserOpened.Method)
	defer stop()
	defer func() {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _ = cdp.Call(cctx, s, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: false})
	}()
	if err := h.clickOn(ctx, a, el); err != nil {
		return err
	}
	t := time.NewTimer(min(patience(ctx)/2, chooserWait))
	defer t.Stop()
	select {
	case raw := <-opened:
		var ev page.EventFileChooserOpened
		if err := json.Unmarshal(raw, &ev); err != nil {
			return err
		}
		if ev.Mode == page.FileChooserOpenedModeSelectSingle && given.len() > 1 {
			return refuse(bus.RefusedUnsupported, "the chooser takes one file only")
		}
		obj, err := a.frame.Node(ctx, ev.BackendNodeID)
		if err != nil {
			return err
		}
		defer a.frame.Release(context.WithoutCancel(ctx), obj)
		if err := given.into(ctx, a.frame, obj); err != nil {
			return err
		}
		h.note("the file chooser was answered with %s", given.names())
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
	}
	if len(given.paths) == 0 {
		files, err := given.inline()
		if err != nil {
			return err
		}
		h.note("no file chooser opened; %s was dropped onto the element by the page", given.names())
		return a.frame.Call(ctx, nil, `(ref, files, x, y) => globalThis.__quartetAct.dropFiles(ref, files, x, y)`, a.ref, files, a.local.X, a.local.Y)
	}
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: given.paths, DragOperationsMask: 1}
	for _, k := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		if _, err := cdp.Call(ctx, h.tab.Session(), input.DispatchDragEvent, input.DispatchDragEventParams{Type: k, X: a.at.X, Y: a.at.Y, Data: data}); err != nil {
			return err
		}
	}
	h.note("no file chooser opened; %s was dropped onto the element", given.names())
	return nil
}

// givenFiles are the files of an upload: paths that the browser reads itself,
// or contents that are handed over by the page.
type givenFiles struct {
	paths []string
	files []inlineFile
}

func (g givenFiles) len() int { return max(len(g.paths), len(g.files)) }

func (g givenFiles) names() string {
	var out []string
	for _, p := range g.paths {
		out = append(out, filepath.Base(p))
	}
	for _, f := range g.files {
		out = append(out, f.Name)
	}
	return strings.Join(out, ", ")
}

func (g givenFiles) inline() ([]inlineFile, error) {
	if len(g.files) > 0 {
		return g.files, nil
	}
	return inline(g.paths)
}

// into puts the files into an input.
func (g givenFiles) into(ctx context.Context, f *browser.Frame, obj runtime.RemoteObjectID) error {
	if len(g.paths) > 0 {
		_, err := cdp.Call(ctx, f.Session, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: g.paths, ObjectID: obj})
		return err
	}
	return f.Call(ctx, nil, `(el, files) => globalThis.__quartetAct.setFiles(el, files)`, obj, g.files)
}

// givenFiles finds the files that the names mean: those that came with the run
// when it was submitted, else those of this actor's own folder. A browser on
// another machine gets contents, not paths.
func (h *hand) givenFiles(ctx context.Context, names []string) (givenFiles, error) {
	var g givenFiles
	sent := 0
	for _, n := range names {
		if _, ok := h.req.Files[n]; ok {
			sent++
		}
	}
	if sent == len(names) {
		total := 0
		for _, n := range names {
			data, err := h.a.bus.Blobs().Get(ctx, h.req.Files[n])
			if err != nil {
				return g, refuse(bus.RefusedFile, "the file %q of the run cannot be read: %v", n, err)
			}
			if total += len(data); total > inlineUpload {
				return g, refuse(bus.RefusedFile, "more than %d MiB cannot be uploaded at once", inlineUpload>>20)
			}
			g.files = append(g.files, newInlineFile(filepath.Base(filepath.FromSlash(n)), data))
		}
		return g, nil
	}
	for _, n := range names {
		p, err := filePath(h.a.o.FilesRoot, n)
		if err != nil {
			return g, err
		}
		g.paths = append(g.paths, p)
	}
	if h.sameMachine() {
		return g, nil
	}
	files, err := inline(g.paths)
	return givenFiles{files: files}, err
}

// sameMachine tells whether the browser reads the same files as this process.
func (h *hand) sameMachine() bool {
	e := h.sess.Endpoint
	for _, local := range []string{"pipe", "http://127.0.0.1", "http://localhost", "http://[::1]", "ws://127.0.0.1", "ws://localhost", "ws://[::1]"} {
		if e == local || strings.HasPrefix(e, local+":") || strings.HasPrefix(e, local+"/") {
			return true
		}
	}
	return false
}

// filePath finds a file of the workflow's folder. A path that leads out of it,
// also by a symbolic link, is refused.
func filePath(root, name string) (string, error) {
	if root == "" {
		return "", refuse(bus.RefusedFile, "this actor has no folder from which files may be uploaded")
	}
	p := name
	if !filepath.IsAbs(p) {
		p = filepath.Join(root, filepath.FromSlash(name))
	}
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return "", refuse(bus.RefusedFile, "the file %q is not in the workflow's folder", name)
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", refuse(bus.RefusedFile, "the file %q lies outside the workflow's folder", name)
	}
	st, err := os.Stat(real)
	if err != nil || !st.Mode().IsRegular() {
		return "", refuse(bus.RefusedFile, "%q is not a file", name)
	}
	return real, nil
}

// An inlineFile is a file as act.js makes one.
type inlineFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Data string `json:"data"`
}

func inline(paths []string) ([]inlineFile, error) {
	var out []inlineFile
	total := 0
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			return nil, refuse(bus.RefusedFile, "%v", err)
		}
		data, err := io.ReadAll(io.LimitReader(f, inlineUpload+1))
		f.Close()
		if err != nil {
			return nil, refuse(bus.RefusedFile, "%v", err)
		}
		if total += len(data); total > inlineUpload {
			return nil, refuse(bus.RefusedFile, "more than %d MiB cannot be handed to a browser on another machine", inlineUpload>>20)
		}
		out = append(out, newInlineFile(filepath.Base(p), data))
	}
	return out, nil
}

func newInlineFile(name string, data []byte) inlineFile {
	return inlineFile{Name: name, Type: mime.TypeByExtension(filepath.Ext(name)), Data: base64.StdEncoding.EncodeToString(data)}
}

func itoa(n int) string { return fmt.Sprint(n) }
