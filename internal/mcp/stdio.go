package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio is the transport over a pair of streams, one message a line. A line
// that is not JSON is answered with the protocol's parse error and skipped: a
// client's slip must not end its session.
func Stdio(in io.ReadCloser, out io.WriteCloser) mcp.Transport {
	w := &lockedWriter{out: out}
	r, pipe := io.Pipe()
	go func() {
		lines := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := lines.ReadBytes('\n')
			switch text := bytes.TrimSpace(line); {
			case len(text) == 0:
			case !json.Valid(text):
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this line is not JSON; send one JSON-RPC message a line"}}`+"\n")
			default:
				if _, werr := pipe.Write(append(text, '\n')); werr != nil {
					return // nobody reads any more
				}
			}
			if err != nil {
				_ = pipe.CloseWithError(err)
				return
			}
		}
	}()
	return &mcp.IOTransport{Reader: &bothEnds{Reader: r, pipe: r, in: in}, Writer: w}
}

// bothEnds closes the pipe and what feeds it.
type bothEnds struct {
	io.Reader
	pipe *io.PipeReader
	in   io.Closer
}

// Close ends the reading; a read of the terminal that is under way ends with
// the process.
func (b *bothEnds) Close() error {
	_ = b.pipe.Close()
	return b.in.Close()
}

// A lockedWriter writes whole messages, from any goroutine.
type lockedWriter struct {
	mu  sync.Mutex
	out io.WriteCloser
}

// Write writes one message.
func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close closes the stream.
func (w *lockedWriter) Close() error { return w.out.Close() }
