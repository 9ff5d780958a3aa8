package demo

import (
	"net/http"
	"strconv"
)

const pageSize = 25

func (s *Server) customersData(w http.ResponseWriter, r *http.Request) {
	if !s.pause(r.Context(), tableDelay) {
		return
	}
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	rows, total, at := s.store.find(q.Get("q"), q.Get("sort"), q.Get("dir"), page, pageSize)
	writeJSON(w, http.StatusOK, map[string]any{"rows": rows, "total": total, "page": at, "pages": max(1, (total+pageSize-1)/pageSize)})
}

func (s *Server) customerPage(w http.ResponseWriter, r *http.Request) {
	c, ok := s.store.customer(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	s.render(w, "app", "customer", view{Title: c.Name, Nav: "customers", Script: "customer", Data: c})
}

func (s *Server) addSeats(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Count int `json:"count"`
	}
	if !readJSON(w, r, &in) {
		return
	}
	c, err := s.store.addSeats(r.PathValue("id"), in.Count)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	s.did(w, c, KindSeatsAdded, "customer", c.Name, "customer_id", c.ID, "count", in.Count, "seats", c.Seats)
}

func (s *Server) approveOrder(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !s.store.approve(id) {
		refuse(w, http.StatusNotFound, "there is no such order")
		return
	}
	s.did(w, nil, KindOrderApproved, "id", id)
}
