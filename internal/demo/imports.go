package demo

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
)

// importCSV takes the file as the page read it: {"file": name, "text": …}.
func (s *Server) importCSV(w http.ResponseWriter, r *http.Request) {
	var in struct{ File, Text string }
	if !readJSON(w, r, &in) {
		return
	}
	rows, err := csv.NewReader(strings.NewReader(in.Text)).ReadAll()
	if err != nil || len(rows) < 2 || len(rows[0]) < 2 || !strings.EqualFold(rows[0][0], "name") {
		refuse(w, http.StatusUnprocessableEntity, "the file needs the columns name, email and role, and a row at least")
		return
	}
	var list []contact
	for _, row := range rows[1:] {
		c := contact{Name: row[0], Email: row[1], Role: "Contact"}
		if len(row) > 2 {
			c.Role = row[2]
		}
		list = append(list, c)
	}
	s.store.addContacts(list)
	s.did(w, map[string]string{"message": fmt.Sprintf("%d contacts imported from %s", len(list), in.File)},
		KindCSVImported, "file", in.File, "rows", len(list))
}
