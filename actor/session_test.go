package actor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/actor"
	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

func TestOpenRefusesMissingSecrets(t *testing.T) {
	b := serve(t, `<p>x`)
	id := b.run + "-more"
	_, err := bus.Call[bus.OpenRequest, bus.Session](b.ctx, world.bus, bus.VerbOpen, nil,
		bus.OpenRequest{Session: id, AllowedOrigins: []string{b.site.URL}, Secrets: []string{"SHOP_PASSWORD", "MAIL_TOKEN"}})
	e, ok := errors.AsType[*bus.Error](err)
	if !ok || e.Code != actor.CodeSecretMissing || e.Decision != bus.GiveUp {
		t.Fatalf("%#v", err)
	}
	for _, says := range []string{"MAIL_TOKEN", "secrets.env", "env_file"} {
		if !strings.Contains(e.Message, says) {
			t.Errorf("%q does not say %q", e.Message, says)
		}
	}
	if strings.Contains(e.Message, "SHOP_PASSWORD") {
		t.Errorf("%q names a secret that is there", e.Message)
	}
	s, err := bus.Call[bus.OpenRequest, bus.Session](b.ctx, world.bus, bus.VerbOpen, nil,
		bus.OpenRequest{Session: id, AllowedOrigins: []string{b.site.URL}, Secrets: []string{"SHOP_PASSWORD"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bus.Call[bus.CloseRequest, bus.Raw](b.ctx, world.bus, bus.VerbClose, &s, bus.CloseRequest{Session: s}); err != nil {
		t.Error(err)
	}
}

// TestSaveAndRestore: what was saved of a session comes back in a new browser
// context after the first is lost, and is gone once the session is closed.
func TestSaveAndRestore(t *testing.T) {
	b := serve(t, `<p>x`)
	b.mux.HandleFunc("/in", func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "who", Value: "anna", Path: "/", HttpOnly: true})
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>in</title><script>localStorage.setItem("draft", "seven")</script>`)
	})
	b.mux.HandleFunc("/desk", func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Cookie("who")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>desk of %s</title>`, strings.TrimPrefix(fmt.Sprint(c), "who="))
	})
	if r := b.do(bus.Intent{Action: bus.ActionOpen, Value: b.site.URL + "/in"}); r.Refusal != nil {
		t.Fatalf("%+v", r.Refusal)
	}
	saved, err := bus.Call[bus.SaveRequest, bus.SaveReply](b.ctx, world.bus, bus.VerbSave, &b.sess, bus.SaveRequest{Session: b.sess})
	if err != nil || saved.Bytes == 0 {
		t.Fatalf("%+v, %v", saved, err)
	}
	if err := world.pool.CloseSession(b.ctx, b.sess); err != nil { // as a browser that dies
		t.Fatal(err)
	}
	s, err := bus.Call[bus.OpenRequest, bus.Session](b.ctx, world.bus, bus.VerbOpen, nil,
		bus.OpenRequest{Session: b.run, AllowedOrigins: b.sess.AllowedOrigins, RestoreAt: b.site.URL + "/desk"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Context == b.sess.Context || len(s.Tabs) != 1 || s.Tabs[0].URL != b.site.URL+"/desk" || s.Tabs[0].Title != "desk of anna" {
		t.Errorf("restored: %+v", s)
	}
	b.sess = s
	if got := js[string](b, `localStorage.getItem("draft")`); got != "seven" {
		t.Errorf("storage: %q", got)
	}
	if _, err := bus.Call[bus.CloseRequest, bus.Raw](b.ctx, world.bus, bus.VerbClose, &s, bus.CloseRequest{Session: s}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"browser", "refs"} {
		if data, err := world.bus.GetSessionState(b.ctx, b.run, key); err != nil || len(data) > 0 {
			t.Errorf("after the end %q holds %d bytes, %v", key, len(data), err)
		}
	}
}

// TestSecretIsMaskedForOthers: the observer, which may be another process and
// then has no secrets to look for, does not report what one was typed into.
func TestSecretIsMaskedForOthers(t *testing.T) {
	b := serve(t, `<label>Token <input id=f></label> <label>Note <input id=n></label>`)
	for name, v := range map[string]string{"Token": "${secret:SHOP_PASSWORD}", "Note": "plain words"} {
		if r := b.do(fill(named(name), v)); r.Refusal != nil {
			t.Fatalf("%+v", r.Refusal)
		}
	}
	if got := js[string](b, `document.querySelector("#f").value`); got != testSecret {
		t.Fatalf("typed %q", got)
	}
	o, err := bus.Call[bus.ObserveRequest, bus.Observation](b.ctx, world.bus, bus.VerbObserve, &b.sess, bus.ObserveRequest{Session: b.sess, Mode: "full"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(o.Text, testSecret) || !strings.Contains(o.Text, "plain words") {
		t.Errorf("the observer says:\n%s", o.Text)
	}
	tree, err := bus.GetScene[aria.Tree](b.ctx, world.bus, o.Tree)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(tree); err != nil || strings.Contains(string(text), testSecret) {
		t.Error("the tree holds the secret")
	}
}

// TestHitIsKeptWhilePageSettles: an actor that dies after its input leaves
// behind what was hit, and what was posted.
func TestHitIsKeptWhilePageSettles(t *testing.T) {
	b := serve(t, `<button onclick="let n = 0; fetch('/order', {method: 'POST'}); const t = setInterval(() => { document.title = n; p.textContent = n++; if (n > 150) clearInterval(t) }, 10)">Go</button><p id=p>`)
	in, p := b.prepare(click(named("Go")))
	req := b.attempt(in, p)
	result := make(chan bus.Receipt, 1)
	go func() {
		r, err := bus.Call[bus.ActRequest, bus.Receipt](b.ctx, world.bus, bus.VerbAct, &b.sess, req)
		if err != nil {
			t.Error(err)
		}
		result <- r
	}()
	var kept bus.Receipt
	for !kept.Sent || len(kept.Requests) == 0 {
		select {
		case r := <-result:
			t.Fatalf("nothing was kept before the receipt: %+v", r)
		case <-b.ctx.Done():
			t.Fatal("time is up")
		case <-time.After(5 * time.Millisecond):
			kept, _ = bus.Call[bus.ReceiptRequest, bus.Receipt](b.ctx, world.bus, bus.VerbReceipt, nil, bus.ReceiptRequest{Attempt: req.Attempt.ID, Run: b.run})
		}
	}
	if !kept.Lost || kept.Hit == nil || !kept.Hit.Seen || !kept.Hit.Inside || kept.Requests[0].Method != "POST" || !strings.HasSuffix(kept.Requests[0].URL, "/order") {
		t.Errorf("kept meanwhile: %+v", kept)
	}
	r := <-result
	last, err := bus.Call[bus.ReceiptRequest, bus.Receipt](b.ctx, world.bus, bus.VerbReceipt, nil, bus.ReceiptRequest{Attempt: req.Attempt.ID, Run: b.run})
	if err != nil || last.Lost || r.Lost || last.Millis != r.Millis {
		t.Errorf("at the end: %+v, %v", last, err)
	}
	b.settle(r)
}
