package demo

import (
	"net/http"
	"slices"
)

type dashboardData struct {
	Customers, PastDue int
	Revenue            int
	Invoices           []invoice
}

func (s *Server) dashboardPage(w http.ResponseWriter, _ *http.Request) {
	all, total, _ := s.store.find("", "", "", 1, 1000)
	d := dashboardData{Customers: total, Invoices: s.store.allInvoices()}
	for _, c := range all {
		d.Revenue += c.Revenue
		if c.Status == "Past due" {
			d.PastDue++
		}
	}
	d.Invoices = d.Invoices[:min(4, len(d.Invoices))]
	s.render(w, "app", "dashboard", view{Title: "Dashboard", Nav: "dashboard", Script: "chart", Data: d})
}

func (s *Server) chartData(w http.ResponseWriter, _ *http.Request) {
	type bar struct {
		Label string `json:"label"`
		Value int    `json:"value"`
		Href  string `json:"href"`
	}
	var out []bar
	for _, m := range months() {
		out = append(out, bar{m.Name, m.Sales, "/reports/" + m.Slug})
	}
	writeJSON(w, http.StatusOK, out)
}

func monthOf(r *http.Request) (month, bool) {
	all := months()
	i := slices.IndexFunc(all, func(m month) bool { return m.Slug == r.PathValue("month") })
	if i < 0 {
		return month{}, false
	}
	return all[i], true
}

func (s *Server) reportPage(w http.ResponseWriter, r *http.Request) {
	m, ok := monthOf(r)
	if !ok {
		http.NotFound(w, r)
		return
	}
	s.ledger.add(KindChartOpened, "month", m.Slug)
	s.render(w, "app", "report", view{Title: m.Name + " report", Nav: "dashboard", Data: m})
}

func (s *Server) previewPage(w http.ResponseWriter, r *http.Request) {
	m, ok := monthOf(r)
	if !ok {
		http.NotFound(w, r)
		return
	}
	s.ledger.add(KindPreviewOpened, "month", m.Slug)
	s.render(w, "plain", "preview", view{Title: m.Name + " report preview", Data: m})
}

// annualPage is slow: the figures are added up while one waits.
func (s *Server) annualPage(w http.ResponseWriter, r *http.Request) {
	if !s.pause(r.Context(), slowPage) {
		return
	}
	s.ledger.add(KindSlowReportOpened)
	s.render(w, "app", "annual", view{Title: "Annual report", Nav: "dashboard", Data: months()})
}

func (s *Server) termsPage(w http.ResponseWriter, _ *http.Request) {
	s.ledger.add(KindTermsOpened)
	s.render(w, "plain", "terms", view{Title: "Terms of seat changes"})
}
