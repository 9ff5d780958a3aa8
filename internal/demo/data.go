package demo

import (
	"fmt"
	"strings"
	"time"
)

// A customer is one row of the customers table.
type customer struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	City    string `json:"city"`
	Plan    string `json:"plan"`
	Status  string `json:"status"`
	Owner   string `json:"owner"`
	Seats   int    `json:"seats"`
	InUse   int    `json:"in_use"`
	Revenue int    `json:"revenue"` // pounds a month
	Since   string `json:"since"`
}

func customers() []customer {
	first := strings.Fields("Fernhill Brightwater Copperfield Stonebridge Meadowbank Ashgrove Kestrel Ironwood Silverlake Oakmont Redwing Bluestone Windermere Harrow Larch Millbrook Foxglove Granite Juniper Thornbury Whitmore Eastgate Calder Dunmore Wexley")
	trade := strings.Fields("Logistics Dental Interiors Foods Analytics Marine Textiles Robotics Legal Energy Studios Pharma Motors Printing Travel Software Gardens Optics Freight Media")
	cities := strings.Fields("Leeds Bristol Dublin Glasgow Norwich Cardiff Belfast York Exeter Bath Derby Hull")
	plans := []string{"Starter", "Team", "Business", "Enterprise"}
	owners := []string{"Anna Whitlock", "Tomás Keane", "Priya Nair", "Jonas Lindqvist", "Mei Tanaka"}
	price := map[string]int{"Starter": 9, "Team": 14, "Business": 22, "Enterprise": 31}
	out := make([]customer, 0, len(first)*len(trade))
	for i := range len(first) * len(trade) {
		// 7 is prime to 25 and the trades advance once a round, so that each
		// pair comes once and neighbours differ.
		name := first[i*7%len(first)] + " " + trade[(i/len(first)+i%len(first))%len(trade)]
		c := customer{ID: fmt.Sprintf("C-%04d", i+1), Name: name, City: cities[i*5%len(cities)], Plan: plans[(i*3+i/7)%4],
			Status: "Active", Owner: owners[(i*3+i/len(first))%5], Seats: 5 + i*13%61,
			Since: time.Date(2019, time.January, 8, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i*1373%2500).Format(time.DateOnly)}
		switch {
		case i%17 == 5:
			c.Status = "Past due"
		case i%11 == 3:
			c.Status = "Trial"
		}
		c.InUse = c.Seats - i*7%c.Seats/2
		c.Revenue = c.Seats * price[c.Plan]
		out = append(out, c)
	}
	// The twin that a careless search picks.
	for i := range out {
		switch out[i].Name {
		case "Fernhill Logistics":
			out[i].City, out[i].Plan, out[i].Status = "Leeds", "Business", "Active"
			out[i].Seats, out[i].InUse, out[i].Revenue = 24, 22, 24*22
		case "Fernhill Freight":
			out[i].Name, out[i].City, out[i].Status = "Fernhill Logistics Ireland", "Dublin", "Active"
		}
	}
	return out
}

type contact struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Role  string `json:"role"`
}

func contacts() []contact {
	return []contact{
		{"P-1", "Ruth Adeyemi", "ruth@fernhill.example", "Finance"},
		{"P-2", "Callum Reyes", "callum@oakmont.example", "Procurement"},
		{"P-3", "Sofia Marchetti", "sofia@kestrel.example", "Office manager"},
		{"P-4", "Noor Haddad", "noor@silverlake.example", "Finance"},
		{"P-5", "Ben Okafor", "ben@millbrook.example", "IT"},
	}
}

type order struct {
	ID       string `json:"id"`
	Customer string `json:"customer"`
	Item     string `json:"item"`
	Amount   int    `json:"amount"` // pounds
	Approved bool   `json:"approved"`
}

func orders() []order {
	return []order{
		{"SO-7041", "Kestrel Marine", "Onboarding workshop", 1200, false},
		{"SO-7042", "Oakmont Legal", "40 Business seats", 880, false},
		{"SO-7043", "Redwing Foods", "Priority support", 450, false},
		{"SO-7044", "Calder Energy", "12 Team seats", 168, false},
		{"SO-7045", "Juniper Studios", "Data migration", 2100, false},
		{"SO-7046", "Harrow Optics", "8 Starter seats", 72, false},
	}
}

type month struct {
	Slug, Name string
	Sales      int // thousand pounds
	Deals      int
}

func months() []month {
	sales := []int{42, 51, 68, 47, 59, 73, 66, 38, 62, 81, 77, 90}
	out := make([]month, 12)
	for i := range out {
		n := time.Month(i + 1).String()
		out[i] = month{strings.ToLower(n), n, sales[i], 20 + i*7%13}
	}
	return out
}
