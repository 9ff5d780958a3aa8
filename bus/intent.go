package bus

// An Action is what an intent asks the actor to do.
type Action string

// The actions. Check, Wait and Remember send no input; they still pass through
// attempt, receipt and verdict, so that a run has one kind of step only.
const (
	ActionOpen        Action = "open"      // Value: URL, absolute or relative to the current page
	ActionBack        Action = "back"      // history back
	ActionForward     Action = "forward"   // history forward
	ActionClick       Action = "click"     // Button, Modifiers, Count
	ActionHover       Action = "hover"     //
	ActionFill        Action = "fill"      // Value replaces what the field holds
	ActionType        Action = "type"      // Value is typed key by key after what is there
	ActionClear       Action = "clear"     //
	ActionReplace     Action = "replace"   // Find is replaced by Value inside the field
	ActionSelect      Action = "select"    // Values: options by visible label (native or custom)
	ActionPickDate    Action = "pick_date" // Value: ISO date, any kind of picker
	ActionCheck       Action = "check"     //
	ActionUncheck     Action = "uncheck"   //
	ActionToggle      Action = "toggle"    //
	ActionUpload      Action = "upload"    // Values: file paths, relative to the workflow's folder
	ActionDownload    Action = "download"  // click Target, and a download must arrive
	ActionDrag        Action = "drag"      // Target onto To
	ActionScroll      Action = "scroll"    // Target into view, or Value: up|down|top|bottom
	ActionPress       Action = "press"     // Value: key or chord, "Enter", "Control+S"; on Target or the focus
	ActionAccept      Action = "accept_dialog"
	ActionDismiss     Action = "dismiss_dialog"
	ActionSwitchTab   Action = "switch_tab" // Value: tab id, title, URL part, "new", "previous", "first", "last"
	ActionCloseTab    Action = "close_tab"  // Value: as for switch_tab; "" the current one
	ActionNewTab      Action = "new_tab"    // a blank one, which becomes the current tab; from clients only
	ActionWait        Action = "wait"       // until Expect holds, or for Value milliseconds at most
	ActionExpectation Action = "expect"     // Expect must hold now (within the horizon)
	ActionRemember    Action = "remember"   // As: variable; what Target (or Of) shows
	ActionEvaluate    Action = "evaluate"   // Value: a function, run in the page with Target; from clients only
)

// Risk says what a repetition of the intent would cost.
type Risk string

// The risks, from none to most. An unknown risk is treated as irreversible
// after a crash.
const (
	RiskRead         Risk = "read"         // changes nothing
	RiskIdempotent   Risk = "idempotent"   // fill, select, check: a repetition ends in the same state
	RiskReversible   Risk = "reversible"   // most clicks
	RiskIrreversible Risk = "irreversible" // pay, order, delete, send
)

// DialogLeave is the DialogAnswer of whoever answers dialogs by intents of their own.
const DialogLeave = "leave"

// An Intent is what the planner wants next. Values may hold ${secret:NAME};
// only the actor expands it, into keystrokes (DESIGN 2.8).
type Intent struct {
	ID     string   `json:"id"`   // "i7", unique in the run
	Step   int      `json:"step"` // number of the workflow step, from 1; 0 in a model run
	Text   string   `json:"text"` // the step in a person's words; the second key to the target
	Action Action   `json:"action"`
	Target *Target  `json:"target,omitempty"`
	To     *Target  `json:"to,omitempty"` // drag destination
	Value  string   `json:"value,omitempty"`
	Values []string `json:"values,omitempty"`
	Find   string   `json:"find,omitempty"` // replace: the words to replace
	As     string   `json:"as,omitempty"`   // remember: the variable
	Of     string   `json:"of,omitempty"`   // remember: "url", "title", "count", "value" or "" for text or value
	// Button is "" (left), "right" or "middle"; Count 2 is a double click.
	Button    string   `json:"button,omitempty"`
	Count     int      `json:"count,omitempty"`
	Modifiers []string `json:"modifiers,omitempty"` // "Alt", "Control", "Meta", "Shift"
	// DialogAnswer says how a dialog that this intent raises is answered:
	// "accept", "dismiss", "leave" (it stays open for the next intent), or "" for
	// the session's policy (dismiss; a beforeunload is accepted only when the
	// intent is to leave).
	DialogAnswer string   `json:"dialog_answer,omitempty"`
	PromptText   string   `json:"prompt_text,omitempty"`
	Expect       []Expect `json:"expect,omitempty"`
	Risk         Risk     `json:"risk"`
	TimeoutMS    int      `json:"timeout_ms,omitempty"` // for the whole attempt; 0: the run's default
	// ReadyMS is how long a target that is not ready (hidden, covered, in
	// motion), or a dialog that is not open, is waited for; 0: most of TimeoutMS.
	ReadyMS int `json:"ready_ms,omitempty"`
}

// A Target says which element is meant: by Ref, or by words. With both, the
// words are a second key and a contradiction stops the attempt.
type Target struct {
	Ref string `json:"ref,omitempty"`
	// Words is the phrase as the person wrote it.
	Words string `json:"words,omitempty"`
	// Name is the quoted label, compared with the accessible name, label,
	// placeholder and text, in this order.
	Name string `json:"name,omitempty"`
	// Role is an ARIA role ("button"), or "" for any; Kind in the words of a
	// person ("field", "box", "list", "chart") narrows to a set of roles.
	Role string `json:"role,omitempty"`
	Kind string `json:"kind,omitempty"`
	// Ordinal chooses among equals in page order: 1 the first, -1 the last, 0 unset.
	Ordinal int     `json:"ordinal,omitempty"`
	Within  []Scope `json:"within,omitempty"` // outermost first
	Near    *Near   `json:"near,omitempty"`
	// Focused means the element that has the focus.
	Focused bool `json:"focused,omitempty"`
}

// A Scope narrows a target to a container: "in the row with …", "in the … dialog".
type Scope struct {
	Kind string `json:"kind"`           // "row", "dialog", "section", "list", "table", "form", "menu", "frame", "group", "navigation", "footer", "header", "main", "card", "chart", "" any
	Name string `json:"name,omitempty"` // words that the container's name or text holds; "" when the kind alone decides
	// Ordinal chooses among equal containers in page order ("in the second
	// row"): 1 the first, -1 the last, 0 unset.
	Ordinal int `json:"ordinal,omitempty"`
}

// Near places a target by another element's position.
type Near struct {
	Relation string `json:"relation"` // "next_to", "left_of", "right_of", "above", "below"
	Of       Target `json:"of"`
}

// An Expect is a typed expectation, judged by the verifier on fresh evidence.
type Expect struct {
	Kind    ExpectKind `json:"kind"`
	Target  *Target    `json:"target,omitempty"`
	Want    string     `json:"want,omitempty"` // value, text, URL, title, name or aria template
	Op      string     `json:"op,omitempty"`   // "equals", "contains", "matches" (regular expression), "" the kind's own default
	Count   int        `json:"count,omitempty"`
	CountOp string     `json:"count_op,omitempty"` // "", "at_least", "at_most"
	Not     bool       `json:"not,omitempty"`
	Text    string     `json:"text,omitempty"` // the words it was read from
}

// An ExpectKind names what an expectation looks at.
type ExpectKind string

// The kinds of expectation.
const (
	ExpectVisible  ExpectKind = "visible"  // Target, or any visible text Want
	ExpectGone     ExpectKind = "gone"     // the opposite
	ExpectValue    ExpectKind = "value"    // Target's value is Want (default: equals by meaning)
	ExpectChecked  ExpectKind = "checked"  // Target is checked, on, pressed or selected
	ExpectEnabled  ExpectKind = "enabled"  //
	ExpectURL      ExpectKind = "url"      // default: contains
	ExpectTitle    ExpectKind = "title"    // default: contains
	ExpectText     ExpectKind = "text"     // Target's (or the page's) text holds Want
	ExpectCount    ExpectKind = "count"    // as many elements match Target
	ExpectDownload ExpectKind = "download" // a file whose name matches Want arrived in this run
	ExpectDialog   ExpectKind = "dialog"   // a dialog whose message holds Want was seen during the attempt
	ExpectTab      ExpectKind = "tab"      // a tab whose title or URL holds Want is open
	ExpectFocused  ExpectKind = "focused"  // Target has the focus
	ExpectAria     ExpectKind = "aria"     // partial tree in the playwright form
	ExpectEmpty    ExpectKind = "empty"    // Target's value is empty
)
