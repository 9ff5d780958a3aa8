package demo

import (
	"net/http"
	"net/mail"
	"slices"
	"strings"
)

type settingsData struct {
	settings
	Contacts []contact
}

func (s *Server) settingsPage(w http.ResponseWriter, _ *http.Request) {
	s.render(w, "app", "settings", view{Title: "Settings", Nav: "settings", Script: "settings",
		Data: settingsData{s.store.getSettings(), s.store.allContacts()}})
}

func (s *Server) saveSettings(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Company, Email, VAT, Signature, Note string
		Notifications                        bool
		Widgets                              []string
	}
	if !readJSON(w, r, &in) {
		return
	}
	section := r.PathValue("section")
	data := []any{"section", section}
	switch section {
	case "profile":
		if _, err := mail.ParseAddress(in.Email); err != nil || in.Company == "" {
			refuse(w, http.StatusUnprocessableEntity, "the profile needs a company and a billing email")
			return
		}
		s.store.change(func(t *settings) { t.Company, t.Email, t.VAT = in.Company, in.Email, in.VAT })
		data = append(data, "company", in.Company, "email", in.Email, "vat", in.VAT)
	case "notifications":
		s.store.change(func(t *settings) { t.Notifications = in.Notifications })
		data = append(data, "on", in.Notifications)
	case "signature":
		s.store.change(func(t *settings) { t.Signature = in.Signature })
		data = append(data, "signature", in.Signature)
	case "widgets":
		s.store.change(func(t *settings) { t.Widgets = slices.Clone(in.Widgets) })
		data = append(data, "order", in.Widgets)
	case "note":
		s.store.change(func(t *settings) { t.Note = strings.TrimSpace(in.Note) })
		data = append(data, "note", strings.TrimSpace(in.Note))
	default:
		refuse(w, http.StatusNotFound, "there is no such section")
		return
	}
	s.did(w, nil, KindSettingsSaved, data...)
}

func (s *Server) contactAction(w http.ResponseWriter, r *http.Request) {
	c, ok := s.store.contact(r.PathValue("id"))
	if !ok {
		refuse(w, http.StatusNotFound, "there is no such contact")
		return
	}
	switch r.PathValue("action") {
	case "delete":
		s.store.removeContact(c.ID)
		s.did(w, nil, KindContactDeleted, "contact", c.Name, "id", c.ID)
	case "archive":
		s.store.removeContact(c.ID)
		s.did(w, nil, KindContactArchived, "contact", c.Name, "id", c.ID)
	case "invite":
		s.did(w, nil, KindContactInvited, "contact", c.Name, "id", c.ID)
	default:
		refuse(w, http.StatusNotFound, "there is no such action")
	}
}

func (s *Server) exportContacts(w http.ResponseWriter, r *http.Request) {
	var in struct{ IDs []string }
	if !readJSON(w, r, &in) {
		return
	}
	var names []string
	for _, id := range in.IDs {
		if c, ok := s.store.contact(id); ok {
			names = append(names, c.Name)
		}
	}
	s.did(w, map[string]int{"count": len(names)}, KindContactsExported, "contacts", names)
}
