package bus

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

func TestServerOptions(t *testing.T) {
	s := testServer(t, "")
	if s.ClientURL() != "" {
		t.Errorf("a server without a port has the URL %q", s.ClientURL())
	}
	v, err := s.ns.Varz(nil)
	if err != nil {
		t.Fatal(err)
	}
	j := v.JetStream.Config
	if !j.SyncAlways || j.MaxMemory != 512<<20 || j.MaxStore != 16<<30 {
		t.Errorf("JetStream runs with %+v", j)
	}
	if l := testServer(t, "127.0.0.1:-1"); !strings.HasPrefix(l.ClientURL(), "nats://127.0.0.1:") {
		t.Errorf("a listening server has the URL %q", l.ClientURL())
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []ServerOptions{
		{}, {StoreDir: file}, {StoreDir: t.TempDir(), Listen: "nonsense"}, {StoreDir: t.TempDir(), Listen: "127.0.0.1:http"},
	} {
		if s, err := StartServer(o); err == nil {
			s.Close()
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestConnectSaysWhatIsWrong(t *testing.T) {
	for _, o := range []ConnectOptions{{}, {Server: testServer(t, ""), URL: "nats://x"}} {
		_, err := Connect(t.Context(), o)
		wantCode(t, err, CodeBadArgument, GiveUp)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := Connect(ctx, ConnectOptions{URL: "nats://127.0.0.1:1"})
	wantCode(t, err, CodeUnreachable, Retry)
	if !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("error %q does not say where", err)
	}
	bare, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	bare.Start()
	defer bare.WaitForShutdown()
	defer bare.Shutdown()
	if !bare.ReadyForConnections(5 * time.Second) {
		t.Fatal("the server without JetStream did not start")
	}
	_, err = Connect(t.Context(), ConnectOptions{URL: bare.ClientURL()})
	wantCode(t, err, CodeNoJetStream, GiveUp)
	if !strings.Contains(err.Error(), "-js") {
		t.Errorf("error %q does not say what to do", err)
	}
	for v, old := range map[string]bool{"1.4.1": true, "2.9.25": true, "2.10.0": false, "2.15.2": false, "3.0.0": false} {
		if olderThan210(v) != old {
			t.Errorf("version %s is old: %v", v, !old)
		}
	}
}

// TestSmallServer: a server that cannot reserve what the streams want.
func TestSmallServer(t *testing.T) {
	s, err := StartServer(ServerOptions{StoreDir: t.TempDir(), MaxMemory: 8 << 20, MaxStore: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	b := testBus(t, ConnectOptions{Server: s})
	a := &appender{t: t, j: b.Journal(), run: "r"}
	a.add(EventSubmitted, Submission{Run: "r"})
	if _, err := b.Scenes().Put(t.Context(), []byte("x")); err != nil {
		t.Error(err)
	}
}

// TestNATSComesBack: services, journal and calls go on after a restart of NATS.
func TestNATSComesBack(t *testing.T) {
	t.Parallel() // it waits for what is away
	dir := t.TempDir()
	srv, err := StartServer(ServerOptions{StoreDir: dir, Listen: "127.0.0.1:-1"})
	if err != nil {
		t.Fatal(err)
	}
	url := srv.ClientURL()
	b, err := Connect(t.Context(), ConnectOptions{URL: url, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s := NewService(b, "actor")
	Handle(s, VerbPrepare, func(ctx context.Context, r Raw) (Raw, error) { return r, nil })
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := &appender{t: t, j: b.Journal(), run: "r"}
	a.add(EventSubmitted, Submission{Run: "r"})
	srv.Close()
	if _, err := b.Journal().Append(t.Context(), "r", a.seq, EventNote, Note{}); DecisionOf(err) != Retry || err == nil {
		t.Errorf("an append without NATS gives %v", err)
	}
	srv, err = StartServer(ServerOptions{StoreDir: dir, Listen: strings.TrimPrefix(url, "nats://")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	waitFor(t, "the call is answered again", func() bool {
		_, err := Call[any, Raw](t.Context(), b, VerbPrepare, nil, "x")
		return err == nil
	})
	a.step("i1")
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
