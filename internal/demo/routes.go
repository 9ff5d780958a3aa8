package demo

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

const sessionCookie = "larkspur_session"

// routes of the back office. Pages are for people, /api answers the scripts.
func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /ledger", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.ledger.entries()) })
	if s.opt.Reset {
		m.HandleFunc("POST /ledger/reset", s.reset)
	}
	m.Handle("GET /static/", http.FileServerFS(staticFiles))
	m.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	m.HandleFunc("GET /login", s.loginPage)
	m.HandleFunc("POST /login", s.login)
	m.HandleFunc("GET /help/{topic}", s.helpPage)
	m.HandleFunc("POST /api/access", func(w http.ResponseWriter, _ *http.Request) { s.did(w, nil, KindAccessRequested) })

	in := func(pattern string, h http.HandlerFunc) { m.Handle(pattern, s.signedIn(h)) }
	in("POST /logout", s.logout)
	in("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/dashboard", http.StatusSeeOther) })
	in("GET /dashboard", s.dashboardPage)
	in("GET /api/chart", s.chartData)
	in("GET /reports/annual", s.annualPage)
	in("GET /reports/{month}", s.reportPage)
	in("GET /reports/{month}/preview", s.previewPage)
	in("GET /terms", s.termsPage)
	in("GET /customers", func(w http.ResponseWriter, _ *http.Request) {
		s.render(w, "app", "customers", view{Title: "Customers", Nav: "customers", Script: "customers"})
	})
	in("GET /customers/{id}", s.customerPage)
	in("GET /api/customers", s.customersData)
	in("POST /api/customers/{id}/seats", s.addSeats)
	in("GET /invoices", s.invoicesPage)
	in("GET /invoices/new", s.wizardPage)
	in("GET /invoices/{id}", s.invoicePage)
	in("GET /invoices/{id}/pdf", s.invoicePDF)
	in("GET /api/customer-names", s.customerNames)
	in("POST /api/invoices", s.createInvoice)
	in("GET /import", func(w http.ResponseWriter, _ *http.Request) {
		s.render(w, "app", "import", view{Title: "Import contacts", Nav: "import", Script: "import"})
	})
	in("POST /api/import", s.importCSV)
	in("GET /orders", func(w http.ResponseWriter, _ *http.Request) {
		s.render(w, "app", "orders", view{Title: "Live orders", Nav: "orders", Script: "orders"})
	})
	in("GET /api/orders", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.store.allOrders()) })
	in("POST /api/orders/{id}/approve", s.approveOrder)
	in("GET /team", s.teamPage)
	in("POST /api/invitations", s.inviteMember)
	in("GET /settings", s.settingsPage)
	in("POST /api/settings/{section}", s.saveSettings)
	in("POST /api/contacts/{id}/{action}", s.contactAction)
	in("POST /api/contacts/export", s.exportContacts)
	m.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		s.render(w, "plain", "help", view{Title: "Page not found", Data: help{"Page not found", []string{"There is nothing at this address."}}})
	})
	return headers(m)
}

// headers keeps the browser from storing pages and from guessing types.
func headers(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !strings.HasPrefix(r.URL.Path, "/static/") {
			w.Header().Set("Cache-Control", "no-store")
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		h.ServeHTTP(w, r)
	})
}

func (s *Server) reset(w http.ResponseWriter, _ *http.Request) {
	s.store.reset()
	s.ledger.reset()
	w.WriteHeader(http.StatusNoContent)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// refuse answers a script with a message that the page shows.
func refuse(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"error": strings.ToUpper(message[:1]) + message[1:] + "."})
}

// readJSON decodes the request. Only JSON is taken, because a form of another
// site can't send it.
func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	err := errors.New("this needs JSON")
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		err = json.NewDecoder(r.Body).Decode(into)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		refuse(w, http.StatusBadRequest, "the request can't be read")
		return false
	}
	return true
}

// did enters what happened and answers with v.
func (s *Server) did(w http.ResponseWriter, v any, kind string, data ...any) {
	s.ledger.add(kind, data...)
	if v == nil {
		v = map[string]bool{"ok": true}
	}
	writeJSON(w, http.StatusOK, v)
}
