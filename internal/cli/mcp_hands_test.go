package cli

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/internal/demo"
)

// An answered is a tool's structured content, as a client reads it.
type answered struct {
	Verdict  string
	Reasons  []string
	Evidence []struct{ ID, Kind, Fact string }
	Checks   []struct {
		Expect string
		Held   bool
		Before *bool
	}
	Refusal      *struct{ Code, Message string }
	Irreversible bool
	AppliesTo    []string `json:"applies_to"`
	Done         []string
	NotDone      []string `json:"not_done"`
	Diff         string
	Version      int
	URL, Title   string
	Tabs         []struct {
		Index      int
		ID, URL    string
		Current    bool
		Title, Was string
	}
	Dialog *struct{ Type, Message string }

	text string
	bad  bool
}

// act calls a tool that answers with a verdict, which must be the one wanted; a
// text and the structured content must say the same.
func (c *client) act(verdict, tool string, args map[string]any) answered {
	c.t.Helper()
	res, err := c.s.CallTool(c.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	var a answered
	a.bad = res.IsError
	for _, part := range res.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			a.text += text.Text
		}
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil || json.Unmarshal(data, &a) != nil || a.Verdict == "" {
		c.t.Fatalf("%s %v: structured content %s, text\n%s", tool, args, data, a.text)
	}
	if a.Verdict != verdict || !strings.HasPrefix(a.text, "verdict: "+verdict+": ") || len(a.Reasons) == 0 || !strings.Contains(a.text, strings.TrimSpace(a.Diff)) {
		c.t.Fatalf("%s %v: verdict %q, want %q, with reasons and the diff in the text:\n%s", tool, args, a.Verdict, verdict, a.text)
	}
	return a
}

// ref is the ref of the only element with that role and name, among what
// follows the words after.
func (c *client) ref(role, name, after string) string {
	c.t.Helper()
	page := c.want("browser_snapshot", map[string]any{"format": "playwright"})
	at := strings.Index(page, after)
	m := regexp.MustCompile(`- ` + role + ` "` + regexp.QuoteMeta(name) + `"[^\n]*\[ref=((?:f\d+)?e\d+)\]`).FindStringSubmatch(page[max(at, 0):])
	if at < 0 || m == nil {
		c.t.Fatalf("no %s %q after %q in\n%s", role, name, after, page)
	}
	return m[1]
}

// TestMCPHands leads a client through every tool that acts, with both modes of
// input; the ledger tells what was really done.
func TestMCPHands(t *testing.T) {
	t.Parallel()
	for _, input := range []string{"browser", "page"} {
		t.Run(input, func(t *testing.T) {
			t.Parallel()
			hands(t, input)
		})
	}
}

func hands(t *testing.T, input string) {
	d, _ := serveDemo(t, demo.Options{})
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "people.csv"), []byte("name,email,role\nAda,ada@example.com,Owner\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, p, "--files", p.dir, "--input", input)
	at := func(path string) map[string]any { return map[string]any{"url": d.URL() + path} }
	did := func(want ...string) {
		t.Helper()
		if input == "page" {
			want = slices.DeleteFunc(want, func(kind string) bool { return kind == demo.KindContactDeleted })
		}
		if got := kinds(d.Ledger()); !slices.Equal(got, want) {
			t.Fatalf("the ledger holds %v, want %v", got, want)
		}
	}

	c.act("right", "browser_navigate", at("/login"))
	c.act("right", "browser_verify_element_visible", map[string]any{"role": "heading", "accessibleName": "Welcome back"})
	email, password := c.ref("textbox", "Email", ""), c.ref("textbox", "Password", "")
	signIn := c.ref("button", "Sign in", "")
	field := func(name, kind, ref, value string) map[string]any {
		return map[string]any{"name": name, "type": kind, "target": ref, "value": value}
	}
	// A sequence ends at the first field that fails, and says so.
	a := c.act("no_effect", "browser_fill_form", map[string]any{"fields": []any{
		field("Email", "textbox", email, demo.Email), field("Sign in", "textbox", signIn, "x"), field("Password", "textbox", password, "y")}})
	if !a.bad || len(a.Done) != 1 || len(a.NotDone) != 2 || !strings.Contains(a.text, "not done: Sign in ("+signIn+"), Password") {
		t.Errorf("done %v, not done %v, error %v:\n%s", a.Done, a.NotDone, a.bad, a.text)
	}
	a = c.act("right", "browser_fill_form", map[string]any{"fields": []any{field("Password", "textbox", password, demo.DefaultPassword),
		field("Keep me signed in", "checkbox", c.ref("checkbox", "Keep me signed in", ""), "true")}})
	if len(a.Done) != 2 || strings.Contains(a.text, demo.DefaultPassword) {
		t.Errorf("done %v:\n%s", a.Done, a.text)
	}
	// Words that mean another element stop the click, unsent.
	a = c.act("no_effect", "browser_click", map[string]any{"ref": signIn, "element": "Request access button"})
	if !a.bad || a.Refusal == nil || a.Refusal.Code != "contradicts" {
		t.Errorf("refusal %+v, error %v:\n%s", a.Refusal, a.bad, a.text)
	}
	did()
	a = c.act("right", "browser_click", map[string]any{"target": signIn, "element": "Sign in button", "expect": `The URL contains "/dashboard"`})
	if len(a.Checks) != 1 || !a.Checks[0].Held || a.Checks[0].Before == nil || *a.Checks[0].Before || !strings.HasSuffix(a.URL, "/dashboard") || a.Version == 0 || len(a.Evidence) == 0 {
		t.Errorf("%+v", a)
	}
	did(demo.KindSignIn)
	if weak := slices.ContainsFunc(a.Evidence, func(e struct{ ID, Kind, Fact string }) bool { return e.Kind == "input" }); weak != (input == "page") {
		t.Errorf("that the evidence is weaker is said: %v\n%+v", weak, a.Evidence)
	}

	// An invitation can't be taken back: the answer says so, and what to.
	c.act("right", "browser_navigate", at("/team"))
	c.act("right", "browser_type", map[string]any{"ref": c.ref("textbox", "Full name", ""), "element": "Full name", "text": "Bo Lind"})
	mail := c.ref("textbox", "Work email", "")
	c.act("right", "browser_type", map[string]any{"ref": mail, "text": "bo@example", "slowly": true})
	c.act("right", "browser_type", map[string]any{"ref": mail, "text": "bo@example.com"})
	c.act("right", "browser_select_option", map[string]any{"ref": c.ref("combobox", "Role", ""), "values": []string{"Administrator"},
		"expect": "- textbox \"Work email\": /^bo@/\n- combobox \"Role\": Administrator"})
	c.act("right", "browser_verify_value", map[string]any{"ref": mail, "type": "textbox", "element": "Work email", "value": "bo@example.com"})
	if a = c.act("no_effect", "browser_verify_value", map[string]any{"ref": mail, "value": "bo@example.org"}); !a.bad {
		t.Errorf("a value that is another is no error:\n%s", a.text)
	}
	a = c.act("right", "browser_click", map[string]any{"ref": c.ref("button", "Send invitation", ""), "expect": []string{`The page shows "Invitation sent"`}})
	if !a.Irreversible || len(a.AppliesTo) == 0 || !strings.Contains(a.AppliesTo[0], "Send invitation") {
		t.Errorf("irreversible %v, applies to %v:\n%s", a.Irreversible, a.AppliesTo, a.text)
	}
	did(demo.KindSignIn, demo.KindMemberInvited)

	// A dialog stays open until the client answers it.
	c.act("right", "browser_navigate", at("/settings"))
	people := c.ref("list", "Contacts", "")
	c.act("right", "browser_verify_list_visible", map[string]any{"ref": people, "element": "Contacts", "items": []string{"Noor Haddad"}})
	if input == "page" {
		// What only the pointer shows, no script can reach.
		c.act("right", "browser_hover", map[string]any{"ref": c.ref("checkbox", "Select", "Contacts")})
		if a = c.act("no_effect", "browser_click", map[string]any{"ref": c.ref("button", "Delete contact", "Noor Haddad")}); a.Refusal == nil || a.Refusal.Code != "hidden" {
			t.Errorf("refusal %+v:\n%s", a.Refusal, a.text)
		}
	} else {
		for _, accept := range []bool{false, true} {
			c.act("right", "browser_hover", map[string]any{"ref": c.ref("checkbox", "Select", "Contacts")}) // elsewhere first
			c.act("right", "browser_hover", map[string]any{"ref": c.ref("checkbox", "Select", "Sofia Marchetti")})
			remove := c.ref("button", "Delete contact", "Noor Haddad")
			if a = c.act("right", "browser_click", map[string]any{"ref": remove, "element": "Delete contact of Noor Haddad"}); a.Dialog == nil || a.Dialog.Type != "confirm" || !strings.Contains(a.text, "browser_handle_dialog") {
				t.Fatalf("dialog %+v:\n%s", a.Dialog, a.text)
			}
			c.refuse("browser_click", map[string]any{"ref": remove}, "dialog_open")
			c.act("right", "browser_handle_dialog", map[string]any{"accept": accept})
			if n := tally(d.Ledger(), demo.KindContactDeleted); n != map[bool]int{false: 0, true: 1}[accept] {
				t.Fatalf("accept %v: %d contacts were deleted", accept, n)
			}
		}
		c.act("right", "browser_wait_for", map[string]any{"textGone": "Noor Haddad", "time": 5})
	}
	c.act("right", "browser_press_key", map[string]any{"key": "Tab"})
	c.act("right", "browser_fill_form", map[string]any{"fields": []any{
		field("Ruth", "checkbox", c.ref("checkbox", "Select", `list "Contacts"`), "true"), field("Sofia", "checkbox", c.ref("checkbox", "Select", "Callum Reyes"), "true")}})
	a = c.act("right", "browser_click", map[string]any{"ref": c.ref("button", "Export selected", "")})
	if a.Irreversible || len(a.AppliesTo) != 2 || !strings.HasPrefix(a.AppliesTo[1], `2 selected: "Select Ruth Adeyemi`) {
		t.Errorf("irreversible %v, applies to %v:\n%s", a.Irreversible, a.AppliesTo, a.text)
	}
	grip := c.ref("generic", "⠿", `list "Dashboard order"`)
	c.act("right", "browser_drag", map[string]any{"startRef": grip, "endRef": c.ref("generic", "⠿", "text: Renewals"), "expect": `The page shows "Order saved"`})

	// The file field that was clicked last takes the file; others' folders don't.
	c.act("right", "browser_navigate", at("/import"))
	csv := c.ref("button", "CSV file", "")
	c.refuse("browser_file_upload", map[string]any{"ref": csv, "paths": []string{"/etc/hostname"}}, "outside")
	c.act("right", "browser_file_upload", map[string]any{"ref": csv, "paths": []string{"people.csv"}})
	c.act("right", "browser_click", map[string]any{"ref": c.ref("button", "Import", "Preview")})
	did(demo.KindSignIn, demo.KindMemberInvited, demo.KindContactDeleted, demo.KindContactsExported, demo.KindSettingsSaved, demo.KindCSVImported)

	a = c.act("right", "browser_tabs", map[string]any{"action": "new", "url": d.URL() + "/help/cookies"})
	if len(a.Tabs) != 2 || !strings.HasSuffix(a.URL, "/help/cookies") {
		t.Errorf("tabs %v at %s", a.Tabs, a.URL)
	}
	c.act("right", "browser_tabs", map[string]any{"action": "select", "index": 0})
	if a = c.act("right", "browser_tabs", map[string]any{"action": "list"}); len(a.Tabs) != 2 || !a.Tabs[0].Current || !strings.Contains(a.text, "- 0: (current) [Import contacts") {
		t.Errorf("tabs %+v:\n%s", a.Tabs, a.text)
	}
	if a = c.act("right", "browser_tabs", map[string]any{"action": "close", "index": 1}); len(a.Tabs) != 1 {
		t.Errorf("tabs %v", a.Tabs)
	}
	c.pictures(p, csv)
	c.badArguments(csv)
}

// pictures takes them of the view and of an element.
func (c *client) pictures(p *place, ref string) {
	c.t.Helper()
	size := func(args map[string]any) image.Point {
		c.t.Helper()
		res, err := c.s.CallTool(c.ctx, &mcp.CallToolParams{Name: "browser_take_screenshot", Arguments: args})
		if err != nil || res.IsError || len(res.Content) != 2 {
			c.t.Fatalf("%v: %v, %+v", args, err, res)
		}
		img, _, err := image.Decode(bytes.NewReader(res.Content[1].(*mcp.ImageContent).Data))
		if err != nil {
			c.t.Fatal(err)
		}
		return img.Bounds().Size()
	}
	if view, part := size(nil), size(map[string]any{"ref": ref}); part.X >= view.X || part.Y >= view.Y || part.X < 10 {
		c.t.Errorf("the view is %v, the element %v", view, part)
	}
	c.want("browser_take_screenshot", map[string]any{"filename": "page.jpg"}, "page.jpg")
	if kept, err := filepath.Glob(filepath.Join(p.dir, "runs", "mcp-*", "page.jpg")); err != nil || len(kept) != 1 {
		c.t.Errorf("pictures kept: %v, %v", kept, err)
	}
}

// badArguments are each one clear error.
func (c *client) badArguments(ref string) {
	c.t.Helper()
	for _, bad := range []struct {
		tool  string
		args  map[string]any
		words string
	}{
		{"browser_type", map[string]any{"ref": ref, "text": strings.Repeat("x", 10<<20)}, "the most is 65536"},
		{"browser_type", map[string]any{"ref": ref, "text": "x", "delay": 3}, "delay"},
		{"browser_type", map[string]any{"text": "x"}, "wants the ref"},
		{"browser_click", map[string]any{"target": "#import > button"}, "is no ref"},
		{"browser_click", map[string]any{"target": "e1", "ref": "e2"}, "two elements"},
		{"browser_click", map[string]any{"ref": ref, "expect": "Be happy"}, "can't read"},
		{"browser_click", map[string]any{"ref": ref, "expect": "- row: ["}, "aria template"},
		{"browser_click", map[string]any{"ref": ref, "modifiers": []string{"Hyper"}}, "ControlOrMeta"},
		{"browser_fill_form", map[string]any{"fields": []any{}}, "1 to 100 fields"},
		{"browser_fill_form", map[string]any{"fields": []any{map[string]any{"ref": ref, "type": "checkbox", "value": "yes"}}}, "true or false"},
		{"browser_select_option", map[string]any{"ref": ref, "values": []string{}}, "wants values"},
		{"browser_drag", map[string]any{"startRef": ref}, "the end"},
		{"browser_press_key", map[string]any{"key": "Flurb"}, "unknown key"},
		{"browser_handle_dialog", map[string]any{"accept": true}, "no dialog is open"},
		{"browser_tabs", map[string]any{"action": "select", "index": 7}, "no tab 7"},
		{"browser_tabs", map[string]any{"action": "shuffle"}, "list, new, close or select"},
		{"browser_wait_for", nil, "wants a time"},
		{"browser_take_screenshot", map[string]any{"fullPage": true}, "not offered"},
		{"browser_take_screenshot", map[string]any{"filename": "../up.png"}, "without a path"},
		{"browser_verify_text_visible", map[string]any{"text": " "}, "wants a text"},
		{"browser_wait_for", map[string]any{"time": 600}, "0 to 60 seconds"},
	} {
		c.refuse(bad.tool, bad.args, bad.words)
	}
}

// TestMCPLostBrowser: a browser that dies ends the session with an error that
// says what to do, and the run is closed.
func TestMCPLostBrowser(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newClient(t, p)
	c.act("right", "browser_navigate", map[string]any{"url": c.url + "/"})
	buy := c.ref("button", "Buy", "")
	killed := 0
	for pid, args := range processes(c.temp) {
		if strings.Contains(args, "--remote-debugging-pipe") && !strings.Contains(args, "--type=") && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Fatalf("no browser was found among %v", processes(c.temp))
	}
	c.refuse("browser_click", map[string]any{"ref": buy}, "the next call begins a new one")
	c.act("right", "browser_navigate", map[string]any{"url": c.url + "/"})
	if again := c.ref("button", "Buy", ""); again == "" {
		t.Error("the page is not there in the new browser")
	}
	if err := c.s.Close(); err != nil {
		t.Error(err)
	}
	if list := p.run(t, "runs", "list"); list.code != exitOK || !strings.Contains(list.out, "closed") {
		t.Errorf("the run is not closed: %v", list)
	}
}
