package demo

import (
	"net/http"
)

func (s *Server) invoicesPage(w http.ResponseWriter, _ *http.Request) {
	s.render(w, "app", "invoices", view{Title: "Invoices", Nav: "invoices", Data: s.store.allInvoices()})
}

func (s *Server) wizardPage(w http.ResponseWriter, _ *http.Request) {
	s.render(w, "app", "wizard", view{Title: "New invoice", Nav: "invoices", Script: "wizard"})
}

func (s *Server) byID(r *http.Request) (invoice, bool) {
	return s.store.invoice(func(i *invoice) bool { return i.ID == r.PathValue("id") })
}

func (s *Server) invoicePage(w http.ResponseWriter, r *http.Request) {
	i, ok := s.byID(r)
	if !ok {
		http.NotFound(w, r)
		return
	}
	s.render(w, "app", "invoice", view{Title: "Invoice " + i.ID, Nav: "invoices", Data: i})
}

func (s *Server) invoicePDF(w http.ResponseWriter, r *http.Request) {
	i, ok := s.byID(r)
	if !ok {
		http.NotFound(w, r)
		return
	}
	s.ledger.add(KindInvoiceDownloaded, "invoice", i.ID)
	w.Header().Set("Content-Type", "application/pdf")
	w.Header().Set("Content-Disposition", `attachment; filename="`+i.ID+`.pdf"`)
	_, _ = w.Write(invoiceFile(i))
}

// customerNames answers the combobox of the wizard, ten at most.
func (s *Server) customerNames(w http.ResponseWriter, r *http.Request) {
	rows, _, _ := s.store.find(r.URL.Query().Get("q"), "name", "", 1, 10)
	writeJSON(w, http.StatusOK, rows)
}

func (s *Server) createInvoice(w http.ResponseWriter, r *http.Request) {
	var in invoice
	if !readJSON(w, r, &in) {
		return
	}
	i, err := s.store.create(in)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	s.did(w, map[string]any{"id": i.ID, "amount": pence(i.Amount), "card": s.payURL + "/card?payment=" + i.Payment},
		KindInvoiceCreated, "invoice", i.ID, "customer", i.Customer, "customer_id", i.CustomerID, "amount", i.Amount, "lines", len(i.Lines),
		"issue_date", i.IssueDate, "due_date", i.DueDate, "service_date", i.ServiceDate)
}
