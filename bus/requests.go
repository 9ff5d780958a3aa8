package bus

import (
	"context"
	"encoding/json"
)

// OpenRequest asks the actor for a new session: a browser context with one
// blank tab. Endpoint "" lets the actor's process choose (its configured
// debugging port, or its own browser over a pipe).
type OpenRequest struct {
	Session        string   `json:"session"` // id of the session to make
	Endpoint       string   `json:"endpoint,omitempty"`
	AllowedOrigins []string `json:"allowed_origins"`
	// Secrets are the names that the workflow uses; the actor refuses at once
	// when it lacks one.
	Secrets []string `json:"secrets,omitempty"`
	// RestoreAt, where set, takes up a session whose browser is lost: what
	// SaveRequest kept last is restored, and the current tab opens this address.
	RestoreAt string `json:"restore_at,omitempty"`
}

// CloseRequest ends a session and everything that belongs to it.
type CloseRequest struct {
	Session Session `json:"session"`
}

// SaveRequest keeps the session's cookies and origin storage in the session
// state (key "browser"), for OpenRequest.RestoreAt; the newest counts, and it
// goes with the session.
type SaveRequest struct {
	Session Session `json:"session"`
}

// SaveReply is the answer to SaveRequest.
type SaveReply struct {
	Bytes int `json:"bytes"`
}

// ObserveRequest asks the observer for the page as it is now.
type ObserveRequest struct {
	Session Session `json:"session"`
	// Mode is "full", "diff" (against Base), or "auto": a diff where one is
	// possible and smaller.
	Mode string `json:"mode,omitempty"`
	Base int    `json:"base,omitempty"`
	// Format is "compact" (default), "playwright", "json", or "none" for the
	// scene alone.
	Format string   `json:"format,omitempty"`
	Budget int      `json:"budget,omitempty"` // tokens of Text; 0: the default
	Focus  []string `json:"focus,omitempty"`  // refs near the last action
	Ref    string   `json:"ref,omitempty"`    // only this subtree
	From   int      `json:"from,omitempty"`   // with Ref: so many of its children (of a table: rows) are skipped
	// At asks for a scene that was observed already: for its text, without
	// another look at the page.
	At *Scene `json:"at,omitempty"`
	// SettleMS waits until the page has been quiet (no mutation, request or
	// navigation), at most so long; 0 does not wait.
	SettleMS int `json:"settle_ms,omitempty"`
	// Part says that the first part of a large page will do where most of it is
	// new; a text within a small budget shows no more in any case.
	Part bool `json:"part,omitempty"`
	// ChangeMS waits so long for a change where the page is as it was in Base:
	// who looks again waits for something. 0 does not wait.
	ChangeMS int `json:"change_ms,omitempty"`
}

// An Observation is what the observer reports.
type Observation struct {
	Scene
	Kind      string   `json:"kind"` // "full" or "diff"
	Base      int      `json:"base,omitempty"`
	Text      string   `json:"text,omitempty"`
	TextKey   string   `json:"text_key,omitempty"` // in Bus.Scenes, where Text is too long for a message; see TextOf
	Tokens    int      `json:"tokens,omitempty"`   // of the text
	Truncated bool     `json:"truncated,omitempty"`
	Stale     bool     `json:"stale,omitempty"` // the page did not answer; this is the last known tree
	Dialog    *Dialog  `json:"dialog,omitempty"`
	Notes     []string `json:"notes,omitempty"`
	Millis    int64    `json:"millis"`
}

// maxText is the length in bytes from which a text goes to the scene store.
const maxText = MaxMessage / 4

// textWeight is how many bytes of a text weigh as much as a node of a scene.
const textWeight = 500

// KeepText puts a text that is too long for a message into the scene store.
func (o *Observation) KeepText(ctx context.Context, b *Bus) error {
	if len(o.Text) <= maxText {
		return nil
	}
	text := o.Text
	key, err := PutScene(ctx, b, &text, len(text)/textWeight)
	if err != nil {
		return err
	}
	o.Text, o.TextKey = "", key
	return nil
}

// TextOf returns an observation's text, wherever it is.
func TextOf(ctx context.Context, b *Bus, o Observation) (string, error) {
	if o.TextKey == "" {
		return o.Text, nil
	}
	text, err := GetScene[string](ctx, b, o.TextKey)
	if err != nil {
		return "", err
	}
	return *text, nil
}

// FindRequest searches the current page's tree.
type FindRequest struct {
	Session Session `json:"session"`
	Query   string  `json:"query"`         // text, "a | b", globs
	Ref     string  `json:"ref,omitempty"` // only in this subtree
	Context int     `json:"context,omitempty"`
	Budget  int     `json:"budget,omitempty"`
}

// PrepareRequest asks the actor which element an intent means. It sends no input.
type PrepareRequest struct {
	Run     string  `json:"run"`
	Session Session `json:"session"`
	Intent  Intent  `json:"intent"`
	// Look allows pixels under an escalation: "never", "auto" (default), "always".
	Look string `json:"look,omitempty"`
}

// Prepared is the answer to PrepareRequest: the target or a refusal.
type Prepared struct {
	Target      *Element     `json:"target,omitempty"`
	To          *Element     `json:"to,omitempty"`
	Before      Scene        `json:"before"`
	Refusal     *Refusal     `json:"refusal,omitempty"`
	Escalations []Escalation `json:"escalations,omitempty"`
}

// ActRequest asks the actor to carry out an attempt that the journal holds.
type ActRequest struct {
	Run     string  `json:"run"`
	Session Session `json:"session"`
	Intent  Intent  `json:"intent"`
	Attempt Attempt `json:"attempt"`
	// Seq is the journal sequence of the attempt; the actor refuses unless it
	// is the run's last entry.
	Seq uint64 `json:"seq"`
	// Files are the run's upload files: path as the workflow writes it → key
	// in Bus.Blobs. They were read when the run was submitted.
	Files map[string]string `json:"files,omitempty"`
}

// ReceiptRequest asks the actor for the receipt of an attempt that may have
// been carried out by a replica that died before it could answer.
type ReceiptRequest struct {
	Attempt string `json:"attempt"`
	Run     string `json:"run"`
}

// JudgeRequest asks the verifier for a verdict. It holds no reasoning of the
// planner's and no opinion of the actor's (DESIGN 2.2).
type JudgeRequest struct {
	Run     string  `json:"run"`
	Session Session `json:"session"`
	Intent  Intent  `json:"intent"`
	Attempt Attempt `json:"attempt"`
	Receipt Receipt `json:"receipt"`
	// Reopened is set where the browser of the attempt was lost, and the page
	// that can be observed was opened anew: what it shows otherwise is no effect.
	Reopened bool `json:"reopened,omitempty"`
	// HorizonMS is how long a late effect is waited for; 0: the default, 3 s.
	HorizonMS int `json:"horizon_ms,omitempty"`
	// Downloads are all that arrived in this run so far.
	Downloads []Download `json:"downloads,omitempty"`
	// Filled are the controls that attempts before this one filled in.
	Filled []Filled `json:"filled,omitempty"`
}

// A Filled is a control that an attempt brought to a value, with what it held
// before and after that, as its receipt says.
type Filled struct {
	Ref    string `json:"ref"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// CheckRequest asks the verifier whether expectations hold on fresh evidence:
// final checks, conditions, waits.
type CheckRequest struct {
	Session   Session    `json:"session"`
	Expect    []Expect   `json:"expect"`
	WithinMS  int        `json:"within_ms,omitempty"` // wait so long for all to hold; 0: look once
	Downloads []Download `json:"downloads,omitempty"`
}

// CheckReply is the answer to CheckRequest.
type CheckReply struct {
	Held   bool      `json:"held"` // all of them
	Checks []Checked `json:"checks"`
	Scene  Scene     `json:"scene"`
}

// LookRequest asks vision to find something in a region of the page.
type LookRequest struct {
	Session Session        `json:"session"`
	Kind    EscalationKind `json:"kind"`
	Trigger string         `json:"trigger"`
	// Ref's box is the region; Box is used where Ref is "".
	Ref   string `json:"ref,omitempty"`
	Box   Box    `json:"box"`
	Label string `json:"label"` // what to find: "March", "15"
	// Marks are elements to number in the picture for a model.
	Marks []Element `json:"marks,omitempty"`
}

// LookReply is the answer to LookRequest.
type LookReply struct {
	Found      bool       `json:"found"`
	Confidence float64    `json:"confidence"` // 0 to 1
	Box        Box        `json:"box"`        // of what was found, page coordinates
	At         Point      `json:"at"`         // where to click for it
	Read       []string   `json:"read,omitempty"`
	Escalation Escalation `json:"escalation"`
}

// ScreenshotRequest asks vision for a picture of the viewport for the report,
// secrets painted over. It is not an escalation: nothing reads it.
type ScreenshotRequest struct {
	Session Session `json:"session"`
}

// ScreenshotReply is the answer to ScreenshotRequest; Blob is a key in Bus.Blobs.
type ScreenshotReply struct {
	Blob   string `json:"blob"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// Raw is a reply or payload whose type the bus does not know.
type Raw = json.RawMessage
