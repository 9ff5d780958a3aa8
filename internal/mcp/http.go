package mcp

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPOptions say who may speak with a server over HTTP.
type HTTPOptions struct {
	// Token must come with each request, as a bearer token.
	Token string
	// Hosts are the names under which the server may be addressed besides the
	// machine's own (localhost, 127.0.0.1, ::1). Another Host, or an Origin with
	// another host, is refused: a page in somebody's browser has made its own
	// name point here.
	Hosts []string
	// Idle closes the session of a client that has been silent so long; 0 never.
	Idle time.Duration
	// New makes the server of one client.
	New func() (*Server, error)
}

// A Web serves many clients over HTTP, each with a session of its own that no
// other can see.
type Web struct {
	o       HTTPOptions
	handler http.Handler
	front   *mcp.Server // answers for the protocol where there is a session already

	mu      sync.Mutex
	servers map[*Server]bool // that have a client
}

// NewWeb makes a handler that has begun nothing yet.
func NewWeb(o HTTPOptions) (*Web, error) {
	if len(o.Token) < 16 {
		return nil, errors.New("mcp: the token has less than 16 characters")
	}
	if o.New == nil || o.Idle < 0 {
		return nil, errors.New("mcp: a way to make servers is needed, and an idle time not below 0")
	}
	front, err := o.New()
	if err != nil {
		return nil, err
	}
	w := &Web{o: o, front: front.mcp, servers: map[*Server]bool{}}
	w.handler = mcp.NewStreamableHTTPHandler(w.serverOf, &mcp.StreamableHTTPOptions{SessionTimeout: o.Idle,
		DisableLocalhostProtection: true}) // ServeHTTP has checked the host
	return w, nil
}

// serverOf is the server of a request. One without a session begins a new one.
func (w *Web) serverOf(r *http.Request) *mcp.Server {
	if r.Method != http.MethodPost || r.Header.Get("Mcp-Session-Id") != "" {
		return w.front
	}
	s, err := w.o.New()
	if err != nil {
		return nil
	}
	s.web = w
	return s.mcp
}

// enter and leave keep the servers that have a client, for Close.
func (w *Web) enter(s *Server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.servers[s] = true
}

func (w *Web) leave(s *Server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.servers, s)
}

// ServeHTTP checks who asks before anything of the request is read.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !w.knows(r.Host) {
		http.Error(rw, fmt.Sprintf("the host %q is not served here; name it with --host", short(r.Host)), http.StatusForbidden)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || !w.knows(u.Host) {
			http.Error(rw, fmt.Sprintf("pages of %q may not speak with this server", short(origin)), http.StatusForbidden)
			return
		}
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(w.o.Token)) != 1 {
		rw.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(rw, "the bearer token is missing or wrong", http.StatusUnauthorized)
		return
	}
	w.handler.ServeHTTP(rw, r)
}

// knows tells whether a host, with or without a port, is a name of this server.
func (w *Web) knows(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() || name == "localhost" {
		return true
	}
	return slices.ContainsFunc(w.o.Hosts, func(h string) bool { return name != "" && strings.EqualFold(h, name) })
}

// Close ends the runs of all clients.
func (w *Web) Close(ctx context.Context) error {
	w.mu.Lock()
	servers := slices.Collect(maps.Keys(w.servers))
	w.mu.Unlock()
	errs := make([]error, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() {
			for session := range s.mcp.Sessions() {
				_ = session.Close()
			}
			s.ends.Wait()
			errs[i] = s.close(ctx)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
