package demo

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A line is one line of an invoice; prices are in pence.
type line struct {
	Description string `json:"description"`
	Quantity    int    `json:"quantity"`
	UnitPrice   int    `json:"unit_price"`
}

// An invoice is what the wizard makes.
type invoice struct {
	ID          string `json:"id"`
	CustomerID  string `json:"customer_id"`
	Customer    string `json:"customer"`
	Lines       []line `json:"lines"`
	IssueDate   string `json:"issue_date"`
	DueDate     string `json:"due_date"`
	ServiceDate string `json:"service_date"`
	Amount      int    `json:"amount"` // pence
	Paid        bool   `json:"paid"`
	Last4       string `json:"last4"`
	Payment     string `json:"-"` // opaque, what the card processor knows it by
}

type settings struct {
	Company, Email, VAT string
	Notifications       bool
	Signature           string
	Widgets             []string
	Note                string
}

// The store is the business data; safe for concurrent use. What it returns is
// a copy.
type store struct {
	today time.Time

	mu        sync.Mutex
	customers []customer
	contacts  []contact
	orders    []order
	invoices  []*invoice
	sessions  map[string]bool
	settings  settings
	imported  int // contacts, for their ids
}

func newStore(today time.Time) *store {
	s := &store{today: today}
	s.reset()
	return s
}

func (s *store) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.customers, s.contacts, s.orders = customers(), contacts(), orders()
	s.sessions = map[string]bool{}
	s.settings = settings{Company: "Northgate Software Ltd", Email: "billing@northgate.example", VAT: "GB123456789",
		Notifications: false, Signature: "Kind regards, Northgate", Note: "Quarter-end: chase the past-due accounts first.",
		Widgets: []string{"Revenue", "Renewals", "Support tickets", "Pipeline", "Team calendar"}}
	s.invoices = nil
	for i, name := range []string{"Oakmont Legal", "Kestrel Marine", "Calder Energy", "Juniper Studios"} {
		at := s.today.AddDate(0, 0, -9+2*i)
		c, _ := s.byName(name)
		s.invoices = append(s.invoices, &invoice{ID: fmt.Sprintf("INV-%d", 2037+i), CustomerID: c.ID, Customer: name,
			Lines:     []line{{"Seats, " + c.Plan, c.Seats, 1400 + 300*i}},
			IssueDate: at.Format(time.DateOnly), DueDate: at.AddDate(0, 1, 0).Format(time.DateOnly), ServiceDate: at.Format(time.DateOnly),
			Amount: c.Seats * (1400 + 300*i), Paid: i != 2, Last4: "4242", Payment: rand.Text()})
	}
}

func (s *store) byName(name string) (customer, bool) {
	for _, c := range s.customers {
		if c.Name == name {
			return c, true
		}
	}
	return customer{}, false
}

func (s *store) signIn() (token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token = rand.Text()
	s.sessions[token] = true
	return token
}

func (s *store) signedIn(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[token]
}

func (s *store) signOut(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, token)
}

// find searches, sorts and pages customers; page is from 1 and clamped.
func (s *store) find(query, by, dir string, page, size int) (rows []customer, total, at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	words := strings.Fields(strings.ToLower(query))
	for _, c := range s.customers {
		hay := strings.ToLower(c.Name + " " + c.City + " " + c.Plan + " " + c.Status + " " + c.ID + " " + c.Owner)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(hay, w) }) {
			rows = append(rows, c)
		}
	}
	order := func(a, b customer) int {
		switch by {
		case "city":
			return cmp.Compare(a.City, b.City)
		case "plan":
			return cmp.Compare(a.Plan, b.Plan)
		case "status":
			return cmp.Compare(a.Status, b.Status)
		case "seats":
			return cmp.Compare(a.Seats, b.Seats)
		case "revenue":
			return cmp.Compare(a.Revenue, b.Revenue)
		}
		return cmp.Compare(a.Name, b.Name)
	}
	slices.SortStableFunc(rows, func(a, b customer) int {
		if dir == "desc" {
			return order(b, a)
		}
		return order(a, b)
	})
	total = len(rows)
	at = max(1, min(page, (total+size-1)/size))
	from := min((at-1)*size, total)
	return rows[from:min(from+size, total)], total, at
}

func (s *store) customer(id string) (customer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.customers {
		if c.ID == id {
			return c, true
		}
	}
	return customer{}, false
}

func (s *store) addSeats(id string, count int) (customer, error) {
	if count < 1 || count > 500 {
		return customer{}, errors.New("choose between 1 and 500 seats")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.customers {
		if c := &s.customers[i]; c.ID == id {
			c.Revenue += count * c.Revenue / max(c.Seats, 1)
			c.Seats += count
			return *c, nil
		}
	}
	return customer{}, errNoCustomer
}

var errNoCustomer = errors.New("there is no such customer")

// create checks a new invoice and gives it a number.
func (s *store) create(in invoice) (invoice, error) {
	c, ok := s.customer(in.CustomerID)
	if !ok {
		return in, errNoCustomer
	}
	if len(in.Lines) == 0 || len(in.Lines) > 50 {
		return in, errors.New("an invoice has 1 to 50 lines")
	}
	in.Amount = 0
	for _, l := range in.Lines {
		if strings.TrimSpace(l.Description) == "" || l.Quantity < 1 || l.Quantity > 10000 || l.UnitPrice < 1 || l.UnitPrice > 100_000_00 {
			return in, errors.New("every line needs a description, a quantity and a price")
		}
		in.Amount += l.Quantity * l.UnitPrice
	}
	for _, d := range []string{in.IssueDate, in.DueDate, in.ServiceDate} {
		if _, err := time.Parse(time.DateOnly, d); err != nil {
			return in, fmt.Errorf("the date %q is not complete", d)
		}
	}
	if in.DueDate < in.IssueDate {
		return in, errors.New("the due date is before the issue date")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in.ID, in.Customer, in.Paid, in.Last4, in.Payment = fmt.Sprintf("INV-%d", 2037+len(s.invoices)), c.Name, false, "", rand.Text()
	s.invoices = append(s.invoices, &in)
	return in, nil
}

func (s *store) allInvoices() []invoice {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []invoice
	for _, i := range slices.Backward(s.invoices) {
		out = append(out, *i)
	}
	return out
}

func (s *store) invoice(match func(*invoice) bool) (invoice, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.invoices {
		if match(i) {
			return *i, true
		}
	}
	return invoice{}, false
}

func (s *store) paid(payment, last4 string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.invoices {
		if i.Payment == payment {
			i.Paid, i.Last4 = true, last4
		}
	}
}

func (s *store) allOrders() []order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.orders)
}

func (s *store) approve(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.orders {
		if s.orders[i].ID == id {
			s.orders[i].Approved = true
			return true
		}
	}
	return false
}

func (s *store) allContacts() []contact {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.contacts)
}

func (s *store) contact(id string) (contact, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.contacts, func(c contact) bool { return c.ID == id })
	if i < 0 {
		return contact{}, false
	}
	return s.contacts[i], true
}

func (s *store) removeContact(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contacts = slices.DeleteFunc(s.contacts, func(c contact) bool { return c.ID == id })
}

func (s *store) addContacts(list []contact) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range list {
		s.imported++
		c.ID = fmt.Sprintf("P-%d", 100+s.imported)
		s.contacts = append(s.contacts, c)
	}
}

func (s *store) getSettings() settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.settings
	out.Widgets = slices.Clone(out.Widgets)
	return out
}

func (s *store) change(f func(*settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.settings)
}
