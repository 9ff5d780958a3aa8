package demo

import (
	"maps"
	"sync"
	"time"
)

// An Entry is one thing that really happened.
type Entry struct {
	Seq  int            `json:"seq"` // from 1, without gaps
	Time time.Time      `json:"time"`
	Kind string         `json:"kind"`
	Data map[string]any `json:"data"`
}

// The kinds of entries, with their data.
const (
	KindSignIn            = "sign_in"            // email
	KindSignInFailed      = "sign_in_failed"     // email
	KindSignOut           = "sign_out"           // email
	KindAccessRequested   = "access_requested"   //
	KindSeatsAdded        = "seats_added"        // customer, customer_id, count, seats (after)
	KindTermsOpened       = "terms_opened"       //
	KindInvoiceCreated    = "invoice_created"    // invoice, customer, customer_id, amount, lines, issue_date, due_date, service_date
	KindCardCharged       = "card_charged"       // invoice, amount, last4, name
	KindCardRejected      = "card_rejected"      // invoice, amount, last4, reason
	KindInvoiceDownloaded = "invoice_downloaded" // invoice
	KindCSVImported       = "csv_imported"       // file, rows
	KindSettingsSaved     = "settings_saved"     // section: profile | notifications | signature | widgets | note; and its values
	KindContactDeleted    = "contact_deleted"    // contact, id
	KindContactArchived   = "contact_archived"   // contact, id
	KindContactInvited    = "contact_invited"    // contact, id
	KindContactsExported  = "contacts_exported"  // contacts
	KindMemberInvited     = "member_invited"     // email, name, role, areas, message
	KindChartOpened       = "chart_opened"       // month
	KindPreviewOpened     = "preview_opened"     // month
	KindOrderApproved     = "order_approved"     // id
	KindSlowReportOpened  = "annual_opened"      //
	KindHelpOpened        = "help_opened"        // topic
)

// A ledger is safe for concurrent use; its zero value is empty.
type ledger struct {
	mu  sync.Mutex
	all []Entry
}

// add appends an entry; data are keys and values in turn.
func (l *ledger) add(kind string, data ...any) {
	m := make(map[string]any, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		m[data[i].(string)] = data[i+1]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, Entry{Seq: len(l.all) + 1, Time: time.Now().UTC(), Kind: kind, Data: m})
}

func (l *ledger) entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Entry, len(l.all))
	for i, e := range l.all {
		e.Data = maps.Clone(e.Data)
		out[i] = e
	}
	return out
}

func (l *ledger) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = nil
}
