package bus

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/quartet-agents/quartet/bus/middleware"
)

// MaxMessage is the largest payload of a message, in bytes.
const MaxMessage = 256 << 10

// Times of the request protocol. A Bus has its own copy so that tests need not
// wait.
const (
	beatEvery  = 500 * time.Millisecond // the serving side says that it is alive
	silentFor  = 3 * time.Second        // then the replica counts as lost
	callWithin = 30 * time.Second       // where the caller's context has no deadline
)

// ConnectOptions configure a Bus. Either Server or URL must be set.
type ConnectOptions struct {
	Server *Server // embedded, in this process
	URL    string  // nats://host:port[,…] of a NATS 2.10 or later with JetStream
	Name   string  // of the connection, for operators
	// Node names this process: sessions in a pipe-driven browser are served by
	// their node. "" makes a unique one.
	Node   string
	Logger *slog.Logger // nil: slog.Default
	// Redactor cleans everything that this process publishes: requests,
	// replies, journal entries, session state and JSON in stores. nil: nothing.
	Redactor *middleware.Redactor
	// Metrics counts this process's calls and requests; nil: they are not counted.
	Metrics *middleware.Metrics
	// Spans receives a span for each call and each request served; nil: trace
	// context is passed on all the same.
	Spans func(middleware.Span)
	// Patience is how long a call waits for an agent of which no replica is
	// up; 0 fails at once.
	Patience time.Duration
	// Replicas of the streams where they do not exist yet; 0 is 1.
	Replicas int
	// SceneTTL is how long scenes are kept; 0 is one hour.
	SceneTTL time.Duration
	// AckWait is how soon a run whose planner died goes to another; 0 is 6 s.
	AckWait time.Duration
	// MaxDeliver is how often a run is handed out before it is a dead letter; 0 is 5.
	MaxDeliver int
}

// A Bus is one process's connection to the others. It is safe for concurrent use.
type Bus struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	node    string
	log     *slog.Logger
	redact  *middleware.Redactor
	metrics *middleware.Metrics
	spans   func(middleware.Span)
	call    middleware.Handler

	blobs    *blobStore
	scenes   *sceneStore
	near     *nearScenes // nil where other processes may read scenes
	sessions jetstream.KeyValue
	journal  *Journal
	runs     jetstream.Stream

	ackWait    time.Duration
	maxDeliver int
	beat, lost time.Duration
	closed     chan struct{} // closed with the connection
}

// Connect connects and makes sure that the streams and stores exist; those
// that do are left as their operator configured them.
func Connect(ctx context.Context, o ConnectOptions) (*Bus, error) {
	if (o.Server == nil) == (o.URL == "") {
		return nil, Errorf(GiveUp, CodeBadArgument, "connect to an embedded server or to a URL, one of the two")
	}
	b := &Bus{
		node: o.Node, log: o.Logger, redact: o.Redactor, metrics: o.Metrics, spans: o.Spans,
		ackWait: orDefault(o.AckWait, 6*time.Second), maxDeliver: orDefault(o.MaxDeliver, 5),
		beat: beatEvery, lost: silentFor, closed: make(chan struct{}),
	}
	if b.log == nil {
		b.log = slog.Default()
	}
	if b.node == "" {
		b.node = nuid.Next()
	}
	url, opts := o.URL, []nats.Option{
		nats.Name(orDefault(o.Name, "quartet")),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		// What cannot be sent now fails now: a request that waits for the
		// connection would arrive when its caller has long given up.
		nats.ReconnectBufSize(-1),
		nats.Timeout(connectTimeout(ctx)),
		nats.ClosedHandler(func(*nats.Conn) { close(b.closed) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				b.log.Warn("bus: connection to NATS lost", "error", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { b.log.Info("bus: connected to NATS again") }),
		// A refused publish and a slow consumer are seen here and nowhere else.
		nats.ErrorHandler(func(_ *nats.Conn, s *nats.Subscription, err error) {
			subject := ""
			if s != nil {
				subject = s.Subject
			}
			b.log.Error("bus: NATS reports an error", "error", err, "subject", subject)
		}),
	}
	where := url
	if o.Server != nil {
		url, where = "", "the embedded server"
		b.near = o.Server.near
		opts = append(opts, nats.InProcessServer(o.Server.ns))
	}
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		return nil, Errorf(Retry, CodeUnreachable, "cannot reach NATS at %s: %w; start it, or run without --nats to use the embedded one", where, err)
	}
	b.nc = nc
	if err := b.setUp(ctx, o, where); err != nil {
		nc.Close()
		<-b.closed
		return nil, err
	}
	b.call = middleware.Chain(b.roundTrip,
		middleware.Deadline(callWithin),
		b.meter(false),
		middleware.Tracing(false, b.spans),
		middleware.Redact(b.redact, false),
		// A replica of which nothing was heard may be replaced by another;
		// what may have touched the page is never sent twice. A busy replica
		// has not begun anything.
		middleware.Retry(middleware.RetryOptions{Attempts: 3, Wait: 10 * time.Millisecond, If: func(m *middleware.Message, err error) bool {
			return errors.Is(err, errBusy) || Verb(m.Verb).Idempotent() && errors.Is(err, errReplicaLost)
		}}),
		b.patience(o.Patience),
		middleware.StampDeadline(),
	)
	return b, nil
}

func connectTimeout(ctx context.Context) time.Duration {
	if at, ok := ctx.Deadline(); ok {
		return max(time.Millisecond, min(5*time.Second, time.Until(at)))
	}
	return 5 * time.Second
}

func (b *Bus) meter(serving bool) middleware.Middleware {
	if b.metrics == nil {
		return nil
	}
	return b.metrics.Middleware(serving)
}

// patience repeats a call while no replica is up, for at most d.
func (b *Bus) patience(d time.Duration) middleware.Middleware {
	if d <= 0 {
		return nil
	}
	return func(next middleware.Handler) middleware.Handler {
		return func(ctx context.Context, m *middleware.Message) (*middleware.Message, error) {
			until := time.Now().Add(d)
			return middleware.Retry(middleware.RetryOptions{
				Attempts: 1 << 20, Wait: 25 * time.Millisecond, MaxWait: 250 * time.Millisecond,
				If: func(_ *middleware.Message, err error) bool {
					return time.Now().Before(until) && errors.Is(err, errNoAgent)
				},
			})(next)(ctx, m)
		}
	}
}

// flush waits until the server has seen everything sent so far.
func (b *Bus) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return b.nc.FlushWithContext(ctx)
}

// clean redacts text and JSON of this process.
func (b *Bus) clean(s string) string {
	if b.redact == nil {
		return s
	}
	return b.redact.Text(s)
}

// Node is the name of this process.
func (b *Bus) Node() string { return b.node }

// Close sends what is still buffered, ends every subscription and closes the
// connection. Services must be stopped before.
func (b *Bus) Close() error {
	if b.nc.IsClosed() {
		return nil
	}
	err := b.nc.Drain()
	if err == nil {
		select {
		case <-b.closed:
			return nil
		case <-time.After(5 * time.Second):
			err = errors.New("bus: draining took longer than 5 s")
		}
	}
	b.nc.Close()
	<-b.closed
	return err
}

// setUp makes the streams and stores.
func (b *Bus) setUp(ctx context.Context, o ConnectOptions, where string) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	var err error
	if b.js, err = jetstream.New(b.nc); err != nil {
		return Errorf(GiveUp, CodeNoJetStream, "JetStream at %s: %w", where, err)
	}
	if _, err := b.js.AccountInfo(ctx); err != nil {
		return Errorf(GiveUp, CodeNoJetStream, "NATS at %s has no JetStream (%w); start it with -js and a store folder", where, err)
	}
	if v := b.nc.ConnectedServerVersion(); olderThan210(v) {
		return Errorf(GiveUp, CodeNoJetStream, "NATS at %s is version %s; Quartet needs 2.10 or later", where, v)
	}
	replicas := orDefault(o.Replicas, 1)
	journal, err := b.stream(ctx, jetstream.StreamConfig{
		Name: StreamJournal, Subjects: []string{journalSubjects}, Description: "what happened in every run",
		Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxBytes: 2 << 30, MaxMsgSize: maxEvent, DenyDelete: true, DenyPurge: true, Replicas: replicas,
		// Direct reads may come from a lagging follower; the journal is read from its leader.
		AllowDirect: false,
	})
	if err != nil {
		return err
	}
	b.journal = newJournal(b, journal)
	if b.runs, err = b.stream(ctx, jetstream.StreamConfig{
		Name: StreamRuns, Subjects: []string{runSubjects}, Description: "runs that wait for a planner",
		Storage: jetstream.FileStorage, Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
		MaxBytes: 256 << 20, MaxMsgSize: maxEvent, Replicas: replicas,
	}); err != nil {
		return err
	}
	if _, err = b.stream(ctx, jetstream.StreamConfig{
		Name: StreamDead, Subjects: []string{deadSubjects}, Description: "runs that no planner could handle",
		Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld,
		MaxBytes: 256 << 20, MaxAge: 90 * 24 * time.Hour, Replicas: replicas,
	}); err != nil {
		return err
	}
	scenes, err := b.stream(ctx, jetstream.StreamConfig{
		Name: StreamScenes, Subjects: []string{sceneSubjects}, Description: "page trees",
		Storage: jetstream.MemoryStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld,
		MaxBytes: 256 << 20, MaxAge: orDefault(o.SceneTTL, time.Hour), MaxMsgsPerSubject: 1, AllowDirect: true,
	})
	if err != nil {
		return err
	}
	b.scenes = &sceneStore{b: b, stream: scenes}
	if b.sessions, err = b.bucket(ctx, jetstream.KeyValueConfig{
		Bucket: bucketSessions, Description: "facts about browser sessions that agents share",
		Storage: jetstream.FileStorage, History: 1, MaxBytes: 256 << 20, Replicas: replicas,
	}); err != nil {
		return err
	}
	objects, err := b.objects(ctx, jetstream.ObjectStoreConfig{
		Bucket: bucketBlobs, Description: "screenshots, traces, downloads",
		Storage: jetstream.FileStorage, MaxBytes: 4 << 30, Replicas: replicas,
	})
	if err != nil {
		return err
	}
	b.blobs = &blobStore{b: b, objects: objects}
	return nil
}

// stream returns the stream as it is, or makes it. Two processes may do so at
// the same time. A server that cannot promise so much room is asked without a
// promise.
func (b *Bus) stream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := b.js.Stream(ctx, c.Name)
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return s, storeError(err, "stream "+c.Name)
	}
	s, err = b.js.CreateStream(ctx, c)
	if isNoRoom(err) {
		c.MaxBytes = 0
		s, err = b.js.CreateStream(ctx, c)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		s, err = b.js.Stream(ctx, c.Name)
	}
	return s, storeError(err, "stream "+c.Name)
}

func (b *Bus) bucket(ctx context.Context, c jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	kv, err := b.js.KeyValue(ctx, c.Bucket)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return kv, storeError(err, "bucket "+c.Bucket)
	}
	kv, err = b.js.CreateKeyValue(ctx, c)
	if isNoRoom(err) {
		c.MaxBytes = 0
		kv, err = b.js.CreateKeyValue(ctx, c)
	}
	if errors.Is(err, jetstream.ErrBucketExists) {
		kv, err = b.js.KeyValue(ctx, c.Bucket)
	}
	return kv, storeError(err, "bucket "+c.Bucket)
}

func (b *Bus) objects(ctx context.Context, c jetstream.ObjectStoreConfig) (jetstream.ObjectStore, error) {
	s, err := b.js.ObjectStore(ctx, c.Bucket)
	if !errors.Is(err, jetstream.ErrBucketNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return s, storeError(err, "object store "+c.Bucket)
	}
	s, err = b.js.CreateObjectStore(ctx, c)
	if isNoRoom(err) {
		c.MaxBytes = 0
		s, err = b.js.CreateObjectStore(ctx, c)
	}
	if errors.Is(err, jetstream.ErrBucketExists) {
		s, err = b.js.ObjectStore(ctx, c.Bucket)
	}
	return s, storeError(err, "object store "+c.Bucket)
}

// isNoRoom recognises that a reservation of MaxBytes exceeds what the server
// or the account has.
func isNoRoom(err error) bool {
	var api jetstream.JetStreamError
	if !errors.As(err, &api) || api.APIError() == nil {
		return false
	}
	switch api.APIError().ErrorCode {
	case 10047, 10028, 10023:
		return true
	}
	return false
}

func storeError(err error, what string) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	d := GiveUp
	for _, passing := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, jetstream.ErrNoStreamResponse,
		nats.ErrReconnectBufExceeded, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
	} {
		if errors.Is(err, passing) {
			d = Retry
		}
	}
	return Errorf(d, CodeStore, "%s: %w", what, err)
}

func olderThan210(version string) bool {
	p := strings.SplitN(version, ".", 3)
	if len(p) < 2 {
		return false
	}
	switch {
	case len(p[0]) == 1 && p[0] < "2":
		return true
	case p[0] == "2":
		return len(p[1]) < 2
	}
	return false
}

// hostName is part of what identifies a replica to people.
func hostName() string {
	h, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return h
}
