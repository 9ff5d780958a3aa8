package verifier

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/target"
	"github.com/quartet-agents/quartet/observer/aria"
)

// A Case is everything that a judgement rests on. There is no opinion in it:
// no reasoning of the planner's, no claim of the actor's.
type Case struct {
	Intent  bus.Intent
	Attempt bus.Attempt
	Receipt bus.Receipt
	// Before is the tree on which the target was chosen, nil when it is lost.
	Before *aria.Tree
	// Reopened is set where After is of a page that was opened anew in a new
	// browser. Of Before, only what the expectations say of it counts then.
	Reopened bool
	// After is a fresh observation, nil when there is none.
	After *aria.Tree
	// Dialog is the dialog that is open on the fresh observation, or nil.
	Dialog *bus.Dialog
	// Earlier are the downloads of the run before this attempt.
	Earlier []bus.Download
	// Filled are the controls that were filled in earlier in the run.
	Filled []bus.Filled
	// Idle are the texts that change without any act: the keys (see idleKey) of
	// those seen to change between two looks after it. Watched is set once they
	// were watched for long enough to tell.
	Idle    map[string]bool
	Watched bool
	// Files says of a download, by its blob, what is wrong with the file kept;
	// "" for one whose size and hash were compared and agree. A download that
	// is not in it was not looked at.
	Files map[string]string
}

// A Judgement is what a case comes to.
type Judgement struct {
	Outcome  bus.Outcome
	Reasons  []string
	Evidence []bus.Evidence
	Checks   []bus.Checked
	// Settled is true when more waiting can't change the outcome.
	Settled bool
	effects effects
}

// Judge judges one attempt on the evidence of the case, cheapest rule first:
// what was refused, what was hit, the expectations, the action's own
// post-condition, and twins of the target. It is pure, and never says right
// without a fresh observation.
func Judge(c Case) Judgement {
	j := &judging{Case: c, held: c.Before}
	if c.Reopened {
		j.Before = nil
	}
	j.fx = effectsOf(j.Before, j.After)
	j.fx.settleCounting(c.Idle, c.Watched, c.Attempt.Target)
	j.gather()
	j.decide()
	return Judgement{Outcome: j.outcome, Reasons: j.reasons, Evidence: j.evidence, Checks: j.checks,
		Settled: j.settled || j.outcome == bus.Right, effects: j.fx}
}

// judging is one judgement under way.
type judging struct {
	Case
	held     *aria.Tree // on which expectations were, or were not, true before
	fx       effects
	evidence []bus.Evidence
	checks   []bus.Checked
	outcome  bus.Outcome
	reasons  []string
	settled  bool
}

func (j *judging) is(o bus.Outcome, format string, args ...any) {
	j.outcome = o
	j.because(format, args...)
}

func (j *judging) because(format string, args ...any) {
	j.reasons = append(j.reasons, fmt.Sprintf(format, args...))
}

// looksOnly holds for the actions that touch nothing.
func looksOnly(a bus.Action) bool {
	return a == bus.ActionExpectation || a == bus.ActionWait || a == bus.ActionRemember
}

// observed tells whether there is a fresh observation to rest on. An open
// dialog holds the page, but is a fresh fact itself.
func (j *judging) observed() bool { return j.After != nil && (!j.After.Stale || j.Dialog != nil) }

func (j *judging) decide() {
	r := j.Receipt
	switch {
	case j.refused():
	case j.wrongTarget():
	case r.Crashed:
		j.settled = true
		j.is(bus.WrongEffect, "The tab crashed while this was done.")
	case j.ledAstray():
	case j.unreachable():
	case j.silent():
	case !j.observed():
		j.is(bus.Unsure, "The page could not be observed afterwards, so that nothing is known of the effect.")
	case j.expected():
		j.lost()
	case j.After.Stale && !actsThroughDialogs(j.Intent.Action):
		j.is(bus.Unsure, "A dialog is open, and behind it the page can't be read.")
	default:
		j.own()
		j.incomplete()
		j.lost()
		j.twins()
	}
	j.takenBack()
	if url := unanswered(j.Receipt.Requests); url != "" && j.outcome == bus.NoEffect && !looksOnly(j.Intent.Action) {
		j.because("The page at %s was asked for and did not come.", url)
	}
	if len(j.fx.errors) > 0 && j.outcome != bus.NoEffect {
		j.because("Note that %s.", list(j.fx.errors, 3))
	}
}

// unreachable settles an act that led to an address from which nothing came.
func (j *judging) unreachable() bool {
	a := j.After
	if a == nil || !strings.HasPrefix(a.URL, "chrome-error:") || j.Intent.Action == bus.ActionOpen || looksOnly(j.Intent.Action) ||
		j.Before != nil && strings.HasPrefix(j.Before.URL, "chrome-error:") {
		return false // what is opened is judged by where the page is
	}
	url := "the address that it led to"
	for _, q := range j.Receipt.Requests {
		if q.Type == "Document" && q.Error != "" {
			url = q.URL + " (" + q.Error + ")"
		}
	}
	j.is(bus.WrongEffect, "It led away from the page, and %s could not be loaded.", url)
	return true
}

// silent settles an act after which the page itself answers no more: that is an
// effect, and not the one that was meant. What an irreversible act did before is
// for a person to find out.
func (j *judging) silent() bool {
	if j.After == nil || !j.After.Stale || j.Dialog != nil || !j.Receipt.Sent || j.Attempt.Risk == bus.RiskIrreversible || j.Attempt.Risk == "" {
		return false
	}
	j.is(bus.WrongEffect, "The page does not answer any more: it is busy without end, or hangs.")
	return true
}

// refused settles what was never sent.
func (j *judging) refused() bool {
	r := j.Receipt
	if r.Sent || r.Lost || r.Refusal == nil && looksOnly(j.Intent.Action) {
		return false
	}
	if r.Refusal == nil && j.so() {
		j.settled = true
		return true
	}
	if r.Refusal == nil {
		// A claim to have done something without having sent anything.
		j.settled = true
		j.is(bus.NoEffect, "Nothing was sent to the page, and the receipt gives no reason.")
		return true
	}
	if looksOnly(j.Intent.Action) && len(j.Intent.Expect) > 0 {
		return false // what the actor could not find, the expectations decide
	}
	j.settled = true
	if r.Hit != nil && r.Hit.Seen && !r.Hit.Inside {
		j.is(bus.WrongTarget, "Another element was hit: %s.", hitName(r.Hit))
		return true
	}
	j.is(bus.NoEffect, "Nothing was sent: %s", sentence(r.Refusal.Message, string(r.Refusal.Code)))
	return true
}

// so settles an act that aims at a state of a control which it has already, on
// the fresh observation as before: there was nothing to send.
func (j *judging) so() bool {
	n := j.now()
	if n == nil || !j.observed() || j.Before == nil || j.previously() == nil || j.previously().Checked != n.Checked {
		return false
	}
	switch {
	case j.Intent.Action == bus.ActionCheck && n.Checked == "true", j.Intent.Action == bus.ActionUncheck && n.Checked == "false":
		j.is(bus.Right, "Read afresh, %s is %s, as it was before: nothing had to be done.", describe(n), either(n.Checked == "true", "checked", "not checked"))
		return true
	}
	return false
}

func sentence(s, fallback string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		s = fallback
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// wrongTarget settles what reached another element than the one meant.
func (j *judging) wrongTarget() bool {
	r, meant := j.Receipt, j.Attempt.Target
	if r.Hit != nil && r.Hit.Seen && !r.Hit.Inside {
		j.settled = true
		j.is(bus.WrongTarget, "The event went to %s, which is neither %s nor inside it.", hitName(r.Hit), element(meant))
		return true
	}
	if r.Hit != nil && r.Hit.Seen && meant != nil && meant.Label == "" && r.Hit.Ref == meant.Ref && sayWhatTheyDo(meant.Role) && target.Renamed(meant.Name, r.Hit.Name) {
		j.settled = true
		j.is(bus.WrongTarget, "%s was meant, but it said %s when the event reached it.", element(meant), quote(r.Hit.Name))
		return true
	}
	if r.Target == nil || meant == nil {
		return false
	}
	if meant.Ref != "" && r.Target.Ref != "" && meant.Ref != r.Target.Ref {
		j.settled = true
		j.is(bus.WrongTarget, "%s was meant, but the actor acted on %s.", element(meant), element(r.Target))
		return true
	}
	if meant.Role != "" && r.Target.Role != "" && meant.Role != r.Target.Role && squeeze(meant.Name) != squeeze(r.Target.Name) {
		j.settled = true
		j.is(bus.WrongTarget, "Under the ref %s stood %s when the actor acted; %s was meant.", meant.Ref, element(r.Target), element(meant))
		return true
	}
	return false
}

// sayWhatTheyDo holds for roles whose name is what they do.
func sayWhatTheyDo(role string) bool {
	switch role {
	case "button", "link", "menuitem", "tab", "option", "checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio":
		return true
	}
	return false
}

func hitName(h *bus.Hit) string {
	return element(&bus.Element{Ref: h.Ref, Role: or(h.Role, "an element"), Name: h.Name})
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// outlasts holds for an expectation that a page which was opened anew meets only
// when something has come about. That a thing is gone, or a field empty, holds
// on any fresh page.
func outlasts(e bus.Expect) bool {
	switch e.Kind {
	case bus.ExpectVisible, bus.ExpectText, bus.ExpectURL, bus.ExpectTitle, bus.ExpectChecked, bus.ExpectAria:
		return !e.Not
	case bus.ExpectValue:
		return !e.Not && e.Want != ""
	case bus.ExpectCount:
		return !e.Not && e.CountOp != "at_most" && e.Count > 0
	case bus.ExpectDownload:
		return true // a file, not the page
	}
	return false
}

// expected judges by the typed expectations. It leaves the decision to the
// action's own rules when there are none, or when they prove nothing because
// they held already.
func (j *judging) expected() bool {
	if len(j.checks) == 0 {
		return false
	}
	var failed, fresh, stale, unknown []string
	for _, c := range j.checks {
		switch {
		case !c.Held:
			failed = append(failed, says(c))
		case j.Reopened && !looksOnly(j.Intent.Action) && !outlasts(c.Expect):
			unknown = append(unknown, says(c))
		case looksOnly(j.Intent.Action) || c.Before != nil && !*c.Before:
			fresh = append(fresh, says(c))
		case c.Before == nil:
			unknown = append(unknown, says(c))
		default:
			stale = append(stale, says(c))
		}
	}
	switch {
	case len(failed) > 0 && j.After.Stale:
		j.is(bus.Unsure, "A dialog is open, and behind it the page can't be read: %s.", list(failed, 3))
		return true
	case len(failed) > 0:
		o := bus.NoEffect
		if j.anyEffect() && !looksOnly(j.Intent.Action) {
			o = bus.WrongEffect
		}
		j.is(o, "What was expected did not come about: %s.", list(failed, 3))
		switch {
		case looksOnly(j.Intent.Action):
		case o == bus.WrongEffect:
			j.because("Something did happen: %s.", list(j.effectFacts(), 4))
		default:
			j.because("Nothing changed on the page.")
		}
		return true
	case len(fresh) > 0:
		j.is(bus.Right, "What was expected came about: %s.", list(fresh, 3))
		if looksOnly(j.Intent.Action) {
			j.reasons = []string{fmt.Sprintf("It holds: %s.", list(fresh, 3))}
			if j.Intent.Action == bus.ActionRemember {
				j.reasons = nil
				return false
			}
		}
		return true
	}
	if len(unknown) > 0 && j.Reopened {
		j.because("What was expected holds, as it may on any page that was opened anew: %s.", list(unknown, 3))
		return false
	}
	if len(unknown) > 0 {
		j.because("What was expected holds, but whether it held before is not known: %s.", list(unknown, 3))
		return false
	}
	j.because("The expectation held before already and proves nothing of this act: %s.", list(stale, 3))
	return false
}

func says(c bus.Checked) string {
	if t := strings.TrimSpace(c.Expect.Text); t != "" {
		return t + " (" + c.Fact + ")"
	}
	return c.Fact
}

// endlessDialogs is more than any page means to ask in one act.
const endlessDialogs = 10

// incomplete takes back a verdict that rests on a loose effect only, when the
// actor could not finish what it began.
func (j *judging) incomplete() {
	r := j.Receipt
	if r.Refusal != nil && r.Sent && j.outcome == bus.Right && len(r.Dialogs) >= endlessDialogs && j.Attempt.Risk != bus.RiskIrreversible {
		j.settled = true
		j.is(bus.WrongEffect, "The page opened %d dialogs one after another, so that the actor could not finish.", len(r.Dialogs))
		return
	}
	if r.Refusal != nil && r.Sent && j.outcome == bus.Right && !statePostcondition(j.Intent.Action) {
		j.is(bus.Unsure, "The actor broke off half-way: %s", sentence(r.Refusal.Message, string(r.Refusal.Code)))
	}
	hit := r.Hit != nil && r.Hit.Seen && r.Hit.Inside // kept before the actor was lost
	if r.Lost && !hit && j.outcome == bus.Right && !statePostcondition(j.Intent.Action) {
		j.is(bus.Unsure, "The receipt is lost, so that nobody saw what was hit.")
	}
}

// lost keeps an act from being taken for one that did nothing, or something
// else, where the receipt or the page that could tell is lost and a repetition
// might do it twice.
func (j *judging) lost() {
	r := j.Receipt
	graver := j.Attempt.Risk == bus.RiskIrreversible || j.Attempt.Risk == ""
	hit := r.Hit != nil && r.Hit.Seen
	switch {
	case (graver || slices.ContainsFunc(r.Requests, bus.Request.Posts)) && j.Reopened && r.Sent && (j.outcome == bus.NoEffect || j.outcome == bus.WrongEffect && j.refusedByServer() == ""):
		j.is(bus.Unsure, "The page was opened anew since this was sent, and does not tell what came of it.")
	case !r.Lost || j.outcome != bus.NoEffect:
	case hit && j.Before == nil && !j.Reopened:
		j.is(bus.Unsure, "The event reached %s before the receipt was lost, and this page does not tell what came of it.", hitName(r.Hit))
	case graver:
		j.is(bus.Unsure, "The receipt is lost, and an effect need not show on this page.")
	}
}

// actsThroughDialogs holds for actions that a dialog on the page can be the
// effect, or the object, of.
func actsThroughDialogs(a bus.Action) bool {
	switch a {
	case bus.ActionClick, bus.ActionPress, bus.ActionDrag, bus.ActionDownload, bus.ActionAccept, bus.ActionDismiss:
		return true
	}
	return false
}

// statePostcondition holds for actions whose aim is a state of the page that
// can be read, whoever brought it about.
func statePostcondition(a bus.Action) bool {
	switch a {
	case bus.ActionOpen, bus.ActionFill, bus.ActionClear, bus.ActionReplace, bus.ActionSelect, bus.ActionPickDate,
		bus.ActionCheck, bus.ActionUncheck, bus.ActionScroll, bus.ActionExpectation, bus.ActionWait, bus.ActionRemember:
		return true
	}
	return false
}

// twins takes back a verdict when another element fits the intent's words as
// well, and nothing tells the two apart.
func (j *judging) twins() {
	if j.Intent.Target != nil && j.Intent.Target.Ref != "" {
		return // the ref told them apart; words that mean another one were refused
	}
	if j.outcome != bus.Right || j.Before == nil || j.Intent.Target == nil || j.Attempt.Target == nil ||
		looksOnly(j.Intent.Action) || j.Attempt.Target.Ref == "" {
		return
	}
	others := twinsOf(j.Before, j.Intent.Target, target.Purpose(j.Intent.Action), j.Attempt.Target.Ref)
	if len(others) == 0 {
		return
	}
	j.settled = true
	j.is(bus.Unsure, "The words %s fit %s as well, and nothing tells which one was meant.",
		quote(phrase(j.Intent.Target)), several(j.Before, others))
}

// anyEffect tells whether anything that may be an effect was observed,
// on the page or beside it.
func (j *judging) anyEffect() bool { return len(j.effectFacts()) > 0 }

// led tells whether the page is at another address than before.
func (j *judging) led() bool {
	switch {
	case j.After == nil:
		return false
	case j.Before != nil:
		return j.Before.URL != j.After.URL
	}
	// Where a page that is opened anew leads to may be for any reason: only what
	// the actor saw counts.
	r := j.Receipt
	return j.Reopened && r.URLAfter != "" && r.URLAfter != r.URLBefore && sameURL(r.URLAfter, j.After.URL)
}

// effectFacts lists what was observed to happen.
func (j *judging) effectFacts() []string {
	r := j.Receipt
	var out []string
	if j.led() {
		out = append(out, "the page is now at "+j.After.URL)
	} else if j.fx.document {
		out = append(out, "the page was loaded anew")
	}
	if j.fx.tab {
		out = append(out, "another tab is in front")
	}
	out = append(out, j.fx.seen...)
	for _, d := range j.seenDialogs() {
		out = append(out, fmt.Sprintf("a %s dialog said %s", d.Type, quote(d.Message)))
	}
	for _, d := range r.Downloads {
		if d.State == "completed" && j.Files[d.Blob] == "" {
			out = append(out, fmt.Sprintf("the file %s arrived (%d bytes)", quote(d.Name), d.Size))
		}
	}
	for _, t := range r.NewTabs {
		out = append(out, fmt.Sprintf("tab %s opened at %s", t.ID, t.URL))
	}
	for _, q := range r.Requests {
		if q.Posts() {
			out = append(out, requestFact(q))
		}
	}
	return out
}

// seenDialogs are those of the receipt, and the one that is open now.
func (j *judging) seenDialogs() []bus.Dialog {
	out := j.Receipt.Dialogs
	if j.Dialog == nil {
		return out
	}
	for _, d := range out {
		if d.Type == j.Dialog.Type && d.Message == j.Dialog.Message {
			return out
		}
	}
	return append(out[:len(out):len(out)], *j.Dialog)
}
