package bus

// A Session is the browser context and the tabs that belong to one run. Every
// request that concerns a page carries it whole, so that any replica of an
// agent can serve the request without having seen the session before.
type Session struct {
	// ID is unique for the life of the journal; a run's session has the run's id.
	ID string `json:"id"`
	// Endpoint is "pipe" for a browser driven over a pipe by the process Node,
	// or the http(s) or ws(s) address of a debugging port.
	Endpoint string `json:"endpoint"`
	// Node names the process that owns the pipe; empty for a debugging port.
	Node string `json:"node,omitempty"`
	// Context is the CDP browser context id; empty for the browser's default one.
	Context string `json:"context,omitempty"`
	// Tabs are the open tabs in order of opening; Tab is the current one's ID.
	Tabs []Tab  `json:"tabs,omitempty"`
	Tab  string `json:"tab,omitempty"`
	// AllowedOrigins are the origins (scheme://host[:port]) that documents may
	// come from, in any frame or tab. Empty allows none, "*" every http(s) one.
	AllowedOrigins []string `json:"allowed_origins,omitempty"`
}

// A Tab is one page of a session, with an ID ("t1") that is never reused in it.
type Tab struct {
	ID     string `json:"id"`
	Target string `json:"target"` // CDP target id
	URL    string `json:"url,omitempty"`
	Title  string `json:"title,omitempty"`
	Opener string `json:"opener,omitempty"` // ID of the tab that opened it
}

// Current returns the current tab, or false when the session has none.
func (s Session) Current() (Tab, bool) {
	for _, t := range s.Tabs {
		if t.ID == s.Tab {
			return t, true
		}
	}
	return Tab{}, false
}
