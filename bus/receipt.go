package bus

import (
	"net/http"
	"time"
)

// An Attempt is one try at an intent. It is in the journal, on disk, before the
// first input event is sent (DESIGN 2.4).
type Attempt struct {
	ID     string   `json:"id"`     // "i7.1"
	Intent string   `json:"intent"` // Intent.ID
	Target *Element `json:"target,omitempty"`
	To     *Element `json:"to,omitempty"`
	// Before is the observation on which the target was chosen; the actor
	// refuses when the element no longer matches it.
	Before Scene `json:"before"`
	Risk   Risk  `json:"risk"`
}

// An Element is what a ref stood for when it was looked at: enough to tell a
// person which one was meant, and to notice that another stands there now.
type Element struct {
	Ref   string `json:"ref"`
	Role  string `json:"role"`
	Name  string `json:"name"`
	Place string `json:"place,omitempty"` // short ancestry, `row "Invoice 1042" in table "Invoices"`
	Box   Box    `json:"box"`
	// Label is set for a spot inside an element that has no element of its own
	// (a bar on a canvas): what was meant; At is the point, in CSS pixels of
	// the top frame's viewport.
	Label string `json:"label,omitempty"`
	At    *Point `json:"at,omitempty"`
}

// A Box is in CSS pixels of the top frame's viewport.
type Box struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// A Point is in CSS pixels of the top frame's viewport.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// A Scene names one observation's full tree, kept in the scene store.
type Scene struct {
	Version int    `json:"version"`        // "@7"
	Tree    string `json:"tree,omitempty"` // key in the scene store, see Bus.Scenes
	URL     string `json:"url,omitempty"`
	Title   string `json:"title,omitempty"`
}

// A Receipt holds the facts that the actor saw while acting; no judgement.
type Receipt struct {
	Attempt string `json:"attempt"`
	// Sent is true once any input event or navigation has left for the browser.
	Sent bool `json:"sent"`
	// Lost is set by the run's owner when the actor died and no receipt can be had.
	Lost    bool     `json:"lost,omitempty"`
	Refusal *Refusal `json:"refusal,omitempty"` // why nothing, or not everything, was sent
	Target  *Element `json:"target,omitempty"`  // as it was at the moment of acting
	Aimed   *Point   `json:"aimed,omitempty"`
	// Input is "page" where the events were dispatched in the page by a script,
	// which is weaker evidence than the browser's own input; else "".
	Input string `json:"input,omitempty"`
	Hit   *Hit   `json:"hit,omitempty"`
	// ValueBefore and ValueAfter are read back from the control, masked for
	// passwords; Masked says so, and Matches then tells whether what was typed
	// is what the control holds.
	ValueBefore string     `json:"value_before,omitempty"`
	ValueAfter  string     `json:"value_after,omitempty"`
	Masked      bool       `json:"masked,omitempty"`
	Matches     *bool      `json:"matches,omitempty"`
	Read        *string    `json:"read,omitempty"` // remember: what was read
	Dialogs     []Dialog   `json:"dialogs,omitempty"`
	Downloads   []Download `json:"downloads,omitempty"`
	Requests    []Request  `json:"requests,omitempty"` // non-GET and document requests seen, at most 50
	NewTabs     []Tab      `json:"new_tabs,omitempty"`
	Tabs        []Tab      `json:"tabs,omitempty"` // all, after
	Tab         string     `json:"tab,omitempty"`  // current, after
	URLBefore   string     `json:"url_before,omitempty"`
	URLAfter    string     `json:"url_after,omitempty"`
	Blocked     []string   `json:"blocked,omitempty"` // URLs refused by the origin policy
	// BlockedPages are those of them that were to be the page itself, in its tab
	// or in a new one; the others were frames in it.
	BlockedPages []string     `json:"blocked_pages,omitempty"`
	Crashed      bool         `json:"crashed,omitempty"` // the tab's renderer died
	Notes        []string     `json:"notes,omitempty"`   // facts worth a person's reading: "scrolled 800 px", "href fallback"
	Traces       []Trace      `json:"traces,omitempty"`  // what the input left behind that no observation shows
	Escalations  []Escalation `json:"escalations,omitempty"`
	Started      time.Time    `json:"started"`
	Millis       int64        `json:"millis"`
}

// A Trace is something that changed after the input and that is in no tree.
type Trace struct {
	Kind TraceKind `json:"kind"`
	Fact string    `json:"fact"`
}

// A TraceKind is a kind of trace.
type TraceKind string

// The kinds of traces.
const (
	TraceScroll    TraceKind = "scroll"    // the page, or a part of it, scrolled
	TraceSelection TraceKind = "selection" // what is selected, or where the caret stands
	TraceCopy      TraceKind = "copy"      // something went to the clipboard
	TraceCanvas    TraceKind = "canvas"    // a canvas shows something else
	TraceMark      TraceKind = "mark"      // the page's own marks on the target (its data attributes)
	TraceOpener    TraceKind = "opener"    // the page that opened this one changed
)

// A Refusal is why the actor did not act. Code is stable, Message is for people.
type Refusal struct {
	Code       RefusalCode `json:"code"`
	Message    string      `json:"message"`
	Candidates []Element   `json:"candidates,omitempty"`
	Diagnosis  *Diagnosis  `json:"diagnosis,omitempty"`
}

// A RefusalCode is why the actor did not act.
type RefusalCode string

// The reasons for a refusal.
const (
	RefusedNotFound    RefusalCode = "not_found"
	RefusedAmbiguous   RefusalCode = "ambiguous"
	RefusedStale       RefusalCode = "stale"        // removed, replaced, navigated or recycled; Message says which
	RefusedContradicts RefusalCode = "contradicts"  // words against ref
	RefusedCovered     RefusalCode = "covered"      // another element would receive the event
	RefusedHidden      RefusalCode = "hidden"       //
	RefusedDisabled    RefusalCode = "disabled"     //
	RefusedUnstable    RefusalCode = "unstable"     // does not stop moving
	RefusedReadOnly    RefusalCode = "readonly"     //
	RefusedNoOption    RefusalCode = "no_option"    // select: no such option
	RefusedOrigin      RefusalCode = "origin"       // not among the allowed origins
	RefusedDialogOpen  RefusalCode = "dialog_open"  //
	RefusedNoDialog    RefusalCode = "no_dialog"    //
	RefusedNoVerdict   RefusalCode = "no_verdict"   // an earlier attempt has no verdict, or the journal does not hold this one
	RefusedUnreachable RefusalCode = "unreachable"  // the page did not load
	RefusedTimeout     RefusalCode = "timeout"      //
	RefusedUnsupported RefusalCode = "unsupported"  //
	RefusedSecret      RefusalCode = "secret"       // a secret is not available to this actor
	RefusedFile        RefusalCode = "file"         // an upload's file is missing or outside the workflow's folder
	RefusedScript      RefusalCode = "script"       // evaluate: the function threw, or returned too much
	RefusedBrowserGone RefusalCode = "browser_gone" //
)

// A Diagnosis is what was there instead of what was looked for.
type Diagnosis struct {
	URL      string    `json:"url,omitempty"`
	Title    string    `json:"title,omitempty"`
	ByRole   int       `json:"by_role"` // visible elements with that role
	ByName   int       `json:"by_name"` // with that name or label
	ByText   int       `json:"by_text"` // whose text holds the words
	Nearest  []Element `json:"nearest,omitempty"`
	Covering *Element  `json:"covering,omitempty"`
}

// A Hit is what the capture-phase probe saw receive the event.
type Hit struct {
	Ref    string   `json:"ref,omitempty"` // nearest element with a ref
	Role   string   `json:"role,omitempty"`
	Name   string   `json:"name,omitempty"`
	Inside bool     `json:"inside"` // the receiver is the target, inside it, or its label
	Events []string `json:"events,omitempty"`
	// Seen is false when no probe event came: the page moved on, or nothing was hit.
	Seen bool `json:"seen"`
}

// A Dialog is a JavaScript dialog and how it was answered.
type Dialog struct {
	Type    string `json:"type"` // alert, confirm, prompt, beforeunload
	Message string `json:"message"`
	Answer  string `json:"answer,omitempty"` // accepted, dismissed, "" still open
}

// A Download is a file that arrived.
type Download struct {
	Name   string `json:"name"`
	URL    string `json:"url,omitempty"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Blob   string `json:"blob,omitempty"` // key in Bus.Blobs
	State  string `json:"state"`          // completed, canceled
}

// A Request is one network request seen during an attempt, without its body.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Type   string `json:"type,omitempty"` // Document, XHR, Fetch, …
	Status int    `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Posts says whether the request may change something on the server.
func (r Request) Posts() bool {
	switch r.Method {
	case "", "GET", "HEAD", "OPTIONS":
		return false
	}
	return true
}

// Refused says that the server answered, and that it did not do what was asked:
// with a status of 400 to 499, but for 408, which only says that it waited too
// long. One of 500 and more may come after the deed (RFC 9110, 15.5 and 15.6).
func (r Request) Refused() bool {
	return r.Status >= 400 && r.Status < 500 && r.Status != http.StatusRequestTimeout
}

// An Escalation is a logged reason to look at pixels (DESIGN 2.5). Pixels 0
// means that boxes and text settled it.
type Escalation struct {
	Kind    EscalationKind `json:"kind"`
	Trigger string         `json:"trigger"`          // the words or the fact that called for it
	Backend string         `json:"backend"`          // "boxes", "tesseract", "openai/…"
	Width   int            `json:"width,omitempty"`  // of the picture that was read
	Height  int            `json:"height,omitempty"` //
	Tokens  int            `json:"tokens,omitempty"`
	Outcome string         `json:"outcome"`
	Blob    string         `json:"blob,omitempty"` // the picture, key in Bus.Blobs
	Millis  int64          `json:"millis"`
}

// An EscalationKind is one of the three reasons to look at pixels.
type EscalationKind string

// The three escalations.
const (
	EscalateCanvas     EscalationKind = "canvas"
	EscalateDatePicker EscalationKind = "date_picker"
	EscalateSpatial    EscalationKind = "spatial"
)
