package actor_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/bus"
)

// A page that only listens to keys reacts to a text as to a person's typing,
// whether it is short, long or on no keyboard; a field that completes what is
// typed holds just that.
func TestTextComesWithKeys(t *testing.T) {
	b := serve(t, logger+`
<label>Name <input onkeyup="out.textContent='Hello '+this.value" onkeypress="said(event.key)"></label><p id=out></p>
<label>Notes <textarea onkeyup="out.textContent=this.value.length"></textarea></label>
<label>City <input role=combobox aria-expanded=false onkeyup="if(event.key.length===1&&'berlin'.startsWith(this.value)){const n=this.value.length;this.value='berlin';this.setSelectionRange(n,6)}"></label>`)
	b.want(b.do(fill(named("Name"), "Ann")))
	b.logs("A", "n", "n")
	if got := js[string](b, "out.textContent"); got != "Hello Ann" {
		t.Errorf("the page says %q", got)
	}
	b.want(b.do(fill(named("Name"), "Ann Example of Oslo")))
	b.logs("A", "n", "n", "o")
	if got := js[string](b, "out.textContent"); got != "Hello Ann Example of Oslo" {
		t.Errorf("the page says %q", got)
	}
	b.want(b.do(fill(named("Name"), "Zoë 🎉")))
	if got := js[string](b, "out.textContent"); got != "Hello Zoë 🎉" {
		t.Errorf("the page says %q", got)
	}
	b.want(b.do(fill(named("Notes"), strings.Repeat("abcdefghi\n", 30))))
	if got := js[string](b, "out.textContent"); got != "300" {
		t.Errorf("the page says %q", got)
	}
	b.want(b.do(fill(named("City"), "be")))
	if got := js[string](b, "document.querySelector('[role=combobox]').value"); got != "be" {
		t.Errorf("the field holds %q", got)
	}
}

// What the page takes back later is seen; where nothing is to come, nothing is
// waited for.
func TestStateThatDoesNotLast(t *testing.T) {
	b := serve(t, `
<label><input type=checkbox id=late onchange="setTimeout(()=>this.checked=false,500)"> Renew</label>
<label><input type=checkbox id=kept onchange="setTimeout(()=>{},5000)"> News</label>
<label><input type=checkbox id=plain> Terms</label>
<label>Price <input id=price value=5 oninput="clearTimeout(this.t);this.t=setTimeout(()=>this.value=5,300)"></label>
<label>Plan <select id=plan onchange="setTimeout(()=>this.value='Free',500)"><option>Free<option>Team</select></label>
<label>Amount <input id=amount></label>`)
	check := func(name string) bus.Intent { return bus.Intent{Action: bus.ActionCheck, Target: named(name)} }
	if r := b.do(check("Renew")); r.ValueAfter != "false" || r.Matches == nil || *r.Matches || js[bool](b, "late.checked") {
		t.Errorf("a box that was taken back: %q, matches %v, %q", r.ValueAfter, r.Matches, r.Notes)
	}
	if r := b.do(fill(named("Price"), "99")); r.ValueAfter != "5" || *r.Matches || js[string](b, "price.value") != "5" {
		t.Errorf("a price that was taken back: %q, matches %v, %q", r.ValueAfter, *r.Matches, r.Notes)
	}
	r := b.do(choose(named("Plan"), "Team"))
	if r.Millis < 450 || js[string](b, "plan.value") != "Free" || !slices.Contains(r.Notes, "the page changed the control again after the input") {
		t.Errorf("a plan that was taken back after %d ms: %q", r.Millis, r.Notes)
	}
	r = b.do(check("News"))
	b.want(r)
	if r.ValueAfter != "true" || r.Millis > 5000 {
		t.Errorf("a box that was kept: %q after %d ms", r.ValueAfter, r.Millis)
	}
	// A machine that is busy is slow, but not that slow each time.
	fast := func(do func() bus.Receipt) bool {
		for range 3 {
			r := do()
			b.want(r)
			if r.Millis < 500 {
				return true
			}
		}
		return false
	}
	if !fast(func() bus.Receipt { return b.do(bus.Intent{Action: bus.ActionToggle, Target: named("Terms")}) }) {
		t.Error("a box on which no timer was set was watched")
	}
	if !fast(func() bus.Receipt { return b.do(fill(named("Amount"), "12")) }) {
		t.Error("a field on which no timer was set was watched")
	}
}

func kinds(r bus.Receipt) []bus.TraceKind {
	var out []bus.TraceKind
	for _, t := range r.Traces {
		out = append(out, t.Kind)
	}
	return out
}

// What no tree shows leaves a trace; what moves by itself leaves none.
func TestTraces(t *testing.T) {
	b := serve(t, logger+`
<button onclick="window.scrollTo(0,2500)">To the end</button>
<button onclick="list.scrollTop=300">More</button>
<button onclick="c.getContext('2d').fillRect(0,0,50,50)">Draw</button>
<button onclick="setTimeout(()=>c.getContext('2d').fillRect(50,50,20,20),30)">Draw soon</button>
<button onclick="this.dataset.on=1">Mark</button>
<button>Dead</button>
<canvas id=c width=100 height=100></canvas><canvas id=clock width=100 height=100></canvas>
<div id=list style="height:100px;overflow:auto"><div style="height:1000px"></div></div>
<div id=ticker style="height:40px;width:200px;overflow:auto"><div style="width:99999px;height:10px"></div></div>
<input id=from aria-label=From value="copy me"><input id=to aria-label=To>
<div style="height:4000px"></div>
<script>let n=0;const tick=()=>{clock.getContext('2d').fillRect(n++%100,n%97,1,1);ticker.scrollLeft++;requestAnimationFrame(tick)};tick()</script>`)
	for _, c := range []struct {
		button string
		want   []bus.TraceKind
	}{
		{"Dead", nil},
		{"More", []bus.TraceKind{bus.TraceScroll}},
		{"Draw", []bus.TraceKind{bus.TraceCanvas}},
		{"Draw soon", []bus.TraceKind{bus.TraceCanvas}},
		{"Mark", []bus.TraceKind{bus.TraceMark}},
		{"To the end", []bus.TraceKind{bus.TraceScroll}},
	} {
		r := b.do(click(named(c.button)))
		b.want(r)
		if !slices.Equal(kinds(r), c.want) {
			t.Errorf("%s: traces %+v, want %v", c.button, r.Traces, c.want)
		}
	}
	if js[int](b, "list.scrollTop") != 300 || js[int](b, "scrollY") != 2500 {
		t.Error("the page did not scroll")
	}
	press := func(k string) bus.Receipt { return b.do(bus.Intent{Action: bus.ActionPress, Value: k}) }
	b.want(b.do(click(named("From"))))
	if got := kinds(press("Control+a")); !slices.Contains(got, bus.TraceSelection) || js[int](b, "from.selectionEnd-from.selectionStart") != 7 {
		t.Errorf("Control+a: %v", got)
	}
	if got := kinds(press("Control+c")); !slices.Contains(got, bus.TraceCopy) {
		t.Errorf("Control+c: %v", got)
	}
	b.want(b.do(click(named("To"))))
	if press("Control+v"); js[string](b, "to.value") != "copy me" {
		t.Error("nothing was pasted")
	}
	js[any](b, "document.activeElement.blur(),getSelection().removeAllRanges(),1")
	if got := kinds(press("Control+c")); len(got) > 0 {
		t.Errorf("Control+c without a selection: %v", got)
	}
}

// A popup's window hears what is done in it, also where it began as an empty
// document; what that does to its opener is a trace.
func TestPopupOfTheSameSite(t *testing.T) {
	b := serve(t, `<button onclick="window.open('two')">Log in</button><p id=out></p><script>onmessage=()=>out.textContent='Logged in'</script>`)
	b.mux.HandleFunc("/two", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<button onclick="opener.postMessage('token','*')">Allow</button><button>Dead</button>`)
	})
	if r := b.do(click(named("Log in"))); len(r.NewTabs) != 1 {
		t.Fatalf("%+v", r)
	}
	r := b.do(click(named("Dead")))
	if b.want(r); len(r.Traces) > 0 {
		t.Errorf("a dead button: %+v", r.Traces)
	}
	r = b.do(click(named("Allow")))
	if b.want(r); !slices.Equal(kinds(r), []bus.TraceKind{bus.TraceOpener}) {
		t.Errorf("traces %+v", r.Traces)
	}
}

// Points in frames that are scaled, zoomed, turned or in one another, and of an
// element that only its generated content makes visible.
func TestWhereThingsReallyAre(t *testing.T) {
	const pay = `<div style='height:60px'></div><button onclick='parent.postMessage(1,"*");top.postMessage(document.title,"*")'>Pay NAME</button>`
	srcdoc := func(name string) string {
		return `srcdoc="` + strings.ReplaceAll(strings.ReplaceAll("<title>"+name+"</title>"+pay, "NAME", name), `"`, "&quot;") + `"`
	}
	b := serve(t, logger+`<script>onmessage=(e)=>{if(e.data!==1)said(e.data)}</script>
<iframe width=400 height=200 style="transform:scale(.6);transform-origin:80px 40px;margin-left:100px" `+srcdoc("scaled")+`></iframe>
<div style="zoom:1.7"><iframe width=300 height=120 `+srcdoc("zoomed")+`></iframe></div>
<iframe width=200 height=200 style="transform:rotate(90deg);border:9px solid;padding:7px" `+srcdoc("turned")+`></iframe>
<iframe id=far width=300 height=300 style="transform:scale(.5)"></iframe>
<style>#tail{position:relative;border:0;background:none;padding:0;width:0;height:20px}#tail::after{content:'';position:absolute;left:30px;top:0;width:80px;height:30px;background:#9cf}</style>
<button id=tail aria-label=Tail onclick="said('tail:'+(event.clientX-this.getBoundingClientRect().left>30))"></button>`)
	b.mux.HandleFunc("/far", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>far</title><p>far</p><iframe style="zoom:1.5" `+srcdoc("inner")+`></iframe><script>onload=()=>top.postMessage(1,"*")</script>`)
	})
	js[any](b, "new Promise(r=>{addEventListener('message',()=>r(1));far.src='"+strings.Replace(b.site.URL, "127.0.0.1", "localhost", 1)+"/far'})")
	for _, name := range []string{"scaled", "zoomed", "turned", "inner"} {
		b.want(b.do(click(role("button", "Pay "+name))))
	}
	b.want(b.do(click(role("button", "Tail"))))
	b.logs("scaled", "zoomed", "turned", "inner", "tail:true")
}
