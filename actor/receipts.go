package actor

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/quartet-agents/quartet/bus"
)

// receiptKey is where a receipt is kept in the session's state, so that another
// replica can give it when the one that acted has died.
func receiptKey(attempt string) string { return "receipt." + attempt }

// stored returns the receipt of an attempt, nil when there is none.
func (a *Agent) stored(ctx context.Context, session, attempt string) (*bus.Receipt, error) {
	data, err := a.bus.GetSessionState(ctx, session, receiptKey(attempt))
	if e, ok := errors.AsType[*bus.Error](err); ok && e.Code == bus.CodeNotFound {
		return nil, nil
	}
	if err != nil || len(data) == 0 {
		return nil, err
	}
	var r bus.Receipt
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

var errBegun = errors.New("the attempt was begun already")

// begin marks the attempt as begun, before the first input. Of two replicas
// that are given the same attempt only one can.
func (a *Agent) begin(ctx context.Context, session string, r bus.Receipt) error {
	r.Lost = true // until the receipt replaces it
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	old, err := a.bus.CreateSessionState(ctx, session, receiptKey(r.Attempt), data)
	if err == nil && old != nil {
		return errBegun
	}
	return err
}

func (a *Agent) keep(ctx context.Context, session string, r bus.Receipt) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return a.bus.PutSessionState(ctx, session, receiptKey(r.Attempt), data)
}

// receipt answers actor.receipt. A receipt with Lost set says that the attempt
// was begun and that nobody knows how far it went; with Sent, that the input
// was sent, and what it hit; code not_found says that it
// was never begun.
func (a *Agent) receipt(ctx context.Context, req bus.ReceiptRequest) (bus.Receipt, error) {
	r, err := a.stored(ctx, req.Run, req.Attempt)
	if err != nil {
		return bus.Receipt{}, err
	}
	if r == nil {
		return bus.Receipt{}, bus.Errorf(bus.GiveUp, bus.CodeNotFound, "no receipt of attempt %s in run %s: it was never begun", req.Attempt, req.Run)
	}
	return *r, nil
}
