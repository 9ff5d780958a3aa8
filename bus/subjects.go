package bus

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The streams and buckets. Operators know them by these names.
const (
	StreamRuns     = "QUARTET_RUNS"
	StreamJournal  = "QUARTET_JOURNAL"
	StreamDead     = "QUARTET_DEAD"
	StreamScenes   = "QUARTET_SCENES"
	bucketSessions = "QUARTET_SESSIONS"
	bucketBlobs    = "QUARTET_BLOBS"

	journalSubjects = "quartet.journal.*"
	runSubjects     = "quartet.runs.*"
	deadSubjects    = "quartet.dead.*"
	sceneSubjects   = "quartet.scene.*.*"
	cancelSubject   = "quartet.cancel"
)

// A Verb is something that an agent does on request: "agent.method".
type Verb string

// The verbs, with the types of their requests and replies.
const (
	VerbObserve    Verb = "observer.observe"  // ObserveRequest → Observation
	VerbFind       Verb = "observer.find"     // FindRequest → Observation
	VerbOpen       Verb = "actor.open"        // OpenRequest → Session
	VerbClose      Verb = "actor.close"       // CloseRequest → Raw
	VerbSave       Verb = "actor.save"        // SaveRequest → SaveReply
	VerbPrepare    Verb = "actor.prepare"     // PrepareRequest → Prepared
	VerbAct        Verb = "actor.act"         // ActRequest → Receipt
	VerbReceipt    Verb = "actor.receipt"     // ReceiptRequest → Receipt
	VerbJudge      Verb = "verifier.judge"    // JudgeRequest → Verdict
	VerbCheck      Verb = "verifier.check"    // CheckRequest → CheckReply
	VerbLook       Verb = "vision.look"       // LookRequest → LookReply
	VerbScreenshot Verb = "vision.screenshot" // ScreenshotRequest → ScreenshotReply
)

// Agent is the agent that serves the verb.
func (v Verb) Agent() string {
	a, _, _ := strings.Cut(string(v), ".")
	return a
}

// Idempotent says whether a call of which nothing was heard may be repeated on
// another replica.
func (v Verb) Idempotent() bool { return v != VerbAct && v != VerbOpen }

func (v Verb) valid() bool {
	a, m, ok := strings.Cut(string(v), ".")
	return ok && isToken(a) && isToken(m)
}

// subject is where requests for the verb go: to any replica, or to one node.
func (v Verb) subject(node string) string {
	if node == "" {
		return "quartet.do." + string(v)
	}
	return "quartet.at." + nodeToken(node) + "." + string(v)
}

// nodeToken makes a subject token of any node name.
func nodeToken(node string) string {
	if isToken(node) {
		return node
	}
	sum := sha256.Sum256([]byte(node))
	return "x" + hex.EncodeToString(sum[:12])
}

// isToken says whether s can be one token of a subject and of a key: letters,
// digits, "-" and "_", at most 64. Run and session ids must be so; page text
// never becomes a subject.
func isToken(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
