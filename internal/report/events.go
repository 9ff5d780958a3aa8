// Package report tells people what a run did: events.jsonl, the run's journal as
// lines, and report.md and report.html, rendered from it. The journal is the
// only source: a report can be written again from events.jsonl and the blobs.
package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/quartet-agents/quartet/bus"
)

// maxLine bounds one event of events.jsonl; the bus allows none larger.
const maxLine = 1 << 20

// AppendEvent writes one event as a line of JSON.
func AppendEvent(w io.Writer, e bus.Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Load folds the events.jsonl of a run's folder. The error wraps fs.ErrNotExist
// when there is none. A last line that is cut off, as a crash leaves it, is
// passed over; anything else that does not fit is an error that names the line.
func Load(dir string) (*bus.RunState, error) {
	f, err := os.Open(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var state *bus.RunState
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		var e bus.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			if !lines.Scan() {
				break
			}
			return nil, fmt.Errorf("%s:%d: %w", f.Name(), n, err)
		}
		if state == nil {
			state = bus.NewRunState(e.Run)
		}
		if err := state.Apply(e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.Name(), n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if state == nil {
		state = bus.NewRunState(filepath.Base(dir))
	}
	return state, nil
}
