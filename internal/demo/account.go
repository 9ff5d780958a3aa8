package demo

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// signedIn lets only people with a session through; others get to the sign-in
// page, scripts a 401.
func (s *Server) signedIn(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie(sessionCookie); err == nil && s.store.signedIn(c.Value) {
			h(w, r)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") {
			refuse(w, http.StatusUnauthorized, "you are signed out")
			return
		}
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	})
}

type loginData struct{ Email, Error string }

func (s *Server) loginPage(w http.ResponseWriter, _ *http.Request) {
	s.render(w, "plain", "login", view{Title: "Sign in", Script: "login", Data: loginData{}})
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	email := strings.TrimSpace(r.PostFormValue("email"))
	right := subtle.ConstantTimeCompare([]byte(r.PostFormValue("password")), []byte(s.opt.Password)) == 1
	if !right || !strings.EqualFold(email, Email) {
		s.ledger.add(KindSignInFailed, "email", email)
		w.WriteHeader(http.StatusUnauthorized)
		s.render(w, "plain", "login", view{Title: "Sign in", Script: "login", Data: loginData{email, "Wrong email or password."}})
		return
	}
	s.ledger.add(KindSignIn, "email", Email)
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: s.store.signIn(), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/dashboard", http.StatusSeeOther)
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(sessionCookie); err == nil {
		s.store.signOut(c.Value)
	}
	s.ledger.add(KindSignOut, "email", Email)
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

type help struct {
	Heading string
	Text    []string
}

func (s *Server) helpPage(w http.ResponseWriter, r *http.Request) {
	topics := map[string]help{
		"sign-in": {"How to sign in", []string{"Use the email address your administrator registered for you.", "Three wrong passwords in a row slow the next attempts down.", "Lost your password? Your administrator can send you a new one."}},
		"sso":     {"Single sign-on", []string{"Your company has not connected an identity provider.", "Ask your administrator to do so under Settings."}},
		"cookies": {"Cookies", []string{"We use one cookie to keep you signed in and one to remember this choice."}},
	}
	topic := r.PathValue("topic")
	h, ok := topics[topic]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		h = help{"Page not found", []string{"There is no help on this topic."}}
	} else {
		s.ledger.add(KindHelpOpened, "topic", topic)
	}
	s.render(w, "plain", "help", view{Title: h.Heading, Data: h})
}

type teamData struct {
	Members []member
	Roles   []string
}

type member struct{ Name, Email, Role string }

func (s *Server) teamPage(w http.ResponseWriter, _ *http.Request) {
	s.render(w, "app", "team", view{Title: "Team", Nav: "team", Script: "team", Data: teamData{
		Members: []member{{"Anna Whitlock", Email, "Owner"}, {"Tomás Keane", "tomas@northgate.example", "Sales"}, {"Priya Nair", "priya@northgate.example", "Finance"}},
		Roles:   []string{"Viewer", "Sales", "Finance", "Administrator"}}})
}

func (s *Server) inviteMember(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Email   string   `json:"email"`
		Name    string   `json:"name"`
		Role    string   `json:"role"`
		Areas   []string `json:"areas"`
		Message string   `json:"message"`
	}
	if !readJSON(w, r, &in) {
		return
	}
	if !strings.Contains(in.Email, "@") || in.Role == "" {
		refuse(w, http.StatusUnprocessableEntity, "an invitation needs an email address and a role")
		return
	}
	s.did(w, nil, KindMemberInvited, "email", in.Email, "name", in.Name, "role", in.Role, "areas", in.Areas, "message", in.Message)
}
