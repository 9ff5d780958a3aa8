// Package demo is Larkspur, a small back office that sells seats of a software
// product: the product demo, and the oracle of the end-to-end tests.
//
// It runs on two origins that are different sites for a browser: the back
// office itself and the card processor whose form it embeds. Everything that
// really happened is in a ledger on the server (GET /ledger), in order, so that
// a test can tell what was done, and how often, without asking the page.
//
// The pages are believable and, like real ones, not perfect: several controls
// share a name, a menu opens on hover only, a date picker is made of bare divs,
// rows are rendered again while one reaches for them.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// A PaymentMode says how the card processor behaves.
type PaymentMode string

// The payment modes. In both commits-then modes the charge is in the ledger and
// the invoice is paid before the answer goes wrong.
const (
	PaymentOK                PaymentMode = "ok"                   // cards ending in 0002 are rejected, others accepted
	PaymentSlow              PaymentMode = "slow"                 // the same after slowPayment
	PaymentCommitsThenErrors PaymentMode = "commits-then-errors"  // charges, then answers 502
	PaymentCommitsThenHangs  PaymentMode = "commits-then-hangs"   // charges, then never answers
	PaymentRejects           PaymentMode = "rejects"              // rejects every card
	slowPayment                          = 3 * time.Second        // before the charge
	slowPage                             = 4 * time.Second        // of /reports/annual
	tableDelay                           = 150 * time.Millisecond // before customers answer
	maxBody                              = 1 << 20                // bytes of a request
)

// The account that may sign in.
const (
	Email           = "anna@northgate.example"
	DefaultPassword = "quartet-demo"
)

// Options say where and how the demo runs. The zero value is usable.
type Options struct {
	Addr    string // to listen on; "" is 127.0.0.1:8080, port 0 picks a free one
	PayAddr string // the card processor's; "" is 127.0.0.1:8081
	// PublicURL and PublicPayURL are what a browser uses, where it differs:
	// by default http://127.0.0.1:PORT and http://localhost:PORT.
	PublicURL, PublicPayURL string
	Payment                 PaymentMode // "" is PaymentOK
	// Reset allows POST /ledger/reset, which brings all data back to the start.
	Reset    bool
	Password string    // of Email; "" is DefaultPassword
	Today    time.Time // the business date; zero is 2 March 2026
}

func (o Options) withDefaults() (Options, error) {
	def := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	def(&o.Addr, "127.0.0.1:8080")
	def(&o.PayAddr, "127.0.0.1:8081")
	def(&o.Password, DefaultPassword)
	if o.Today.IsZero() {
		o.Today = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	}
	switch o.Payment {
	case "":
		o.Payment = PaymentOK
	case PaymentOK, PaymentSlow, PaymentCommitsThenErrors, PaymentCommitsThenHangs, PaymentRejects:
	default:
		return o, fmt.Errorf("demo: unknown payment mode %q; use ok, slow, commits-then-errors, commits-then-hangs or rejects", o.Payment)
	}
	for _, u := range []string{o.PublicURL, o.PublicPayURL} {
		if u == "" {
			continue
		}
		p, err := url.Parse(u)
		if err != nil || p.Scheme != "http" && p.Scheme != "https" || p.Host == "" || p.Path != "" {
			return o, fmt.Errorf("demo: the public address %q must be scheme://host[:port]", u)
		}
	}
	return o, nil
}

// A Server is a running demo. Its methods may be called from any goroutine.
type Server struct {
	opt         Options
	url, payURL string
	main, pay   *http.Server
	serving     sync.WaitGroup
	done        chan struct{} // closed by Close, ends hanging answers
	closing     sync.Once
	ledger      ledger
	store       *store
	pages       pages
}

// Start listens on both addresses and serves until Close. The context bounds
// the start only.
func Start(ctx context.Context, o Options) (*Server, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("demo: can't listen on %s, choose another address: %w", o.Addr, err)
	}
	pl, err := lc.Listen(ctx, "tcp", o.PayAddr)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("demo: can't listen on %s, choose another address: %w", o.PayAddr, err), l.Close())
	}
	s := &Server{opt: o, done: make(chan struct{}), store: newStore(o.Today)}
	s.url, s.payURL = o.PublicURL, o.PublicPayURL
	if s.url == "" {
		s.url = address(l, "127.0.0.1")
	}
	// Another host name, not only another port: sites ignore the port.
	if s.payURL == "" {
		s.payURL = address(pl, "localhost")
	}
	if s.pages, err = loadPages(); err != nil {
		return nil, errors.Join(err, l.Close(), pl.Close())
	}
	s.main, s.pay = newServer(s.routes()), newServer(s.payRoutes())
	s.serving.Go(func() { _ = s.main.Serve(l) })
	s.serving.Go(func() { _ = s.pay.Serve(pl) })
	return s, nil
}

func newServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
}

// address is how a browser on this machine reaches l; a loopback or wildcard
// host is written as host.
func address(l net.Listener, host string) string {
	a, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return "http://" + l.Addr().String()
	}
	if !a.IP.IsLoopback() && !a.IP.IsUnspecified() {
		host = a.IP.String()
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(a.Port))
}

// URL is the back office's origin, without a slash at the end.
func (s *Server) URL() string { return s.url }

// PayURL is the card processor's origin.
func (s *Server) PayURL() string { return s.payURL }

// Ledger is a copy of what happened so far, in order.
func (s *Server) Ledger() []Entry { return s.ledger.entries() }

// Close stops both servers and waits for them. Answers under way are cut off.
func (s *Server) Close() {
	s.closing.Do(func() {
		close(s.done)
		_ = s.main.Close()
		_ = s.pay.Close()
	})
	s.serving.Wait()
}

// pause waits for d; false when the client or the server went away before.
func (s *Server) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-s.done:
	}
	return false
}
