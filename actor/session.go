package actor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/secret"
)

// browserKey is where a session's cookies and storage are kept for a resume.
const browserKey = "browser"

// CodeSecretMissing is the error of a session whose workflow uses a secret that
// this actor does not have.
const CodeSecretMissing = "secret_missing"

// open answers actor.open: a browser context of its own with one blank tab.
// Secrets that the workflow needs and this actor lacks are refused before
// anything is opened. With RestoreAt, what was saved last is brought back.
func (a *Agent) open(ctx context.Context, req bus.OpenRequest) (bus.Session, error) {
	if missing := secret.Missing(a.o.Secrets, req.Secrets); len(missing) > 0 {
		return bus.Session{}, bus.Errorf(bus.GiveUp, CodeSecretMissing, "the actor lacks the secret %s: set it in the environment of the actor's process (with docker compose in secrets.env), or in its env file (env_file, one NAME=VALUE a line)", strings.Join(missing, ", "))
	}
	s, err := a.pool.OpenSession(ctx, req.Session, req.AllowedOrigins)
	if err != nil || req.RestoreAt == "" {
		return s, err
	}
	if err := a.restore(ctx, s, req.RestoreAt); err != nil {
		return bus.Session{}, errors.Join(err, a.pool.CloseSession(context.WithoutCancel(ctx), s))
	}
	s.Tabs, err = a.pool.Tabs(ctx, s)
	return s, err
}

// restore brings back what was saved, and opens the address.
func (a *Agent) restore(ctx context.Context, s bus.Session, at string) error {
	if !browser.Allowed(at, s.AllowedOrigins) {
		return bus.Errorf(bus.GiveUp, string(bus.RefusedOrigin), "%s is not within the allowed origins", at)
	}
	data, err := a.bus.GetSessionState(ctx, s.ID, browserKey)
	if err != nil {
		return err
	}
	if len(data) > 0 {
		if err := a.pool.LoadState(ctx, s, data); err != nil {
			return err
		}
	}
	tab, err := a.pool.Tab(ctx, s)
	if err != nil {
		return err
	}
	// Once: an address may do something when it is asked for.
	if err := tab.Navigate(ctx, at); err != nil {
		return fmt.Errorf("restoring the session: %w", err)
	}
	return tab.Settle(ctx, settleQuiet, settleMax)
}

// close answers actor.close. What was kept about the session goes with it, also
// where its browser cannot be asked any more: it holds cookies.
func (a *Agent) close(ctx context.Context, req bus.CloseRequest) (bus.Raw, error) {
	err := a.pool.CloseSession(ctx, req.Session)
	if req.Session.ID != "" {
		err = errors.Join(err, a.bus.DropSessionState(ctx, req.Session.ID))
	}
	return bus.Raw("{}"), err
}

// keepLogin saves the state of a session whose browser dies with this process
// when an act led to another page. That is done before the receipt is given: a
// crash after the verdict must not cost the run its sign-in.
func (a *Agent) keepLogin(ctx context.Context, s bus.Session, r bus.Receipt) {
	if s.Node == "" || !r.Sent || r.Crashed || r.URLAfter == r.URLBefore {
		return
	}
	if r.Tab != "" && len(r.Tabs) > 0 {
		s.Tab, s.Tabs = r.Tab, r.Tabs
	}
	ctx, cancel := context.WithTimeout(ctx, saveMax)
	defer cancel()
	if _, err := a.save(ctx, bus.SaveRequest{Session: s}); err != nil {
		a.log.Warn("the session's state was not saved", "session", s.ID, "error", err)
	}
}

// saveMax bounds the saving of a session's state after an act.
const saveMax = 2 * time.Second

// save keeps the session's cookies and storage in its state. They are
// credentials; they leave the bus's memory with the session.
func (a *Agent) save(ctx context.Context, req bus.SaveRequest) (bus.SaveReply, error) {
	data, err := a.pool.SaveState(ctx, req.Session)
	if err != nil {
		return bus.SaveReply{}, err
	}
	err = a.bus.PutSessionState(ctx, req.Session.ID, browserKey, data)
	return bus.SaveReply{Bytes: len(data)}, err
}
