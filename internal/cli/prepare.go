package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/secret"
	"github.com/quartet-agents/quartet/internal/workflow"
	"github.com/quartet-agents/quartet/planner"
	"github.com/quartet-agents/quartet/planner/playbook"
)

// A job is a workflow that is ready to be submitted.
type job struct {
	id         string
	w          *workflow.Workflow
	dir        string // the workflow's folder
	run        string // folder of the run: events, report, journal
	uploads    []string
	submission bus.Submission // of a run that was begun before
	secrets    secret.Source
}

// load reads a workflow and checks everything that can be checked before
// anything is touched: the file, its sentences, its secrets and uploads.
func (a *app) load(path string, vars map[string]string) (*job, error) {
	all := map[string]string{}
	for _, kv := range a.environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			if name, is := strings.CutPrefix(k, "QUARTET_VAR_"); is {
				all[name] = v
			}
		}
	}
	known, err := workflow.Load(path, workflow.Overrides{})
	if known != nil {
		for name := range all { // from the environment: for whichever workflow has it
			if _, ok := known.Vars[name]; !ok {
				delete(all, name)
			}
		}
	}
	for name, v := range vars {
		all[name] = v
	}
	if len(all) > 0 {
		known, err = workflow.Load(path, workflow.Overrides{Vars: all})
	}
	if err != nil {
		return nil, usageErr(err)
	}
	j := &job{w: known, dir: filepath.Dir(path)}
	if j.dir, err = filepath.Abs(j.dir); err != nil {
		return nil, envErr(err)
	}
	if a.config.Files != "" {
		if j.dir, err = filepath.Abs(a.config.Files); err != nil {
			return nil, envErr(err)
		}
	}
	if len(known.Steps) > 0 {
		book, err := playbook.Compile(known)
		if err != nil {
			return nil, usageErr(err)
		}
		for _, step := range book.Steps {
			for _, c := range step.Commands {
				if c.Intent.Action == bus.ActionUpload {
					j.uploads = append(j.uploads, c.Intent.Values...)
				}
			}
		}
	} else if a.config.Models.Planner == "" && a.config.NATS.URL == "" {
		return nil, usagef("%s has a goal, which needs a model: set models.planner or QUARTET_MODELS_PLANNER=provider/model (openai, anthropic, ollama, ...), or write steps instead", path)
	}
	for _, line := range known.DoneWhen {
		if _, err := playbook.ReadChecks(line.Text); err != nil {
			return nil, usagef("%s:%d: done_when: %v", path, line.At, err)
		}
	}
	for _, f := range j.uploads {
		if _, err := j.open(f); err != nil {
			return nil, usageErr(err)
		}
	}
	if j.secrets, err = a.secrets(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if a.config.NATS.URL == "" { // elsewhere the actor's process has them
		if missing := secret.Missing(j.secrets, known.Secrets); len(missing) > 0 {
			return nil, envf("%s needs the secret %s: set it in the environment, or in %s (one NAME=VALUE a line)",
				path, strings.Join(missing, ", "), a.envFileName(filepath.Dir(path)))
		}
	}
	j.id = runID(known.Name)
	j.run = filepath.Join(a.config.Runs, j.id)
	return j, nil
}

func (a *app) envFileName(dir string) string {
	if a.config.EnvFile != "" {
		return a.config.EnvFile
	}
	return filepath.Join(dir, ".env")
}

// open reads an upload file, which must lie in the workflow's folder.
func (j *job) open(name string) ([]byte, error) {
	root, err := os.OpenRoot(j.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	rel := name
	if filepath.IsAbs(name) {
		if rel, err = filepath.Rel(j.dir, name); err != nil {
			return nil, err
		}
	}
	data, err := root.ReadFile(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the file %q to upload is not in %s", name, j.dir)
	case err != nil:
		return nil, fmt.Errorf("the file %q to upload must lie in %s: %w", name, j.dir, err)
	}
	return data, nil
}

// submit puts the job's upload files into the blob store and the run into the
// queue.
func (j *job) submit(ctx context.Context, b *bus.Bus, vision string) error {
	o := planner.RunOptions{Vision: vision}
	for _, name := range j.uploads {
		data, err := j.open(name)
		if err != nil {
			return err
		}
		key, err := b.Blobs().Put(ctx, data)
		if err != nil {
			return err
		}
		if o.Files == nil {
			o.Files = map[string]string{}
		}
		o.Files[name] = key
	}
	w, err := json.Marshal(j.w)
	if err != nil {
		return err
	}
	options, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return b.Submit(ctx, bus.Submission{Run: j.id, Name: j.w.Name, Workflow: w, Dir: j.dir, Options: options})
}

// runID names a run after its workflow and the time.
func runID(name string) string {
	slug := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, name)
	for strings.Contains(slug, "--") {
		slug = strings.ReplaceAll(slug, "--", "-")
	}
	slug = strings.Trim(slug, "-")
	if len(slug) > 24 {
		slug = strings.Trim(slug[:24], "-")
	}
	if slug == "" {
		slug = "run"
	}
	return slug + "-" + time.Now().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:3])
}

// reachable makes sure that something listens at the start, before a run is
// begun that could only fail.
func reachable(ctx context.Context, start string) error {
	u, err := url.Parse(start)
	if err != nil {
		return usageErr(err)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	d := net.Dialer{Timeout: 5 * time.Second}
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return envf("the start %s cannot be reached: %v; start the application, or correct start in the workflow", start, err)
	}
	return c.Close()
}
