package bus

// An Outcome is the verifier's judgement of one attempt.
type Outcome string

// The outcomes.
const (
	Right       Outcome = "right"
	WrongTarget Outcome = "wrong_target"
	NoEffect    Outcome = "no_effect"
	WrongEffect Outcome = "wrong_effect"
	Unsure      Outcome = "unsure"
)

// A Verdict is the verifier's judgement of one attempt, with the evidence it
// rests on. Facts are in Evidence and Checks, judgement in Outcome and Reasons.
type Verdict struct {
	Attempt  string     `json:"attempt"`
	Outcome  Outcome    `json:"outcome"`
	Reasons  []string   `json:"reasons"`
	Evidence []Evidence `json:"evidence,omitempty"`
	Checks   []Checked  `json:"checks,omitempty"`
	After    Scene      `json:"after"`
	Diff     string     `json:"diff,omitempty"`   // compact form, at most 4 KiB
	Tokens   int        `json:"tokens,omitempty"` // of Diff
	// Screenshot is a key in Bus.Blobs, set where the outcome is not right.
	Screenshot  string       `json:"screenshot,omitempty"`
	Escalations []Escalation `json:"escalations,omitempty"`
	Millis      int64        `json:"millis"`
}

// Evidence is one fact gathered for a judgement.
type Evidence struct {
	ID   string `json:"id"`   // "v1", unique in the verdict
	Kind string `json:"kind"` // hit, diff, url, dialog, download, tab, request, value, refusal, check, pixels, trace
	Fact string `json:"fact"`
}

// Checked is one typed expectation and what was found.
type Checked struct {
	Expect Expect `json:"expect"`
	Held   bool   `json:"held"`             // on evidence taken after the attempt
	Before *bool  `json:"before,omitempty"` // already true before the attempt, where that can be told
	Fact   string `json:"fact"`
}
