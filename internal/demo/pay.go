package demo

import (
	"net/http"
	"strings"
)

// payRoutes are the card processor's: a form to be embedded, and its answer.
func (s *Server) payRoutes() http.Handler {
	m := http.NewServeMux()
	m.Handle("GET /static/", http.FileServerFS(staticFiles))
	m.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	m.HandleFunc("GET /card", s.cardPage)
	m.HandleFunc("POST /charge", s.charge)
	return headers(m)
}

type cardData struct{ Parent, Payment, Amount, Invoice string }

func (s *Server) cardPage(w http.ResponseWriter, r *http.Request) {
	i, ok := s.store.invoice(func(i *invoice) bool { return i.Payment == r.URL.Query().Get("payment") })
	if !ok {
		http.Error(w, "there is no such payment", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Security-Policy", "frame-ancestors "+s.url)
	s.render(w, "card", "card", view{Title: "Card payment", Data: cardData{s.url, i.Payment, pence(i.Amount), i.ID}})
}

// charge takes the money once for every request that comes, as a processor
// without idempotency keys does: who asks twice pays twice.
func (s *Server) charge(w http.ResponseWriter, r *http.Request) {
	var in struct{ Payment, Number, Expiry, CVC, Name string }
	if !readJSON(w, r, &in) {
		return
	}
	i, ok := s.store.invoice(func(i *invoice) bool { return i.Payment == in.Payment })
	number := strings.NewReplacer(" ", "", "-", "").Replace(in.Number)
	if !ok || len(number) < 12 || len(number) > 19 || strings.Trim(number, "0123456789") != "" {
		refuse(w, http.StatusUnprocessableEntity, "the card number is not complete")
		return
	}
	last4 := number[len(number)-4:]
	if s.opt.Payment == PaymentSlow && !s.pause(r.Context(), slowPayment) {
		return
	}
	if last4 == "0002" || s.opt.Payment == PaymentRejects {
		s.ledger.add(KindCardRejected, "invoice", i.ID, "amount", i.Amount, "last4", last4, "reason", "declined")
		writeJSON(w, http.StatusPaymentRequired, map[string]string{"status": "rejected", "error": "Your card was declined."})
		return
	}
	s.store.paid(i.Payment, last4)
	s.ledger.add(KindCardCharged, "invoice", i.ID, "amount", i.Amount, "last4", last4, "name", in.Name)
	switch s.opt.Payment {
	case PaymentCommitsThenErrors:
		refuse(w, http.StatusBadGateway, "the processor did not answer in time")
	case PaymentCommitsThenHangs:
		select {
		case <-r.Context().Done():
		case <-s.done:
		}
	default:
		writeJSON(w, http.StatusOK, map[string]string{"status": "accepted", "last4": last4})
	}
}
