package verifier

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/target"
	"github.com/quartet-agents/quartet/observer/aria"
)

// own judges by the action's own post-condition.
func (j *judging) own() {
	switch j.Intent.Action {
	case bus.ActionOpen:
		j.opened()
	case bus.ActionBack, bus.ActionForward:
		j.travelled()
	case bus.ActionClick, bus.ActionPress, bus.ActionDrag:
		j.clicked()
	case bus.ActionHover:
		j.hovered()
	case bus.ActionFill, bus.ActionType, bus.ActionClear, bus.ActionReplace, bus.ActionPickDate:
		j.filled()
	case bus.ActionSelect:
		j.selected()
	case bus.ActionCheck, bus.ActionUncheck, bus.ActionToggle:
		j.checkedState()
	case bus.ActionUpload:
		j.uploaded()
	case bus.ActionDownload:
		j.downloaded()
	case bus.ActionScroll:
		j.scrolledTo()
	case bus.ActionAccept, bus.ActionDismiss:
		j.dialogAnswered()
	case bus.ActionSwitchTab:
		j.tabChanged()
	case bus.ActionCloseTab:
		j.tabClosed()
	case bus.ActionNewTab:
		j.tabOpened()
	case bus.ActionWait, bus.ActionExpectation:
		if len(j.Intent.Expect) == 0 {
			if j.Intent.Action == bus.ActionWait {
				j.is(bus.Right, "The wait is over; the page is at %s.", j.After.URL)
				return
			}
			j.is(bus.Unsure, "There is nothing to check in this expectation.")
		}
	case bus.ActionRemember:
		j.remembered()
	case bus.ActionEvaluate:
		j.evaluated()
	default:
		j.is(bus.Unsure, "There is no rule that tells whether %q worked.", j.Intent.Action)
	}
}

// effectOrNot is the end of every rule that asks for any effect at all.
func (j *judging) effectOrNot(what string) {
	facts := j.effectFacts()
	if len(facts) == 0 {
		j.is(bus.NoEffect, "%s, but nothing that could be its effect was observed.", what)
		return
	}
	if j.Reopened && !j.led() {
		j.is(bus.Unsure, "%s, but the page was opened anew since, so that no effect can be told.", what)
		return
	}
	if j.Before == nil && !j.led() {
		j.is(bus.Unsure, "%s, but the observation of before is lost, so that no effect can be told.", what)
		return
	}
	if q := j.refusedByServer(); q != "" {
		j.is(bus.WrongEffect, "%s, but the server refused what it sent: %s.", what, q)
		return
	}
	if len(j.fx.refused) > 0 && j.fx.others == 0 && !j.fx.navigated && !slices.ContainsFunc(j.Receipt.Requests, bus.Request.Posts) {
		j.is(bus.WrongEffect, "%s, but the form was not sent: %s.", what, list(j.fx.refused, 3))
		return
	}
	if complaints := j.complaints(); len(complaints) > 0 {
		j.is(bus.WrongEffect, "%s, but %s.", what, list(complaints, 3))
		return
	}
	j.is(bus.Right, "%s, and it had an effect: %s.", what, list(facts, 3))
}

// refusedByServer is a request of the act that changes something and was
// answered with an error, or "".
func (j *judging) refusedByServer() string {
	for _, q := range j.Receipt.Requests {
		if q.Posts() && (q.Status >= 400 || q.Error != "") {
			return requestFact(q)
		}
	}
	return ""
}

// complaints are the messages that came with the act and speak of a failure in
// so many words.
func (j *judging) complaints() []string {
	var out []string
	for _, s := range j.fx.errors {
		if wrong(s) {
			out = append(out, s)
		}
	}
	return out
}

// arrival says what the probe saw; ok is false when it can't support a verdict.
func (j *judging) arrival() (what string, ok bool) {
	h, meant := j.Receipt.Hit, element(j.Attempt.Target)
	switch {
	case h != nil && h.Seen && h.Inside && j.Receipt.Input == "page":
		return "The event, made by a script in the page, reached " + meant, true
	case h != nil && h.Seen && h.Inside:
		return "The event reached " + meant, true
	case j.fx.document || j.fx.tab || len(j.Receipt.NewTabs) > 0 || j.Dialog != nil || len(j.Receipt.Dialogs) > 0:
		return "The probe saw no event because the page moved on at once", true
	case j.Intent.Action == bus.ActionPress && (h == nil || !h.Seen):
		return "The key was sent", true
	}
	return "No event was seen to arrive at " + meant, false
}

func (j *judging) clicked() {
	what, ok := j.arrival()
	if !ok {
		if !j.anyEffect() {
			j.is(bus.NoEffect, "%s, and nothing happened.", what)
			return
		}
		j.is(bus.Unsure, "%s, though something happened: %s.", what, list(j.effectFacts(), 3))
		return
	}
	if !j.anyEffect() {
		switch {
		case j.focusIsEffect():
			j.is(bus.Right, "%s, which has the focus now.", what)
			return
		case j.Intent.Action == bus.ActionPress && (j.fx.focused || j.fx.scrolled):
			j.is(bus.Right, "%s, and the %s moved.", what, either(j.fx.focused, "focus", "view"))
			return
		case j.Intent.Action == bus.ActionDrag && j.fx.moved:
			j.is(bus.Right, "%s, and things on the page moved.", what)
			return
		case j.fx.scrolled && j.targetRole() == "link":
			j.is(bus.Right, "%s, and the page scrolled to where it points.", what)
			return
		case j.unseen(what):
			return
		}
	}
	j.effectOrNot(what)
}

// focusIsEffect holds when what was clicked is there to take the focus, has it
// on the fresh observation, and had not before.
func (j *judging) focusIsEffect() bool {
	n := j.now()
	if n == nil || !n.Active || j.Before == nil {
		return false
	}
	if b := j.Before.ByRef(n.Ref); b != nil && b.Active {
		return false
	}
	switch n.Role {
	case "textbox", "searchbox", "combobox", "spinbutton", "slider", "canvas":
		return true
	}
	return n.Value != nil
}

func (j *judging) targetRole() string {
	if j.Attempt.Target == nil {
		return ""
	}
	return j.Attempt.Target.Role
}

func (j *judging) hovered() {
	what, ok := j.arrival()
	switch {
	case !ok && !j.anyEffect():
		j.is(bus.NoEffect, "%s, and nothing happened.", what)
	case !ok:
		j.is(bus.Unsure, "%s, though something happened: %s.", what, list(j.effectFacts(), 3))
	case j.now() == nil && !j.anyEffect():
		j.is(bus.Unsure, "%s, which is not on the page any more.", what)
	case !j.anyEffect():
		j.is(bus.Right, "%s; the pointer is on it, and nothing else changed.", what)
	default:
		j.is(bus.Right, "%s, and %s.", what, list(j.effectFacts(), 3))
	}
}

// now is the target on the fresh observation: by its ref, or, where a re-render
// replaced it, the only element that the same words place.
func (j *judging) now() *aria.Node {
	t := j.Attempt.Target
	if j.After == nil || t == nil {
		return nil
	}
	if n := j.After.ByRef(t.Ref); n != nil {
		return n
	}
	if j.Intent.Target != nil && (j.Intent.Target.Name != "" || j.Intent.Target.Words != "") && !j.fx.document {
		q := *j.Intent.Target
		q.Ref = ""
		if n := locate(j.After, &q, target.Purpose(j.Intent.Action)).one(); n != nil && n.Role == t.Role {
			return n
		}
	}
	return nil
}

// previously is the target on the observation of before.
func (j *judging) previously() *aria.Node {
	if j.Attempt.Target == nil {
		return nil
	}
	return j.Before.ByRef(j.Attempt.Target.Ref)
}

// gone judges an act on a control that the fresh observation does not have.
func (j *judging) gone(meant string) {
	t := element(j.Attempt.Target)
	if meant != "" && j.After != nil && j.Before != nil {
		where, shown := textOnPage(j.After, meant)
		_, before := textOnPage(j.Before, meant)
		if shown && !before {
			j.is(bus.Right, "%s is gone, and %s, which was not on the page before, is there now: %s.", t, quote(meant), where)
			return
		}
	}
	if j.anyEffect() {
		j.is(bus.Unsure, "%s is not on the page any more, so that its value can't be read back.", t)
		return
	}
	j.is(bus.NoEffect, "%s is not on the page.", t)
}

// hasSecret holds for values that the verifier may not know.
func hasSecret(s string) bool { return strings.Contains(s, "${secret:") }

// filled judges by the value on the fresh observation.
func (j *judging) filled() {
	n := j.now()
	want, doable := j.meantValue()
	if n == nil {
		j.gone(want)
		return
	}
	if !doable {
		j.is(bus.Unsure, "What %s held before is not known, so that it can't be told what it should hold now.", describe(n))
		return
	}
	if n.Masked || hasSecret(want) {
		j.filledSecret(n)
		return
	}
	got := currentValue(n)
	l := compareValues(want, got, hintOf(n))
	if begin, more, cut := aria.Shortened(got); cut {
		// Of a long text the tree holds the beginning and how much follows.
		w := []rune(squeeze(want))
		l.same = strings.HasPrefix(string(w), strings.TrimSpace(begin)) && utf16Len(string(w))-utf16Len(begin) >= more-1 && utf16Len(string(w))-utf16Len(begin) <= more+1
	}
	if n.Value == nil && n.ValueNow == "" && want == "" {
		l.same = squeeze(aria.TextOf(n)) == "" || aria.TextOf(n) == n.Name // an empty editor shows its name
	}
	switch {
	case l.same && l.doubt != "":
		j.is(bus.Unsure, "%s holds %s: %s.", describe(n), quote(got), l.doubt)
	case l.same:
		j.is(bus.Right, "Read afresh, %s holds %s%s, which is what was meant.", describe(n), quote(got), aside(l.how))
		j.undone(n)
	case j.Intent.Action == bus.ActionType && strings.Contains(squeeze(got), squeeze(j.Intent.Value)) && j.Intent.Value != "" && !j.heldBefore(got):
		j.is(bus.Right, "Read afresh, %s holds %s, with what was typed.", describe(n), quote(got))
	case j.heldBefore(got):
		j.is(bus.NoEffect, "%s still holds %s; %s was meant.", describe(n), quote(got), quote(want))
	default:
		j.is(bus.WrongEffect, "%s holds %s; %s was meant%s.", describe(n), quote(got), quote(want), aside(l.how))
	}
}

// undone adds what a person would want to know of a value that is right.
func (j *judging) undone(n *aria.Node) {
	if n.Invalid != "" && n.Invalid != "false" {
		j.because("The field is marked invalid%s.", because(n.InvalidMessage))
	}
	if before := j.previously(); before != nil && before.Value != nil && n.Value != nil && *before.Value == *n.Value {
		j.because("It held that before already.")
	}
}

// utf16Len is how long s is for a script.
func utf16Len(s string) int { return len(utf16.Encode([]rune(s))) }

func (j *judging) heldBefore(got string) bool {
	before := j.previously()
	return before != nil && squeeze(currentValue(before)) == squeeze(got)
}

// filledSecret judges a value that nobody may read: the actor compared it in
// the page, and the fresh observation must show that something is there.
func (j *judging) filledSecret(n *aria.Node) {
	filled := n.Value != nil && *n.Value != ""
	m := j.Receipt.Matches
	switch {
	case j.Intent.Action == bus.ActionClear && !filled:
		j.is(bus.Right, "Read afresh, %s is empty.", describe(n))
	case j.Intent.Action == bus.ActionClear:
		j.is(bus.WrongEffect, "%s is not empty.", describe(n))
	case !filled:
		j.is(bus.NoEffect, "%s is empty; a secret value was meant.", describe(n))
	case m == nil:
		j.is(bus.Unsure, "%s holds something, but nothing compared it with the secret that was meant.", describe(n))
	case !*m:
		j.is(bus.WrongEffect, "What %s holds is not what was typed.", describe(n))
	default:
		j.is(bus.Right, "Read afresh, %s is filled, and the comparison in the page says with what was meant.", describe(n))
	}
}

// meantValue is what the field should hold now. ok is false when that follows
// from a value of before that is not known.
func (j *judging) meantValue() (string, bool) {
	i := j.Intent
	before := j.previously()
	switch i.Action {
	case bus.ActionClear:
		return "", true
	case bus.ActionType:
		if before == nil || before.Value == nil {
			return i.Value, true
		}
		return *before.Value + i.Value, true
	case bus.ActionReplace:
		if before == nil {
			return "", false
		}
		return strings.Replace(currentValue(before), i.Find, i.Value, 1), strings.Contains(currentValue(before), i.Find)
	}
	return i.Value, true
}

// selected judges by what a list shows as chosen.
func (j *judging) selected() {
	want := j.Intent.Values
	if len(want) == 0 && j.Intent.Value != "" {
		want = []string{j.Intent.Value}
	}
	n := j.now()
	if n == nil {
		j.gone(strings.Join(want, " "))
		return
	}
	got := []string{currentValue(n)}
	if on := chosen(n); len(on) > 0 {
		got = on
	}
	whole := strings.Join(got, ", ")
	if sameSet(want, got) || compareValues(strings.Join(want, ", "), whole, "").same {
		j.is(bus.Right, "Read afresh, %s shows %s as chosen.", describe(n), quote(whole))
		j.undone(n)
		return
	}
	// A custom list shows its choice as text, chips or a button's name.
	shown := aria.TextOf(n) + " " + n.Name
	before := ""
	if b := j.previously(); b != nil {
		before = aria.TextOf(b) + " " + b.Name
	}
	all := n.Value == nil && len(want) > 0
	for _, w := range want {
		all = all && holds(shown, w) && !holds(before, w)
	}
	switch {
	case all:
		j.is(bus.Right, "%s now shows %s.", describe(n), quote(strings.Join(want, ", ")))
	case j.heldBefore(currentValue(n)) && len(chosen(n)) == 0:
		j.is(bus.NoEffect, "%s still shows %s; %s was meant.", describe(n), quote(whole), quote(strings.Join(want, ", ")))
	default:
		j.is(bus.WrongEffect, "%s shows %s as chosen; %s was meant.", describe(n), quote(whole), quote(strings.Join(want, ", ")))
	}
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	left := slices.Clone(b)
	for _, x := range a {
		i := slices.IndexFunc(left, func(y string) bool { return compareValues(x, y, "").same })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// checkedState judges by a control's two-way state.
func (j *judging) checkedState() {
	n := j.now()
	if n == nil {
		j.gone("")
		return
	}
	on, known := isOn(n)
	if !known {
		if !j.anyEffect() {
			j.is(bus.NoEffect, "%s shows no state, and nothing changed.", describe(n))
			return
		}
		j.is(bus.Unsure, "%s shows no state that could be read, though something happened: %s.", describe(n), list(j.effectFacts(), 3))
		return
	}
	was, wasKnown := false, false
	if b := j.previously(); b != nil {
		was, wasKnown = isOn(b)
	}
	want := j.Intent.Action == bus.ActionCheck
	if j.Intent.Action == bus.ActionToggle {
		if !wasKnown {
			j.is(bus.Unsure, "%s is %s, but what it was before is not known.", describe(n), either(on, "on", "off"))
			return
		}
		want = !was
	}
	switch {
	case on == want && wasKnown && was == want:
		j.is(bus.Right, "Read afresh, %s is %s, as it was before.", describe(n), either(on, "on", "off"))
	case on == want:
		j.is(bus.Right, "Read afresh, %s is %s.", describe(n), either(on, "on", "off"))
	case wasKnown && was != on:
		j.is(bus.WrongEffect, "%s is %s now; %s was meant.", describe(n), either(on, "on", "off"), either(want, "on", "off"))
	default:
		j.is(bus.NoEffect, "%s is still %s; %s was meant.", describe(n), either(on, "on", "off"), either(want, "on", "off"))
	}
}

// uploaded judges by the file names that the control or the page shows.
func (j *judging) uploaded() {
	n := j.now()
	var missing []string
	for _, f := range j.Intent.Values {
		name := f[strings.LastIndexAny(f, `/\`)+1:]
		if n != nil && holds(currentValue(n), name) {
			continue
		}
		_, now := textOnPage(j.After, name)
		was := false
		if j.Before != nil {
			_, was = textOnPage(j.Before, name)
		}
		if !now || was {
			missing = append(missing, quote(name))
		}
	}
	switch {
	case len(missing) == 0 && len(j.Intent.Values) > 0:
		j.is(bus.Right, "Read afresh, the page holds %s.", quote(strings.Join(j.Intent.Values, ", ")))
	case j.anyEffect():
		j.is(bus.Unsure, "The page does not show %s, though something happened: %s.", strings.Join(missing, ", "), list(j.effectFacts(), 3))
	default:
		j.is(bus.NoEffect, "The page does not show %s, and nothing changed.", strings.Join(missing, ", "))
	}
}

// downloaded judges by the file that is kept, not by the word that it came.
func (j *judging) downloaded() {
	var bad []string
	for _, d := range j.Receipt.Downloads {
		why, looked := j.Files[d.Blob]
		switch {
		case d.State != "completed":
			bad = append(bad, fmt.Sprintf("%s was %s", quote(d.Name), d.State))
		case !looked:
			bad = append(bad, fmt.Sprintf("%s was reported, but no file was kept to compare", quote(d.Name)))
		case why != "":
			bad = append(bad, fmt.Sprintf("%s was reported, but %s", quote(d.Name), why))
		default:
			j.is(bus.Right, "The file %s arrived; its %d bytes and its hash were compared with what is kept.", quote(d.Name), d.Size)
			return
		}
	}
	switch {
	case len(bad) > 0:
		j.is(bus.WrongEffect, "No whole file arrived: %s.", list(bad, 3))
	case j.anyEffect():
		j.is(bus.WrongEffect, "No file arrived; instead: %s.", list(j.effectFacts(), 3))
	default:
		j.is(bus.NoEffect, "No file arrived, and nothing changed.")
	}
}

// evaluated judges a function by its own end: what it did to the page nobody
// was told to expect.
func (j *judging) evaluated() {
	switch r := j.Receipt; {
	case r.Refusal != nil:
		j.settled = true // nothing late comes of it
		j.is(bus.NoEffect, "It did not run to its end: %s", sentence(r.Refusal.Message, string(r.Refusal.Code)))
	case r.Read == nil:
		j.is(bus.Unsure, "The function was called, but what came of it is not known.")
	default:
		j.is(bus.Right, "The function ran to its end.")
	}
}

func (j *judging) remembered() {
	r := j.Receipt
	if r.Read == nil {
		j.is(bus.NoEffect, "Nothing was read.")
		return
	}
	got, n := "", (*aria.Node)(nil)
	switch j.Intent.Of {
	case "url":
		got = j.After.URL
	case "title":
		got = j.After.Title
	case "count":
		if j.Intent.Target == nil {
			j.is(bus.Unsure, "It is not said what was to be counted.")
			return
		}
		got = fmt.Sprint(len(locate(j.After, j.Intent.Target, aria.ForAny).nodes))
	default:
		if n = j.now(); n == nil {
			j.is(bus.Unsure, "%s is not on the page any more, so that what was read can't be read again.", element(j.Attempt.Target))
			return
		}
		if n.Masked {
			j.is(bus.WrongEffect, "%s holds a secret, which may not be remembered.", describe(n))
			return
		}
		got = currentValue(n)
	}
	same := squeeze(got) == squeeze(*r.Read)
	if n != nil && !same && j.Intent.Of != "value" {
		same = squeeze(aria.TextOf(n)) == squeeze(*r.Read) || squeeze(n.Name) == squeeze(*r.Read) && n.Name != ""
	}
	if !same {
		j.is(bus.WrongEffect, "%s was remembered, but read afresh it is %s.", quote(*r.Read), quote(got))
		return
	}
	j.is(bus.Right, "Read afresh, it is %s, which is what was remembered.", quote(*r.Read))
}
