// Package aria is the model of what a person can perceive or operate on a page:
// a tree of roles, names, states and refs, with its renderings (compact,
// playwright, json), diffs, search and the placing of a described target.
//
// It is pure: it knows neither the browser nor the bus, and its functions are
// safe for concurrent use as long as nobody writes to the trees given to them.
package aria

// A Tree is one observation of a page, in full.
type Tree struct {
	// Version counts the observations of a session from 1 ("@7"). Trees of one
	// session with equal versions are equal.
	Version int `json:"version"`
	// Document names the top frame's document (its loader); refs of an earlier
	// document are stale.
	Document string   `json:"document"`
	URL      string   `json:"url"`
	Title    string   `json:"title"`
	Tab      string   `json:"tab,omitempty"`
	Viewport Viewport `json:"viewport"`
	Root     *Node    `json:"root"`
	// Stale is set when the page did not answer in time and this is the last
	// known tree.
	Stale bool `json:"stale,omitempty"`
	// Partial is set where a large page was seen for the first time, and these are
	// its first elements.
	Partial bool `json:"partial,omitempty"`
	// Notes say what could not be seen, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// A Viewport is the visible part of the page, in CSS pixels.
type Viewport struct {
	W       float64 `json:"w"`
	H       float64 `json:"h"`
	ScrollX float64 `json:"scroll_x"`
	ScrollY float64 `json:"scroll_y"`
	PageW   float64 `json:"page_w"`
	PageH   float64 `json:"page_h"`
	DPR     float64 `json:"dpr"`
}

// A Box is in CSS pixels of the top frame's viewport, also inside frames.
type Box struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// A Node is one element, or with Role "text" a run of text.
//
// Roles are ARIA roles, "text" for text, "generic" for a node kept for its ref
// or its grouping alone, "iframe", and for things that ARIA has no role for
// "canvas", "video", "audio", "object".
type Node struct {
	Ref  string `json:"ref,omitempty"`
	Role string `json:"role"`
	Name string `json:"name,omitempty"`
	// Text is the text of a "text" node.
	Text string `json:"text,omitempty"`
	// Label is the visible text where it differs from Name and Children do not
	// carry it.
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
	Placeholder string `json:"placeholder,omitempty"`
	// Value is the live value of a field, the chosen option's label of a
	// select; nil where the role has none. Masked values hold "•" only.
	Value  *string `json:"value,omitempty"`
	Masked bool    `json:"masked,omitempty"`
	// InputType is the type of an HTML input ("date", "file", …).
	InputType string `json:"input_type,omitempty"`
	URL       string `json:"url,omitempty"` // links: href as written
	Level     int    `json:"level,omitempty"`

	// Tri-states: "" does not apply, else "true", "false" or "mixed".
	Checked  string `json:"checked,omitempty"`
	Pressed  string `json:"pressed,omitempty"`
	Selected string `json:"selected,omitempty"`
	Expanded string `json:"expanded,omitempty"`

	Disabled       bool   `json:"disabled,omitempty"`
	Active         bool   `json:"active,omitempty"` // has the focus
	Required       bool   `json:"required,omitempty"`
	ReadOnly       bool   `json:"readonly,omitempty"`
	Modal          bool   `json:"modal,omitempty"`
	Busy           bool   `json:"busy,omitempty"`
	Invalid        string `json:"invalid,omitempty"` // "true", "grammar", "spelling"
	InvalidMessage string `json:"invalid_message,omitempty"`
	Current        string `json:"current,omitempty"`
	HasPopup       string `json:"haspopup,omitempty"`
	Sort           string `json:"sort,omitempty"`
	Live           string `json:"live,omitempty"`

	ValueNow  string `json:"value_now,omitempty"`
	ValueMin  string `json:"value_min,omitempty"`
	ValueMax  string `json:"value_max,omitempty"`
	Options   int    `json:"options,omitempty"` // of a select: how many
	RowCount  int    `json:"row_count,omitempty"`
	ColCount  int    `json:"col_count,omitempty"`
	PosInSet  int    `json:"pos_in_set,omitempty"`
	SetSize   int    `json:"set_size,omitempty"`
	RowSpan   int    `json:"row_span,omitempty"` // of a cell, where it is more than 1
	ColSpan   int    `json:"col_span,omitempty"`
	Controls  string `json:"controls,omitempty"`   // ref of the popup this node owns
	FrameNote string `json:"frame_note,omitempty"` // iframe: "loading", "lazy" (loads when scrolled to), "unreachable", "refused"

	// Looks says what only the paint says, where it differs from the node's like
	// siblings: "red text", "yellow background", "struck through", "bold", or a
	// state that only a class carries: "selected", "active", "disabled", "open".
	Looks string `json:"looks,omitempty"`
	// OnHover is set on what is not shown before the pointer is over the thing
	// that it belongs to.
	OnHover bool `json:"on_hover,omitempty"`

	Clickable   bool   `json:"clickable,omitempty"`  // by listener, pointer cursor…: operable without a role
	Focusable   bool   `json:"focusable,omitempty"`  // without a role, but the keyboard reaches it (tabindex)
	CoveredBy   string `json:"covered_by,omitempty"` // ref, or a short description, of what would receive a click
	Inert       bool   `json:"inert,omitempty"`
	Offscreen   bool   `json:"offscreen,omitempty"`   // outside the viewport, reachable by scrolling
	Unreachable bool   `json:"unreachable,omitempty"` // outside, and no scrolling brings it in; or without any size
	Clipped     bool   `json:"clipped,omitempty"`     // cut off by what it is in; text too
	Transparent bool   `json:"transparent,omitempty"` // text too
	PointerNone bool   `json:"pointer_none,omitempty"`
	AriaHidden  bool   `json:"aria_hidden,omitempty"` // painted, but hidden from assistive technology

	Box *Box `json:"box,omitempty"`
	// Rebinds counts how often Ref was bound to a new, equivalent element after
	// its own was replaced; a diff says so when it grows.
	Rebinds int `json:"rebinds,omitempty"`
	// Folded counts the descendants that a budget left out of this copy; 0 in
	// trees that an observation made.
	Folded int `json:"folded,omitempty"`

	// Key is what re-binds a ref when an equivalent node replaces this one: the
	// element's id, data-testid or name attribute. Never shown to a model.
	Key      string  `json:"key,omitempty"`
	Children []*Node `json:"children,omitempty"`
}
