package bus

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ServerOptions configure the embedded server.
type ServerOptions struct {
	// StoreDir is where the journal lives. It is made if missing, and belongs
	// to one process at a time.
	StoreDir string
	// Listen is "" for no port at all, or host:port; port -1 takes a free one.
	// There is no authentication: listen on a private address only.
	Listen string
	// MaxMemory and MaxStore bound what JetStream may hold, in bytes;
	// 0 is 512 MiB and 16 GiB.
	MaxMemory, MaxStore int64
}

// A Server is a NATS server with JetStream inside this process.
type Server struct {
	ns     *server.Server
	unlock func()
	once   sync.Once
	near   *nearScenes // where no other process can be connected
}

// StartServer starts an embedded server that answers when the call returns.
// Every write is on disk before it is acknowledged. The caller must Close it,
// after every Bus on it.
func StartServer(o ServerOptions) (*Server, error) {
	if o.StoreDir == "" {
		return nil, Errorf(GiveUp, CodeBadArgument, "the embedded NATS server needs a folder for its store")
	}
	dir, err := filepath.Abs(o.StoreDir)
	if err != nil {
		return nil, Errorf(GiveUp, CodeBadArgument, "store folder %q: %w", o.StoreDir, err)
	}
	opts := &server.Options{
		ServerName:         "quartet",
		DontListen:         true,
		JetStream:          true,
		StoreDir:           dir,
		SyncAlways:         true,
		JetStreamMaxMemory: orDefault(o.MaxMemory, 512<<20),
		JetStreamMaxStore:  orDefault(o.MaxStore, 16<<30),
		NoSigs:             true, // otherwise it would trap SIGINT and end the process
		NoLog:              true,
		MaxPayload:         1 << 20,
	}
	if o.Listen != "" {
		host, port, err := net.SplitHostPort(o.Listen)
		if err != nil {
			return nil, Errorf(GiveUp, CodeBadArgument, "listen address %q is not host:port: %w", o.Listen, err)
		}
		n, err := strconv.Atoi(port)
		if err != nil || n < -1 || n > 65535 {
			return nil, Errorf(GiveUp, CodeBadArgument, "listen address %q has no port number", o.Listen)
		}
		if n == 0 {
			n = server.RANDOM_PORT
		}
		opts.DontListen, opts.Host, opts.Port = false, host, n
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, Errorf(GiveUp, CodeStore, "cannot make the store folder: %w", err)
	}
	unlock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	ns, err := server.NewServer(opts)
	if err != nil {
		unlock()
		return nil, Errorf(GiveUp, CodeStore, "embedded NATS server: %w", err)
	}
	ns.Start()
	s := &Server{ns: ns, unlock: unlock}
	if o.Listen == "" {
		s.near = newNearScenes()
	}
	if !ns.ReadyForConnections(10*time.Second) || !ns.JetStreamEnabled() {
		s.Close()
		return nil, Errorf(GiveUp, CodeStore, "the embedded NATS server did not start; is %s writable, %s free, and the disk not full?", dir, orDefault(o.Listen, "the port"))
	}
	return s, nil
}

// ClientURL is the address for other processes; "" when the server has no port.
func (s *Server) ClientURL() string {
	if s.ns.Addr() == nil {
		return ""
	}
	return s.ns.ClientURL()
}

// Close stops the server and waits until its files are closed.
func (s *Server) Close() {
	s.once.Do(func() {
		s.ns.Shutdown()
		s.ns.WaitForShutdown()
		s.unlock()
	})
}

func orDefault[T comparable](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}
