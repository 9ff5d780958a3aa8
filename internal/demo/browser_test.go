package demo_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"

	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/demo"
)

//go:embed testdata/walk.js
var walk string

func TestMain(m *testing.M) {
	if browser.GuardMain(os.Args[1:]) {
		return
	}
	pool, err := browser.NewPool()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared = pool
	code := m.Run()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := pool.Close(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// shared is the browser of all tests; each has a session of its own in it.
var shared *browser.Pool

// A visitor is a signed-in tab on a demo of its own.
type visitor struct {
	t   *testing.T
	ctx context.Context
	s   *demo.Server
	tab *browser.Tab
	// trouble returns what the pages complained of so far.
	trouble func() []string
}

func visit(t *testing.T, o demo.Options) *visitor {
	t.Helper()
	s := start(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	session, err := shared.OpenSession(ctx, t.Name(), []string{s.URL(), s.PayURL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := shared.CloseSession(ctx, session); err != nil {
			t.Error(err)
		}
	})
	tab, err := shared.Tab(ctx, session)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, ctx: ctx, s: s, tab: tab}
	v.listen()
	v.open("/login")
	v.do("click", "button", "Accept cookies")
	v.do("fill", "#email", demo.Email)
	v.do("fill", "#password", demo.DefaultPassword)
	v.do("click", "button", "Sign in")
	v.do("at", "/dashboard")
	return v
}

func (v *visitor) listen() {
	v.t.Helper()
	page := v.tab.Session()
	thrown, end1 := page.Subscribe("Runtime.exceptionThrown")
	logged, end2 := page.Subscribe("Log.entryAdded")
	said, end3 := page.Subscribe("Runtime.consoleAPICalled")
	v.t.Cleanup(func() { end1(); end2(); end3() })
	if _, err := cdp.Call(v.ctx, page, runtime.Enable, cdp.Empty{}); err != nil {
		v.t.Fatal(err)
	}
	if _, err := cdp.Call(v.ctx, page, cdplog.Enable, cdp.Empty{}); err != nil {
		v.t.Fatal(err)
	}
	v.trouble = func() []string {
		var out []string
		for {
			select {
			case e := <-thrown:
				out = append(out, string(e))
			case e := <-said:
				out = append(out, string(e))
			case e := <-logged:
				if !strings.Contains(string(e), `"level":"verbose"`) {
					out = append(out, string(e))
				}
			default:
				return out
			}
		}
	}
}

func (v *visitor) open(path string) {
	v.t.Helper()
	if err := v.tab.Navigate(v.ctx, v.s.URL()+path); err != nil {
		v.t.Fatal(err)
	}
	if err := v.tab.Settle(v.ctx, 100*time.Millisecond, 8*time.Second); err != nil {
		v.t.Fatal(err)
	}
}

// frame is the one whose URL begins with origin.
func (v *visitor) frame(origin string) *browser.Frame {
	v.t.Helper()
	for range 100 {
		frames, err := v.tab.Frames(v.ctx)
		if err != nil {
			v.t.Fatal(err)
		}
		for _, f := range frames {
			if strings.HasPrefix(f.URL, origin) && f.Note == "" {
				return f
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	v.t.Fatalf("no frame of %s", origin)
	return nil
}

func (v *visitor) do(step string, args ...any) { v.t.Helper(); v.ask(v.s.URL(), nil, step, args...) }

func (v *visitor) inCard(step string, args ...any) {
	v.t.Helper()
	v.ask(v.s.PayURL(), nil, step, args...)
}

func (v *visitor) ask(origin string, out any, step string, args ...any) {
	v.t.Helper()
	for {
		err := v.frame(origin).Call(v.ctx, out, walk, append([]any{step}, args...)...)
		if errors.Is(err, browser.ErrNavigated) && step != "click" {
			continue // waiting goes on in the next document
		}
		if err != nil && !errors.Is(err, browser.ErrNavigated) {
			v.t.Fatalf("%s %v: %v", step, args, err)
		}
		return
	}
}

func (v *visitor) mouse(kind input.DispatchMouseEventType, x, y float64, held int64) {
	v.t.Helper()
	p := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1, Buttons: held}
	if _, err := cdp.Call(v.ctx, v.tab.Session(), input.DispatchMouseEvent, p); err != nil {
		v.t.Fatal(err)
	}
}

func TestPagesLoadWithoutComplaint(t *testing.T) {
	v := visit(t, demo.Options{})
	for _, page := range []struct{ path, shows string }{
		{"/dashboard", "Sales by month"},
		{"/customers", "500 customers"},
		{"/customers/C-0001", "Seats and billing"},
		{"/invoices", "INV-2037"},
		{"/invoices/new", "Who is it for?"},
		{"/invoices/INV-2037", "Payment accepted"},
		{"/orders", "SO-7041"},
		{"/import", "CSV file"},
		{"/team", "Invite a member"},
		{"/settings", "Dashboard order"},
		{"/reports/march", "March report"},
		{"/reports/march/preview", "March at a glance"},
		{"/reports/annual", "Annual report"},
		{"/terms", "Terms of seat changes"},
		{"/help/sign-in", "How to sign in"},
	} {
		v.open(page.path)
		v.do("see", page.shows)
		if bad := v.trouble(); len(bad) > 0 {
			t.Errorf("%s: %s", page.path, strings.Join(bad, "\n"))
		}
	}
}

// fillWizard walks to the card form.
func (v *visitor) fillWizard() {
	v.t.Helper()
	v.open("/invoices/new")
	v.do("fill", "#who", "fernhill logistics")
	v.do("click", "[role=option]", "Fernhill Logistics")
	v.do("click", "button", "Continue")
	v.do("fill", "[data-f=description]", "Three seats")
	v.do("fill", "[data-f=quantity]", "3")
	v.do("fill", "[data-f=unit_price]", "22.50")
	v.do("see", "£67.50")
	v.do("click", "button", "Continue")
	v.do("fill", "#issue", "2026-03-02")
	v.do("click", "button", "Choose due date")
	v.do("click", "button", "Next month")
	v.do("click", "[role=gridcell]", "1 April 2026")
	v.do("click", "#service div", "Select a day")
	v.do("click", "#service .d", "14")
	v.do("see", "14 Mar 2026")
	v.do("click", "button", "Continue")
	v.do("see", "1 April 2026")
	v.do("click", "button", "Create invoice")
}

func (v *visitor) pay(number string) {
	v.t.Helper()
	v.inCard("fill", "[name=number]", number)
	v.inCard("fill", "[name=expiry]", "04 / 29")
	v.inCard("fill", "[name=cvc]", "123")
	v.inCard("fill", "[name=name]", "Anna Whitlock")
	v.inCard("click", "button", "Pay")
}

func TestWizardChargesOnce(t *testing.T) {
	v := visit(t, demo.Options{})
	v.fillWizard()
	v.pay("4242 4242 4242 4242")
	v.do("at", "/invoices/INV-2041")
	v.do("see", "Payment accepted")
	if bad := v.trouble(); len(bad) > 0 {
		t.Error(strings.Join(bad, "\n"))
	}
	want(t, v.s, `sign_in map[email:anna@northgate.example]`,
		`invoice_created map[amount:6750 customer:Fernhill Logistics customer_id:C-0001 due_date:2026-04-01 invoice:INV-2041 issue_date:2026-03-02 lines:1 service_date:2026-03-14]`,
		`card_charged map[amount:6750 invoice:INV-2041 last4:4242 name:Anna Whitlock]`)
}

func TestRejectedCardSaysSo(t *testing.T) {
	v := visit(t, demo.Options{})
	v.fillWizard()
	v.pay("4000 0000 0000 0002")
	v.do("see", "Payment rejected: Your card was declined.")
	v.inCard("see", "Your card was declined.")
	if last := v.s.Ledger()[2]; last.Kind != demo.KindCardRejected || last.Data["last4"] != "0002" {
		t.Error(last)
	}
}

func TestCookieBannerCoversTheButton(t *testing.T) {
	v := visit(t, demo.Options{})
	if _, err := cdp.Call(v.ctx, v.tab.Session(), runtime.Evaluate, runtime.EvaluateParams{Expression: `document.cookie = "larkspur_consent=; max-age=0; path=/"`}); err != nil {
		t.Fatal(err)
	}
	v.open("/login")
	var over string
	v.ask(v.s.URL(), &over, "over", "button", "Request access")
	if over != "cookies" {
		t.Errorf("over the button is %q", over)
	}
	v.do("click", "button", "Only necessary")
	v.ask(v.s.URL(), &over, "over", "button", "Request access")
	if over != "access" {
		t.Errorf("after the choice it is %q", over)
	}
}

func TestBarsOfTheChartNavigate(t *testing.T) {
	v := visit(t, demo.Options{})
	v.open("/dashboard")
	var box [4]float64
	v.ask(v.s.URL(), &box, "box", "#chart")
	// The third of twelve columns, just above the axis.
	x, y := box[0]+box[2]*2.5/12, box[1]+200
	v.mouse("mousePressed", x, y, 1)
	v.mouse("mouseReleased", x, y, 0)
	v.do("at", "/reports/march")
	want(t, v.s, `sign_in map[email:anna@northgate.example]`, `chart_opened map[month:march]`)
}

func TestLiveRowsAreApprovedOnce(t *testing.T) {
	v := visit(t, demo.Options{})
	v.open("/orders")
	v.do("click", "[data-id=SO-7043]", "Approve")
	v.do("see", "SO-7043 approved")
	v.do("gone", "SO-7043 approved") // the toast vanishes
	want(t, v.s, `sign_in map[email:anna@northgate.example]`, `order_approved map[id:SO-7043]`)
}

func TestSeatsNeedConfirmation(t *testing.T) {
	v := visit(t, demo.Options{})
	v.open("/customers/C-0001")
	v.do("fill", "#spin", "2")
	v.do("click", "button", "More")
	v.do("click", "button", "Add seats")
	v.do("see", "Add 3 seats to Fernhill Logistics?")
	v.do("click", "button", "Cancel")
	v.do("click", "button", "Add seats")
	v.do("click", "button", "Confirm")
	v.do("see", "3 seats added")
	v.do("see", "22 of 27 seats in use")
	want(t, v.s, `sign_in map[email:anna@northgate.example]`, `seats_added map[count:3 customer:Fernhill Logistics customer_id:C-0001 seats:27]`)
}

// The closed shadow root is out of reach of scripts, not of the mouse.
func TestSwitchInTheClosedRoot(t *testing.T) {
	v := visit(t, demo.Options{})
	v.open("/settings")
	var box [4]float64
	v.ask(v.s.URL(), &box, "box", "larkspur-mail")
	for _, says := range []string{"Notifications on", "Notifications off"} {
		v.mouse("mousePressed", box[0]+box[2]-20, box[1]+17, 1)
		v.mouse("mouseReleased", box[0]+box[2]-20, box[1]+17, 0)
		v.do("see", says)
	}
	want(t, v.s, `sign_in map[email:anna@northgate.example]`, `settings_saved map[on:true section:notifications]`,
		`settings_saved map[on:false section:notifications]`)
}

func TestDragReorders(t *testing.T) {
	v := visit(t, demo.Options{})
	v.open("/settings")
	var from, to [4]float64
	v.do("focus", "#savenote") // scrolls the list into view
	v.ask(v.s.URL(), &from, "box", `#widgets [data-name="Pipeline"]`)
	v.ask(v.s.URL(), &to, "box", `#widgets [data-name="Revenue"]`)
	x := from[0] + 80
	v.mouse("mousePressed", x, from[1]+20, 1)
	v.mouse("mouseMoved", x, from[1]-5, 1)
	v.mouse("mouseMoved", x, to[1]+20, 1)
	v.mouse("mouseReleased", x, to[1]+20, 0)
	v.do("see", "Order saved")
	want(t, v.s, `sign_in map[email:anna@northgate.example]`,
		`settings_saved map[order:[Pipeline Revenue Renewals Support tickets Team calendar] section:widgets]`)
}

func want(t *testing.T, s *demo.Server, entries ...string) {
	t.Helper()
	var got []string
	for _, e := range s.Ledger() {
		got = append(got, fmt.Sprint(e.Kind, " ", e.Data))
	}
	if g, w := strings.Join(got, "\n"), strings.Join(entries, "\n"); g != w {
		t.Errorf("the ledger holds\n%s\nwant\n%s", g, w)
	}
}
