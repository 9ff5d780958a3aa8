package actor_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quartet-agents/quartet/bus"
)

func (b *bench) log() []string { b.t.Helper(); return js[[]string](b, "log") }

func (b *bench) logs(want ...string) {
	b.t.Helper()
	if d := cmp.Diff(append([]string{}, want...), b.log()); d != "" {
		b.t.Errorf("the page saw (-want +got):\n%s", d)
	}
}

func TestClickTheOneThatIsMeant(t *testing.T) {
	b := serve(t, twins)
	r := b.do(click(role("button", "Sign in")))
	b.want(r)
	b.logs("button")
	if r.Target == nil || r.Target.Role != "button" || r.Aimed == nil || !r.Sent || r.Hit.Role != "button" {
		t.Errorf("receipt %+v", r)
	}
	if !slices.Contains(r.Hit.Events, "mousedown") || !slices.Contains(r.Hit.Events, "click") {
		t.Errorf("events %v", r.Hit.Events)
	}
	// Three equals: refused with all of them, and nothing is clicked.
	r = b.do(click(&bus.Target{Words: "the Sign in link", Name: "Sign in", Role: "link"}))
	b.refused(r, bus.RefusedAmbiguous)
	if len(r.Refusal.Candidates) != 2 || r.Refusal.Candidates[0].Ref == "" {
		t.Errorf("candidates %+v", r.Refusal.Candidates)
	}
	b.logs("button")
}

func TestNotFoundSaysWhatThereIs(t *testing.T) {
	b := serve(t, twins)
	in := click(named("Sign up"))
	in.TimeoutMS = 1500
	r := b.do(in)
	b.refused(r, bus.RefusedNotFound)
	if d := r.Refusal.Diagnosis; d == nil || len(d.Nearest) == 0 || d.URL == "" {
		t.Errorf("diagnosis %+v", d)
	}
	b.logs()
}

func TestCoveredIsRefusedUnsent(t *testing.T) {
	b := serve(t, covered)
	in := click(named("Pay"))
	in.TimeoutMS = 1500
	r := b.do(in)
	b.refused(r, bus.RefusedCovered, "Cookie wall")
	if r.Sent || r.Refusal.Diagnosis == nil || r.Refusal.Diagnosis.Covering == nil {
		t.Errorf("receipt %+v", r)
	}
	b.logs()
	js[any](b, "veil.remove(),1")
	b.want(b.do(click(named("Pay"))))
	b.logs("pay")
}

func TestScrollsContainersPastAStickyHeader(t *testing.T) {
	b := serve(t, sticky)
	r := b.do(click(named("Deep one")))
	b.want(r)
	b.logs("deep")
	if !strings.Contains(strings.Join(r.Notes, " "), "scrolled") {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestRowRedrawnBeforeTheClick(t *testing.T) {
	b := serve(t, rerender)
	in, p := b.prepare(click(named("Open Beta")))
	if p.Refusal != nil {
		t.Fatal(p.Refusal)
	}
	js[any](b, "draw(['Alpha','Beta']),1") // new nodes, the same rows
	r := b.act(b.attempt(in, p))
	b.settle(r)
	b.want(r)
	b.logs("Beta")

	in, p = b.prepare(click(named("Open Beta")))
	js[any](b, "draw(['Alpha','Gamma']),1") // another row stands there now
	r = b.act(b.attempt(in, p))
	b.settle(r)
	b.refused(r, bus.RefusedStale)
	if r.Sent {
		t.Error("something was sent")
	}
	b.logs("Beta")
}

func TestRefOfAnotherPageAndWordsAgainstRef(t *testing.T) {
	b := serve(t, twins)
	_, p := b.prepare(click(role("button", "Sign in")))
	b.settle(bus.Receipt{Attempt: b.attempt(bus.Intent{ID: "i2", Action: bus.ActionClick, Risk: bus.RiskReversible}, p).Attempt.ID})
	r := b.do(click(&bus.Target{Ref: p.Target.Ref, Words: "the Cancel button", Name: "Cancel"}))
	b.refused(r, bus.RefusedContradicts)
	r = b.do(click(&bus.Target{Ref: "e9999"}))
	b.refused(r, bus.RefusedStale)
	b.logs()
	b.want(b.do(click(&bus.Target{Ref: p.Target.Ref, Words: "Sign in"})))
	b.logs("button")
}

func TestClosedShadowRoot(t *testing.T) {
	b := serve(t, closedShadow)
	r := b.do(click(named("Confirm seat")))
	b.want(r)
	if r.Hit.Name != "Confirm seat" {
		t.Errorf("hit %+v", r.Hit)
	}
	b.want(b.do(fill(named("Seat note"), "ok")))
	b.logs("closed", "note:o", "note:ok") // typed key by key
}

func TestCrossSiteFrame(t *testing.T) {
	var paid string
	b := serve(t, framed)
	b.mux.HandleFunc("/card", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.Replace(cardForm, "said('pay:'+n.value+':'+event.isTrusted)", "fetch('/paid?n='+n.value+':'+event.isTrusted)", 1))
	})
	b.mux.HandleFunc("/paid", func(_ http.ResponseWriter, r *http.Request) { paid = r.URL.Query().Get("n") })
	b.want(b.do(bus.Intent{Action: bus.ActionOpen, Value: "/"}))
	r := b.do(fill(named("Card number"), "4242"))
	b.want(r)
	if r.Hit == nil || !strings.HasPrefix(r.Hit.Ref, "f") {
		t.Errorf("hit %+v", r.Hit)
	}
	b.want(b.do(bus.Intent{Action: bus.ActionType, Target: named("Card number"), Value: "11"}))
	r = b.do(click(named("Pay now")))
	b.want(r)
	if paid != "424211:true" {
		t.Errorf("the frame's server saw %q", paid)
	}
}

func TestCustomListsWithLateOptions(t *testing.T) {
	b := serve(t, combobox)
	r := b.do(choose(named("Plan"), "Business"))
	b.want(r)
	b.logs("plan:Business")
	if r.ValueAfter != "Business" || r.Matches == nil || r.Target.Role != "combobox" {
		t.Errorf("receipt %+v", r)
	}
	r = b.do(choose(named("Plan"), "Enterprise"))
	b.refused(r, bus.RefusedNoOption, "Team")
	b.logs("plan:Business", "esc")
}

func TestTypeaheadAndVirtualList(t *testing.T) {
	b := serve(t, typeahead)
	b.want(b.do(choose(named("City"), "Bern")))
	b.logs("city:Bern")
	b = serve(t, virtualList)
	b.want(b.do(choose(named("Country"), "Country 40")))
	b.logs("country:40")
}

func TestThreeDatePickers(t *testing.T) {
	b := serve(t, datePickers)
	pick := func(name, date string) bus.Receipt {
		t.Helper()
		r := b.do(bus.Intent{Action: bus.ActionPickDate, Target: named(name), Value: date})
		b.want(r)
		if r.Matches == nil || r.ValueAfter != date {
			t.Errorf("%s: %q, %v %q", name, r.ValueAfter, r.Matches, r.Notes)
		}
		return r
	}
	pick("Native", "2026-03-15")
	if got := js[string](b, "nat.value"); got != "2026-03-15" {
		t.Errorf("native %q", got)
	}
	pick("Choose date", "2027-02-28")
	if got := js[string](b, "document.getElementById('aria').value"); got != "02/28/2027" {
		t.Errorf("aria grid %q", got)
	}
	r := pick("Due", "2026-09-01")
	if got := js[string](b, "bare.value"); got != "1. September 2026" {
		t.Errorf("bare boxes %q", got)
	}
	if len(r.Escalations) != 1 || r.Escalations[0].Kind != bus.EscalateDatePicker || r.Escalations[0].Backend != "boxes" || r.Escalations[0].Width != 0 {
		t.Errorf("escalations %+v", r.Escalations)
	}
	pick("Start", "2026-01-05") // a plain field with a placeholder
	if got := js[string](b, "document.getElementById('aria').value"); got != "01/05/2026" {
		t.Errorf("plain field %q", got)
	}
}

func TestForms(t *testing.T) {
	b := serve(t, form)
	long := strings.Repeat("ünï¢ode 🙂 ", 1100)
	for _, c := range []struct {
		in       bus.Intent
		id, want string
	}{
		{fill(named("Name"), "Ada"), "name", "Ada"},
		{bus.Intent{Action: bus.ActionType, Target: named("Name"), Value: " Lovelace é"}, "name", "Ada Lovelace é"},
		{bus.Intent{Action: bus.ActionClear, Target: named("Name")}, "name", ""},
		{fill(named("Name"), long), "name", long},
		{fill(named("Amount"), "12.5"), "amount", "12.5"},
		{fill(named("Colour"), "#FF0000"), "col", "#ff0000"},
		{fill(named("Volume"), "7"), "vol", "7"},
		{bus.Intent{Action: bus.ActionReplace, Target: named("Notes"), Find: "draft", Value: "final"}, "notes", "old final text"},
		{fill(named("Card"), "4242424242424242"), "masked", "4242 4242 4242 4242"},
		{fill(named("Keys only"), "abc"), "keys", "abc"},
		{choose(named("Size"), "Large"), "size", "l"},
	} {
		r := b.do(c.in)
		t.Logf("%s %s: %d ms %q", c.in.Action, c.id, r.Millis, r.Notes)
		b.want(r)
		if r.Matches == nil {
			t.Errorf("%s %s: no read-back", c.in.Action, c.id)
		}
		if got := js[string](b, "document.getElementById('"+c.id+"').value"); got != c.want {
			t.Errorf("%s %s: the page holds %.60q", c.in.Action, c.id, got)
		}
	}
	b.want(b.do(bus.Intent{Action: bus.ActionReplace, Target: named("Message"), Find: "draft", Value: "final"}))
	if got := js[string](b, "rich.innerHTML"); got != "first <b>final</b>" {
		t.Errorf("rich text %q", got)
	}
	b.want(b.do(fill(named("Message"), "all new")))
	if got := js[string](b, "rich.innerText"); got != "all new" {
		t.Errorf("rich text %q", got)
	}
	short := func(in bus.Intent) bus.Intent { in.TimeoutMS = 800; return in }
	b.refused(b.do(short(fill(named("Fixed"), "y"))), bus.RefusedReadOnly)
	b.refused(b.do(short(click(named("Later")))), bus.RefusedDisabled)
	b.refused(b.do(choose(named("Size"), "Huge")), bus.RefusedDisabled)
	b.refused(b.do(choose(named("Size"), "Tiny")), bus.RefusedNoOption, "Small", "Large")
}

func TestChecks(t *testing.T) {
	// A switch that has never been set says nothing of its state: it is off.
	b := serve(t, form+hiddenBox+`<button role=switch aria-label=Silent onclick="this.setAttribute('aria-checked',this.getAttribute('aria-checked')!=='true');said('sw')">s</button>`)
	for _, c := range []struct {
		do   bus.Action
		want string
	}{{bus.ActionCheck, "true"}, {bus.ActionCheck, "true"}, {bus.ActionUncheck, "false"}, {bus.ActionToggle, "true"}} {
		r := b.do(bus.Intent{Action: c.do, Target: named("Agree")})
		b.want(r)
		if r.ValueAfter != c.want {
			t.Errorf("%s: %q", c.do, r.ValueAfter)
		}
	}
	b.want(b.do(bus.Intent{Action: bus.ActionCheck, Target: named("Notify me")}))
	b.want(b.do(bus.Intent{Action: bus.ActionCheck, Target: named("Silent")}))
	b.want(b.do(bus.Intent{Action: bus.ActionUncheck, Target: named("Silent")}))
	got := b.log()
	if d := cmp.Diff([]string{"cb:true", "cb:false", "cb:true", "on:true", "sw", "sw"}, got); d != "" {
		t.Error(d)
	}
}

func TestSecretsStayOut(t *testing.T) {
	b := serve(t, form)
	var all []byte
	for _, f := range []string{"Password", "API key"} {
		r := b.do(fill(named(f), "${secret:SHOP_PASSWORD}"))
		b.want(r)
		if !r.Masked || r.Matches == nil || !*r.Matches {
			t.Errorf("%s: %+v", f, r)
		}
		j, _ := json.Marshal(r)
		all = append(all, j...)
	}
	if got := js[string](b, "pw.value+key.value"); got != testSecret+testSecret {
		t.Errorf("typed %q", got)
	}
	// Later actions on a field that holds a secret don't tell it either.
	r := b.do(bus.Intent{Action: bus.ActionType, Target: named("API key"), Value: "x"})
	j, _ := json.Marshal(r)
	all = append(all, j...)
	b.refused(b.do(bus.Intent{Action: bus.ActionRemember, Target: named("API key"), As: "k"}), bus.RefusedSecret)
	if strings.Contains(string(all), testSecret) {
		t.Errorf("a receipt tells the secret: %s", all)
	}
	for e := range world.bus.Journal().Watch(b.ctx, b.run) {
		if strings.Contains(string(e.Data), testSecret) {
			t.Errorf("the journal tells the secret: %s", e.Data)
		}
		if e.Seq >= b.seq {
			break
		}
	}
	b.refused(b.do(fill(named("Password"), "${secret:NONE}")), bus.RefusedSecret, "NONE")
}

func TestDialogs(t *testing.T) {
	b := serve(t, dialogs)
	b.mux.HandleFunc("/second", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<title>Second</title>second") })
	r := b.do(click(named("Delete")))
	b.want(r)
	if len(r.Dialogs) != 1 || r.Dialogs[0].Answer != "dismissed" || r.Dialogs[0].Message != "Delete Acme?" {
		t.Errorf("dialogs %+v", r.Dialogs)
	}
	in := click(named("Delete"))
	in.DialogAnswer = "accept"
	b.want(b.do(in))
	in = click(named("Ask"))
	in.DialogAnswer, in.PromptText = "accept", "Ada"
	b.want(b.do(in))
	b.logs("del:false", "del:true", "ask:Ada")

	b.refused(b.do(bus.Intent{Action: bus.ActionAccept, TimeoutMS: 800}), bus.RefusedNoDialog)
	b.do(click(named("Late")))
	time.Sleep(900 * time.Millisecond) // the page's own timer
	in = click(named("Ask"))
	in.TimeoutMS = 1500
	r = b.act(b.attempt(func() (bus.Intent, bus.Prepared) {
		in.ID = "ix"
		in.Risk = bus.RiskReversible
		b.append(bus.EventIntent, in)
		return in, bus.Prepared{}
	}()))
	b.settle(r)
	b.refused(r, bus.RefusedDialogOpen, "Sure?")
	r = b.do(bus.Intent{Action: bus.ActionAccept})
	if r.Refusal != nil || len(r.Dialogs) != 1 || r.Dialogs[0].Answer != "accepted" {
		t.Errorf("%+v", r)
	}
	b.logs("del:false", "del:true", "ask:Ada", "late:true")

	b.want(b.do(click(named("Arm"))))
	r = b.do(click(named("Second"))) // a click is no leave: the page keeps
	if r.URLAfter != b.site.URL+"/" || len(r.Dialogs) != 1 || r.Dialogs[0].Type != "beforeunload" {
		t.Errorf("after the click: %s %+v", r.URLAfter, r.Dialogs)
	}
	r = b.do(bus.Intent{Action: bus.ActionOpen, Value: "/second"})
	b.want(r)
	if r.URLAfter != b.site.URL+"/second" {
		t.Errorf("after open: %s", r.URLAfter)
	}
}

func TestFiles(t *testing.T) {
	b := serve(t, files)
	const csv = "id,name\n1,Acme\n"
	if err := os.WriteFile(filepath.Join(world.root, "in.csv"), []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(world.root), "outside.csv"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.mux.HandleFunc("/report.csv", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		fmt.Fprint(w, csv)
	})
	up := func(name, file string) bus.Receipt {
		return b.do(bus.Intent{Action: bus.ActionUpload, Target: named(name), Values: []string{file}})
	}
	b.want(up("Import", "in.csv"))
	b.want(up("Attach", "in.csv"))
	b.want(up("Drop here", "in.csv"))
	js[any](b, "new Promise(r=>setTimeout(r,100))")
	b.logs("file:in.csv:a,b\n", "attach:in.csv:a,b\n", "drop:in.csv:a,b\n")
	b.refused(up("Import", "../outside.csv"), bus.RefusedFile)
	b.refused(up("Import", "none.csv"), bus.RefusedFile)

	// A file that came with the run.
	key, err := world.bus.Blobs().Put(b.ctx, []byte("from blob"))
	if err != nil {
		t.Fatal(err)
	}
	in, p := b.prepare(bus.Intent{Action: bus.ActionUpload, Target: named("Import"), Values: []string{"data/seats.csv"}})
	req := b.attempt(in, p)
	req.Files = map[string]string{"data/seats.csv": key}
	r := b.act(req)
	b.settle(r)
	b.want(r)
	js[any](b, "new Promise(r=>setTimeout(r,100))")
	if got := b.log(); got[len(got)-1] != "file:seats.csv:from blob" {
		t.Errorf("%q", got)
	}

	r = b.do(bus.Intent{Action: bus.ActionDownload, Target: named("Report")})
	b.want(r)
	if len(r.Downloads) != 1 {
		t.Fatalf("downloads %+v %q", r.Downloads, r.Notes)
	}
	d := r.Downloads[0]
	sum := sha256.Sum256([]byte(csv))
	if d.Name != "report.csv" || d.Size != int64(len(csv)) || d.SHA256 != hex.EncodeToString(sum[:]) || d.State != "completed" {
		t.Errorf("download %+v", d)
	}
	if data, err := world.bus.Blobs().Get(b.ctx, d.Blob); err != nil || string(data) != csv {
		t.Errorf("kept %q %v", data, err)
	}
}

func TestTabs(t *testing.T) {
	b := serve(t, logger+`<a href="/help" target=_blank>Help</a><button onclick="said('back')">Main</button>`)
	b.mux.HandleFunc("/help", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<title>Help pages</title><button onclick=\"window.clicked=1\">Got it</button>")
	})
	first := b.sess.Tab
	r := b.do(click(named("Help")))
	b.want(r)
	if len(r.NewTabs) != 1 || r.Tab != r.NewTabs[0].ID || r.NewTabs[0].Opener != first || !strings.HasSuffix(r.URLAfter, "/help") {
		t.Errorf("new tabs %+v, current %s, %s", r.NewTabs, r.Tab, r.URLAfter)
	}
	b.want(b.do(click(named("Got it"))))
	if js[int](b, "window.clicked") != 1 {
		t.Error("the new tab was not clicked")
	}
	r = b.do(bus.Intent{Action: bus.ActionSwitchTab, Value: "previous"})
	if r.Refusal != nil || r.Tab != first {
		t.Errorf("switched to %s %+v", r.Tab, r.Refusal)
	}
	b.want(b.do(click(named("Main"))))
	b.logs("back")
	b.refused(b.do(bus.Intent{Action: bus.ActionSwitchTab, Value: "nowhere"}), bus.RefusedNotFound, "Help pages")
	r = b.do(bus.Intent{Action: bus.ActionCloseTab, Value: "Help pages"})
	if r.Refusal != nil || len(r.Tabs) != 1 || r.Tab != first {
		t.Errorf("closed: %+v", r)
	}
}

func TestDrag(t *testing.T) {
	b := serve(t, dragging)
	b.want(b.do(bus.Intent{Action: bus.ActionDrag, Target: named("Task"), To: named("Done")}))
	b.logs("start", "drop:task")
	b.want(b.do(bus.Intent{Action: bus.ActionDrag, Target: named("Knob"), To: named("End")}))
	if got := b.log(); len(got) != 3 || !strings.HasPrefix(got[2], "knob:4") {
		t.Errorf("%q", got)
	}
}

func TestHostilePage(t *testing.T) {
	b := serve(t, hostile)
	r := b.do(click(named("Send it")))
	b.want(r)
	if r.Hit == nil || !slices.Contains(r.Hit.Events, "click") {
		t.Errorf("hit %+v", r.Hit)
	}
}

func TestSwapUnderThePointer(t *testing.T) {
	b := serve(t, swap)
	in := click(named("Approve"))
	in.TimeoutMS = 1500
	r := b.do(in)
	b.refused(r, bus.RefusedCovered, "Reject")
	b.logs()
}

func TestKeysHoverScrollRemember(t *testing.T) {
	b := serve(t, logger+`<label>Find <input id=q onkeydown="if(event.key==='Enter')said('enter:'+q.value)"></label>
<div role=button tabindex=0 aria-label="Menu" onmouseenter="m.hidden=false">Menu</div><div id=m hidden><button onclick="said('item')">Item</button></div>
<p id=total role=status>Total 42 €</p><div style="height:4000px"></div><p>The end</p>
<script>onkeydown=e=>{if(e.ctrlKey&&e.key==='s'){e.preventDefault();said('save')}}</script>`)
	b.want(b.do(fill(named("Find"), "abc")))
	b.want(b.do(bus.Intent{Action: bus.ActionPress, Value: "Enter"}))
	b.want(b.do(bus.Intent{Action: bus.ActionPress, Value: "Control+S", Target: named("Find")}))
	b.want(b.do(bus.Intent{Action: bus.ActionHover, Target: named("Menu")}))
	b.want(b.do(click(named("Item"))))
	b.logs("enter:abc", "save", "item")
	r := b.do(bus.Intent{Action: bus.ActionRemember, Target: role("status", ""), As: "total"})
	if r.Refusal != nil || r.Read == nil || *r.Read != "Total 42 €" {
		t.Errorf("read %v %+v", r.Read, r.Refusal)
	}
	b.want(b.do(bus.Intent{Action: bus.ActionScroll, Value: "bottom"}))
	if js[int](b, "Math.round(scrollY)") < 3000 {
		t.Error("not scrolled")
	}
}

func TestNavigation(t *testing.T) {
	b := serve(t, "<h1>One</h1>")
	b.mux.HandleFunc("/two", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<title>Two</title><h1>Two</h1>") })
	b.mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.2:1/x", http.StatusFound)
	})
	open := func(u string) bus.Receipt { return b.do(bus.Intent{Action: bus.ActionOpen, Value: u}) }
	r := open("two")
	b.want(r)
	if r.URLAfter != b.site.URL+"/two" || r.URLBefore != b.site.URL+"/" {
		t.Errorf("%s → %s", r.URLBefore, r.URLAfter)
	}
	r = b.do(bus.Intent{Action: bus.ActionBack})
	b.want(r)
	if r.URLAfter != b.site.URL+"/" {
		t.Errorf("back to %s", r.URLAfter)
	}
	b.want(b.do(bus.Intent{Action: bus.ActionForward}))
	r = open("http://example.com/")
	b.refused(r, bus.RefusedOrigin)
	if r.Sent {
		t.Error("sent")
	}
	b.refused(open("/away"), bus.RefusedOrigin)
	b.site.Close()
	b.refused(open("/two"), bus.RefusedUnreachable, "ERR_CONNECTION_REFUSED")
}

func TestGate(t *testing.T) {
	b := serve(t, twins)
	in, p := b.prepare(click(role("button", "Sign in")))
	if p.Refusal != nil {
		t.Fatal(p.Refusal)
	}
	// An attempt that the journal does not hold.
	at := bus.Attempt{ID: in.ID + ".1", Intent: in.ID, Target: p.Target, Before: p.Before, Risk: in.Risk}
	req := bus.ActRequest{Run: b.run, Session: b.sess, Intent: in, Attempt: at, Seq: b.seq}
	b.refused(b.act(req), bus.RefusedNoVerdict, "does not hold")
	// One whose entry is not the last any more: another owner took over.
	req = b.attempt(in, p)
	b.append(bus.EventOwned, bus.Owned{Owner: "other", Epoch: 2})
	b.refused(b.act(req), bus.RefusedNoVerdict, "gone on")
	b.logs()
	// One that has a receipt, but no verdict.
	b.append(bus.EventReceipt, bus.Receipt{Attempt: req.Attempt.ID})
	req.Seq = b.seq
	b.refused(b.act(req), bus.RefusedNoVerdict)
	b.append(bus.EventVerdict, bus.Verdict{Attempt: req.Attempt.ID, Outcome: bus.NoEffect, Reasons: []string{"x"}})
	// The next try of the same intent, with another target than journaled.
	at.ID = in.ID + ".2"
	b.append(bus.EventAttempt, at)
	forged := at
	forged.Target = &bus.Element{Ref: "e1", Role: "link", Name: "Sign in"}
	b.refused(b.act(bus.ActRequest{Run: b.run, Session: b.sess, Intent: in, Attempt: forged, Seq: b.seq}), bus.RefusedNoVerdict, "differs")
	b.logs()
	good := bus.ActRequest{Run: b.run, Session: b.sess, Intent: in, Attempt: at, Seq: b.seq}
	first := b.act(good)
	b.want(first)
	// Given twice, done once; and the receipt can be asked for.
	again := b.act(good)
	if again.Hit == nil || again.Started != first.Started {
		t.Errorf("again %+v", again)
	}
	b.logs("button")
	kept, err := bus.Call[bus.ReceiptRequest, bus.Receipt](b.ctx, world.bus, bus.VerbReceipt, &b.sess, bus.ReceiptRequest{Attempt: at.ID, Run: b.run})
	if err != nil || kept.Lost || kept.Hit == nil {
		t.Errorf("kept %+v %v", kept, err)
	}
	if _, err := bus.Call[bus.ReceiptRequest, bus.Receipt](b.ctx, world.bus, bus.VerbReceipt, &b.sess, bus.ReceiptRequest{Attempt: "i99.1", Run: b.run}); err == nil {
		t.Error("a receipt of an attempt that never was")
	}
}

func TestCrashEndsTheAttemptAtOnce(t *testing.T) {
	b := serve(t, covered) // the veil keeps the attempt waiting
	in, p := b.prepare(click(named("Pay")))
	req := b.attempt(in, p)
	tab, err := world.pool.Tab(b.ctx, b.sess)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(500*time.Millisecond, func() {
		_ = tab.Session().Call(b.ctx, "Page.crash", map[string]any{}, nil) // never answered
	})
	started := time.Now()
	r := b.act(req)
	b.refused(r, bus.RefusedBrowserGone)
	if !r.Crashed || time.Since(started) > 9*time.Second {
		t.Errorf("crashed %v after %s", r.Crashed, time.Since(started))
	}
	b.settle(r)
	// The tab can be used again.
	again := b.act(b.attempt(b.open(b.site.URL + "/")))
	b.settle(again)
	if again.Refusal != nil || again.Crashed {
		t.Errorf("opened after a crash: %+v", again)
	}
	frames, err := tab.Frames(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	var words string
	if err := frames[0].Call(b.ctx, &words, `() => document.body.innerText`); err != nil || !strings.Contains(words, "Pay") {
		t.Errorf("%q, %v", words, err)
	}
}

// open is the intent that opens an address.
func (b *bench) open(url string) (bus.Intent, bus.Prepared) {
	in := bus.Intent{ID: "ix", Action: bus.ActionOpen, Value: url, Risk: bus.RiskReversible, TimeoutMS: 5000}
	b.append(bus.EventIntent, in)
	return in, bus.Prepared{}
}

// TestOpenLeavesADialog: an address is opened although the page asks something;
// the answer is no, and the receipt says so.
func TestOpenLeavesADialog(t *testing.T) {
	b := serve(t, `<button onclick="setTimeout(() => { document.title = confirm('Stay?') }, 500)">Later</button>`)
	b.do(click(named("Later")))
	time.Sleep(900 * time.Millisecond) // the page's own timer
	r := b.act(b.attempt(b.open("about:blank")))
	b.settle(r)
	if r.Refusal != nil || !strings.Contains(strings.Join(r.Notes, "\n"), `"Stay?" was open, and was dismissed`) {
		t.Errorf("%+v", r)
	}
}
