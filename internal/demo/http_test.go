package demo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/demo"
)

func start(t *testing.T, o demo.Options) *demo.Server {
	t.Helper()
	o.Addr, o.PayAddr = "127.0.0.1:0", "127.0.0.1:0"
	s, err := demo.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// A client is a signed-in person without a browser.
type client struct {
	t *testing.T
	s *demo.Server
	http.Client
}

func signedIn(t *testing.T, o demo.Options) *client {
	t.Helper()
	s := start(t, o)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, s: s, Client: http.Client{Jar: jar, Timeout: 10 * time.Second}}
	res, err := c.PostForm(s.URL()+"/login", url.Values{"email": {demo.Email}, "password": {demo.DefaultPassword}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.Request.URL.Path != "/dashboard" {
		t.Fatalf("signing in led to %s", res.Request.URL)
	}
	return c
}

func (c *client) send(url string, data any) (int, string) {
	c.t.Helper()
	body, err := json.Marshal(data)
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	return c.read(res)
}

func (c *client) load(path string) (int, string) {
	c.t.Helper()
	res, err := c.Get(c.s.URL() + path)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.read(res)
}

func (c *client) read(res *http.Response) (int, string) {
	c.t.Helper()
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// bill makes an invoice and returns its payment.
func (c *client) bill() (payment string) {
	c.t.Helper()
	status, body := c.send(c.s.URL()+"/api/invoices", map[string]any{"customer_id": "C-0002",
		"lines":      []map[string]any{{"description": "Seats", "quantity": 2, "unit_price": 1250}},
		"issue_date": "2026-03-02", "due_date": "2026-04-01", "service_date": "2026-03-14"})
	var made struct{ Card string }
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != 200 {
		c.t.Fatal(status, body, err)
	}
	u, err := url.Parse(made.Card)
	if err != nil || !strings.HasPrefix(made.Card, c.s.PayURL()+"/card?") {
		c.t.Fatal(made.Card, err)
	}
	return u.Query().Get("payment")
}

func card(payment, number string) map[string]string {
	return map[string]string{"payment": payment, "number": number, "expiry": "04 / 29", "cvc": "123", "name": "Anna Whitlock"}
}

func kinds(s *demo.Server) string {
	var out []string
	for i, e := range s.Ledger() {
		if e.Seq != i+1 {
			return fmt.Sprintf("entry %d has the number %d", i+1, e.Seq)
		}
		out = append(out, e.Kind)
	}
	return strings.Join(out, " ")
}

func TestPaymentModes(t *testing.T) {
	for _, test := range []struct {
		mode   demo.PaymentMode
		number string
		status int // 0: no answer
		want   string
	}{
		{demo.PaymentOK, "4242 4242 4242 4242", 200, demo.KindCardCharged},
		{demo.PaymentOK, "4000 0000 0000 0002", 402, demo.KindCardRejected},
		{demo.PaymentOK, "4242", 422, ""},
		{demo.PaymentSlow, "4242424242424242", 200, demo.KindCardCharged},
		{demo.PaymentRejects, "4242424242424242", 402, demo.KindCardRejected},
		{demo.PaymentCommitsThenErrors, "4242424242424242", 502, demo.KindCardCharged},
		{demo.PaymentCommitsThenHangs, "4242424242424242", 0, demo.KindCardCharged},
	} {
		t.Run(string(test.mode)+" "+test.number, func(t *testing.T) {
			t.Parallel()
			c := signedIn(t, demo.Options{Payment: test.mode})
			payment := c.bill()
			begun := time.Now()
			if test.status == 0 {
				c.Timeout = 300 * time.Millisecond
				body, _ := json.Marshal(card(payment, test.number))
				if res, err := c.Post(c.s.PayURL()+"/charge", "application/json", bytes.NewReader(body)); err == nil {
					res.Body.Close()
					t.Errorf("answered %d", res.StatusCode)
				}
			} else if status, body := c.send(c.s.PayURL()+"/charge", card(payment, test.number)); status != test.status {
				t.Errorf("answered %d %s", status, body)
			}
			if slow := test.mode == demo.PaymentSlow; slow != (time.Since(begun) > 2*time.Second) {
				t.Errorf("answered after %v", time.Since(begun))
			}
			if got, want := kinds(c.s), strings.TrimSpace("sign_in invoice_created "+test.want); got != want {
				t.Errorf("the ledger holds %q, want %q", got, want)
			}
			_, page := c.load("/invoices/INV-2041")
			if paid := strings.Contains(page, "Payment accepted"); paid != (test.want == demo.KindCardCharged) {
				t.Errorf("the invoice says paid: %v", paid)
			}
		})
	}
}

func TestEveryChargeCounts(t *testing.T) {
	c := signedIn(t, demo.Options{})
	payment := c.bill()
	for range 2 {
		c.send(c.s.PayURL()+"/charge", card(payment, "4242424242424242"))
	}
	if got := kinds(c.s); got != "sign_in invoice_created card_charged card_charged" {
		t.Error(got)
	}
}

func TestSignIn(t *testing.T) {
	s := start(t, demo.Options{Password: "other"})
	for _, test := range []struct {
		password string
		status   int
		kind     string
	}{{demo.DefaultPassword, 401, demo.KindSignInFailed}, {"other", 303, demo.KindSignIn}} {
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.PostForm(s.URL()+"/login", url.Values{"email": {demo.Email}, "password": {test.password}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if e := s.Ledger(); res.StatusCode != test.status || e[len(e)-1].Kind != test.kind {
			t.Errorf("%q: %d, %v", test.password, res.StatusCode, e)
		}
	}
	for path, status := range map[string]int{"/api/customers": 401, "/dashboard": 303, "/ledger": 200} {
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != status {
			t.Errorf("a visitor gets %d for %s", res.StatusCode, path)
		}
	}
}

func TestCustomers(t *testing.T) {
	c := signedIn(t, demo.Options{})
	ask := func(query string) (names []string, total, pages int) {
		t.Helper()
		_, body := c.load("/api/customers?" + query)
		var got struct {
			Rows         []struct{ Name string }
			Total, Pages int
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Rows {
			names = append(names, r.Name)
		}
		return names, got.Total, got.Pages
	}
	seen := map[string]bool{}
	for page := range 20 {
		names, total, pages := ask(fmt.Sprint("page=", page+1))
		if len(names) != 25 || total != 500 || pages != 20 {
			t.Fatalf("page %d: %d rows of %d on %d pages", page+1, len(names), total, pages)
		}
		for _, n := range names {
			if seen[n] {
				t.Errorf("%s is there twice", n)
			}
			seen[n] = true
		}
	}
	if names, _, _ := ask("q=fernhill+logistics"); fmt.Sprint(names) != "[Fernhill Logistics Fernhill Logistics Ireland]" {
		t.Error(names)
	}
	if names, _, _ := ask("q=fernhill+leeds+business&sort=name&dir=desc"); len(names) == 0 || names[len(names)-1] > names[0] {
		t.Error(names)
	}
	if names, total, _ := ask("q=nobody&page=7"); len(names) != 0 || total != 0 {
		t.Error(names, total)
	}
}

func TestBadInputChangesNothing(t *testing.T) {
	c := signedIn(t, demo.Options{})
	line := []map[string]any{{"description": "Seats", "quantity": 1, "unit_price": 100}}
	for path, data := range map[string]any{
		"/api/customers/C-0001/seats":  map[string]int{"count": 0},
		"/api/customers/C-9999/seats":  map[string]int{"count": 1},
		"/api/invoices":                map[string]any{"customer_id": "C-0001", "lines": line, "issue_date": "2026-03-02", "due_date": "2026-03-01", "service_date": "2026-03-02"},
		"/api/orders/SO-1/approve":     nil,
		"/api/contacts/P-99/delete":    nil,
		"/api/contacts/P-1/marry":      nil,
		"/api/settings/profile":        map[string]string{"company": "", "email": "x"},
		"/api/settings/other":          nil,
		"/api/import":                  map[string]string{"file": "a.csv", "text": "name,email\n\"broken"},
		"/api/invitations":             map[string]string{"email": "nobody"},
		"/ledger/reset":                nil,
		"/api/customers/C-0001/seats?": "count=1",
	} {
		if status, body := c.send(c.s.URL()+path, data); status < 400 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if got := kinds(c.s); got != "sign_in" {
		t.Error(got)
	}
}

func TestLedgerAndReset(t *testing.T) {
	c := signedIn(t, demo.Options{Reset: true})
	c.send(c.s.URL()+"/api/import", map[string]string{"file": "people.csv", "text": "name,email,role\nA,a@x.example,IT\nB,b@x.example,IT\n"})
	c.send(c.s.URL()+"/api/contacts/P-1/delete", nil)
	c.load("/reports/march")
	status, pdf := c.load("/invoices/INV-2037/pdf")
	if status != 200 || !strings.HasPrefix(pdf, "%PDF-1.4") || !strings.HasSuffix(pdf, "%%EOF\n") {
		t.Errorf("%d %.40q", status, pdf)
	}
	_, body := c.load("/ledger")
	var got []demo.Entry
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if got := kinds(c.s); got != "sign_in csv_imported contact_deleted chart_opened invoice_downloaded" {
		t.Error(got)
	}
	if len(got) != 5 || got[1].Data["rows"] != 2.0 || got[3].Data["month"] != "march" || got[4].Time.IsZero() {
		t.Error(body)
	}
	if status, _ := c.send(c.s.URL()+"/ledger/reset", nil); status != 204 || len(c.s.Ledger()) != 0 {
		t.Error(status, c.s.Ledger())
	}
	if status, _ := c.load("/api/orders"); status != 401 {
		t.Errorf("still signed in after the reset: %d", status)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []demo.Options{{Payment: "free"}, {PublicURL: "demo:8080"}, {PublicPayURL: "http://pay:8081/x"}, {Addr: "127.0.0.1:x"}, {Addr: "127.0.0.1:0", PayAddr: "127.0.0.1:x"}} {
		if s, err := demo.Start(t.Context(), o); err == nil {
			s.Close()
			t.Errorf("%+v was taken", o)
		}
	}
	s, err := demo.Start(t.Context(), demo.Options{Addr: "127.0.0.1:0", PayAddr: "127.0.0.1:0", PublicURL: "http://demo:8080", PublicPayURL: "http://pay:8081"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.URL() != "http://demo:8080" || s.PayURL() != "http://pay:8081" {
		t.Error(s.URL(), s.PayURL())
	}
}
