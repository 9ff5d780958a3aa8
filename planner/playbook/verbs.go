package playbook

import "strings"

// A verb is what a clause does; several phrasings lead to one verb.
type verb string

const (
	vOpen     verb = "open"
	vGo       verb = "go"
	vBack     verb = "back"
	vForward  verb = "forward"
	vReload   verb = "reload"
	vClick    verb = "click"
	vDouble   verb = "double-click"
	vRight    verb = "right-click"
	vMiddle   verb = "middle-click"
	vPress    verb = "press"
	vKey      verb = "key"
	vFill     verb = "fill"
	vType     verb = "type"
	vAppend   verb = "append"
	vSet      verb = "set"
	vChange   verb = "change"
	vClear    verb = "clear"
	vReplace  verb = "replace"
	vSelect   verb = "select"
	vCheck    verb = "check"
	vUncheck  verb = "uncheck"
	vToggle   verb = "toggle"
	vTurn     verb = "turn"
	vUpload   verb = "upload"
	vDownload verb = "download"
	vHover    verb = "hover"
	vDrag     verb = "drag"
	vScroll   verb = "scroll"
	vAccept   verb = "accept"
	vDismiss  verb = "dismiss"
	vConfirm  verb = "confirm"
	vClose    verb = "close"
	vAnswer   verb = "answer"
	vSwitch   verb = "switch"
	vWait     verb = "wait"
	vExpect   verb = "expect"
	vRemember verb = "remember"
	vGive     verb = "give"
	vSee      verb = "see"
	vNo       verb = "no"     // understood, and refused with an explanation
	vShould   verb = "should" // a statement: "the total should be 5"
)

// A wording is one phrasing of a verb.
type wording struct {
	phrase string
	verb   verb
}

// wordings are matched longest first; where two are equally long there is one
// verb only, which a test holds.
var wordings = [...]wording{
	{"open", vOpen}, {"open up", vOpen}, {"visit", vOpen}, {"load", vOpen}, {"launch", vOpen}, {"bring up", vOpen},
	{"go to", vGo}, {"navigate to", vGo}, {"browse to", vGo}, {"head to", vGo}, {"head over to", vGo}, {"go over to", vGo},
	{"go on to", vGo}, {"go into", vGo}, {"jump to", vGo}, {"surf to", vGo}, {"point the browser at", vGo}, {"point your browser at", vGo},
	{"return to", vGo}, {"go back to", vGo}, {"navigate back to", vGo}, {"come back to", vGo},
	{"go back", vBack}, {"navigate back", vBack}, {"go back one page", vBack}, {"step back", vBack}, {"go one page back", vBack},
	{"go forward", vForward}, {"go forwards", vForward}, {"navigate forward", vForward}, {"go one page forward", vForward},
	{"reload", vReload}, {"refresh", vReload},

	{"click", vClick}, {"click on", vClick}, {"tap", vClick}, {"tap on", vClick}, {"left-click", vClick}, {"left-click on", vClick},
	{"left click", vClick}, {"left click on", vClick}, {"click into", vClick}, {"click inside", vClick}, {"push", vClick}, {"follow", vClick},
	{"activate", vClick}, {"focus", vClick}, {"focus on", vClick}, {"put the cursor in", vClick}, {"put the cursor into", vClick},
	{"place the cursor in", vClick}, {"place the cursor into", vClick}, {"single-click", vClick}, {"press on", vClick}, {"push on", vClick}, {"trigger", vClick},
	{"double-click", vDouble}, {"double-click on", vDouble}, {"double click", vDouble}, {"double click on", vDouble},
	{"doubleclick", vDouble}, {"double-tap", vDouble}, {"double tap", vDouble}, {"double tap on", vDouble}, {"double-tap on", vDouble},
	{"right-click", vRight}, {"right-click on", vRight}, {"right click", vRight}, {"right click on", vRight}, {"rightclick", vRight},
	{"open the context menu of", vRight}, {"open the context menu for", vRight}, {"open the context menu on", vRight},
	{"middle-click", vMiddle}, {"middle-click on", vMiddle}, {"middle click", vMiddle}, {"middle click on", vMiddle},
	{"press", vPress}, {"hit", vPress}, {"strike", vKey},
	{"use the keyboard shortcut", vKey}, {"use the shortcut", vKey}, {"press the keyboard shortcut", vKey}, {"press the shortcut", vKey}, {"send the key", vKey}, {"use the key", vKey}, {"press and release", vKey},

	{"fill", vFill}, {"fill in", vFill}, {"fill out", vFill}, {"fill up", vFill}, {"complete", vFill}, {"populate", vFill}, {"overwrite", vFill},
	{"type", vType}, {"type in", vType}, {"enter", vType}, {"key in", vType}, {"put", vType}, {"put in", vType}, {"write", vType}, {"write down", vType},
	{"input", vType}, {"insert", vType}, {"paste", vType}, {"provide", vType}, {"supply", vType}, {"specify", vType}, {"enter in", vType},
	{"append", vAppend}, {"add", vAppend}, {"also type", vAppend}, {"continue typing", vAppend},
	{"set", vSet}, {"update", vSet}, {"adjust", vSet}, {"change", vChange}, {"edit", vChange},
	{"clear", vClear}, {"clear out", vClear}, {"empty", vClear}, {"erase", vClear}, {"wipe", vClear}, {"blank", vClear}, {"blank out", vClear}, {"empty out", vClear},
	{"replace", vReplace}, {"substitute", vReplace}, {"swap", vReplace},
	{"select", vSelect}, {"choose", vSelect}, {"pick", vSelect}, {"pick out", vSelect}, {"opt for", vSelect},
	{"check", vCheck}, {"tick", vCheck}, {"mark", vCheck}, {"tick off", vCheck}, {"check off", vCheck}, {"enable", vCheck}, {"tick on", vCheck},
	{"switch on", vCheck}, {"turn on", vCheck}, {"put a tick in", vCheck}, {"put a check in", vCheck}, {"put a check mark in", vCheck}, {"put a tick mark in", vCheck},
	{"put a tick into", vCheck}, {"put a checkmark in", vCheck}, {"place a tick in", vCheck}, {"set a tick in", vCheck}, {"set the tick in", vCheck},
	{"uncheck", vUncheck}, {"untick", vUncheck}, {"unmark", vUncheck}, {"deselect", vUncheck}, {"unselect", vUncheck}, {"turn off", vUncheck}, {"de-select", vUncheck},
	{"switch off", vUncheck}, {"disable", vUncheck}, {"remove the tick from", vUncheck}, {"remove the check from", vUncheck}, {"remove the check mark from", vUncheck},
	{"take the tick out of", vUncheck}, {"remove the tick in", vUncheck}, {"clear the tick in", vUncheck}, {"clear the tick from", vUncheck}, {"un-tick", vUncheck}, {"un-check", vUncheck}, {"deactivate", vUncheck}, {"de-activate", vUncheck},
	{"toggle", vToggle}, {"flip", vToggle}, {"turn", vTurn}, {"switch", vTurn},
	{"upload", vUpload}, {"attach", vUpload}, {"upload the file", vUpload}, {"upload the files", vUpload}, {"attach the file", vUpload}, {"attach the files", vUpload},
	{"choose the file", vUpload}, {"choose the files", vUpload}, {"select the file", vUpload}, {"select the files", vUpload}, {"pick the file", vUpload}, {"add the file", vUpload}, {"add the files", vUpload}, {"import the file", vUpload}, {"import", vUpload},
	{"download", vDownload}, {"download the file", vDownload},
	{"hover", vHover}, {"hover over", vHover}, {"hover on", vHover}, {"hover above", vHover}, {"hover the mouse over", vHover}, {"move the mouse over", vHover}, {"move the mouse to", vHover},
	{"move the mouse onto", vHover}, {"move the pointer over", vHover}, {"move the pointer to", vHover}, {"move the cursor over", vHover}, {"move the cursor to", vHover}, {"move the pointer onto", vHover},
	{"point at", vHover}, {"point to", vHover}, {"mouse over", vHover}, {"put the mouse over", vHover}, {"place the mouse over", vHover}, {"rest the mouse on", vHover}, {"rest the mouse over", vHover}, {"put the mouse on", vHover}, {"hover with the mouse over", vHover},
	{"drag", vDrag}, {"drag and drop", vDrag}, {"drag & drop", vDrag}, {"drag-and-drop", vDrag}, {"drop", vDrag}, {"move", vDrag}, {"pull", vDrag},
	{"scroll", vScroll}, {"scroll over", vScroll}, {"bring", vScroll},
	{"accept", vAccept}, {"ok", vAccept}, {"okay", vAccept}, {"agree to", vAccept}, {"say yes to", vAccept}, {"accepting", vAccept}, {"confirming", vAccept}, {"acknowledge", vAccept},
	{"dismiss", vDismiss}, {"cancel", vDismiss}, {"reject", vDismiss}, {"decline", vDismiss}, {"refuse", vDismiss}, {"say no to", vDismiss}, {"dismissing", vDismiss}, {"cancelling", vDismiss}, {"canceling", vDismiss},
	{"confirm", vConfirm}, {"close", vClose}, {"shut", vClose},
	{"answer", vAnswer}, {"respond to", vAnswer}, {"reply to", vAnswer}, {"answering", vAnswer}, {"respond", vAnswer},
	{"switch to", vSwitch}, {"switch over to", vSwitch}, {"switch back to", vSwitch}, {"change to", vSwitch}, {"activate the tab", vSwitch},
	{"wait", vWait}, {"wait for", vWait}, {"wait until", vWait}, {"wait till", vWait}, {"pause", vWait}, {"sleep", vWait}, {"pause for", vWait}, {"sleep for", vWait}, {"hold on for", vWait}, {"give it", vWait}, {"wait up to", vWait}, {"await", vWait}, {"wait while", vWait}, {"wait at most", vWait},
	{"expect", vExpect}, {"expect that", vExpect}, {"expect to see", vExpect}, {"verify", vExpect}, {"verify that", vExpect}, {"check that", vExpect}, {"check if", vExpect}, {"check whether", vExpect},
	{"check for", vExpect}, {"make sure", vExpect}, {"make sure that", vExpect}, {"ensure", vExpect}, {"ensure that", vExpect}, {"assert", vExpect}, {"assert that", vExpect}, {"be sure that", vExpect}, {"be sure", vExpect},
	{"confirm that", vExpect}, {"validate", vExpect}, {"validate that", vExpect}, {"check to see that", vExpect}, {"check to see if", vExpect}, {"double-check that", vExpect}, {"double check that", vExpect}, {"prove that", vExpect}, {"test that", vExpect}, {"look for", vExpect}, {"look whether", vExpect}, {"see that", vExpect}, {"see whether", vExpect}, {"see if", vExpect}, {"verify whether", vExpect}, {"verify if", vExpect}, {"assure that", vExpect},
	{"see", vSee},
	{"remember", vRemember}, {"save", vRemember}, {"note", vRemember}, {"note down", vRemember}, {"store", vRemember}, {"keep", vRemember}, {"memorise", vRemember}, {"memorize", vRemember}, {"record", vRemember}, {"capture", vRemember}, {"copy", vRemember}, {"read", vRemember}, {"make a note of", vRemember}, {"take note of", vRemember}, {"grab", vRemember}, {"jot down", vRemember}, {"extract", vRemember},
	{"give", vGive},

	{"submit", vNo}, {"log in", vNo}, {"sign in", vNo}, {"log out", vNo}, {"sign out", vNo}, {"take a screenshot", vNo}, {"take a screenshot of", vNo}, {"expand", vNo}, {"collapse", vNo}, {"search for", vNo}, {"search", vNo}, {"delete", vNo}, {"remove", vNo}, {"create", vNo}, {"buy", vNo}, {"pay", vNo}, {"undo", vNo}, {"long-press", vNo}, {"long press", vNo}, {"swipe", vNo}, {"zoom", vNo}, {"resize", vNo}, {"run", vNo}, {"execute", vNo}, {"repeat", vNo}, {"do", vNo}, {"use", vNo}, {"leave", vNo},
}

// allVerbs have forms; the order is that of the reference.
var allVerbs = [...]verb{vOpen, vBack, vForward, vClick, vDouble, vRight, vPress, vFill, vAppend, vSet, vClear, vReplace, vSelect, vCheck, vUncheck, vToggle,
	vUpload, vDownload, vHover, vDrag, vScroll, vAccept, vDismiss, vAnswer, vSwitch, vClose, vWait, vExpect, vRemember}

// formsOf are sentences that show how the verb is used; a test reads them all.
func formsOf(v verb) []string {
	switch v {
	case vOpen, vGo:
		return []string{`Open "/customers"`, `Go to https://example.com/orders`, `Open the menu "Reports"`}
	case vBack:
		return []string{`Go back`}
	case vForward:
		return []string{`Go forward`}
	case vReload:
		return []string{`Open "/orders"`, `Click "Refresh"`}
	case vClick:
		return []string{`Click the button "Save"`, `Click "Edit" in the row with "Acme"`, `Click the last link "Terms"`}
	case vDouble:
		return []string{`Double-click the row of "Acme"`}
	case vRight, vMiddle:
		return []string{`Right-click the row of "Acme"`}
	case vPress, vKey:
		return []string{`Press Enter`, `Press Ctrl+S in the field "Notes"`, `Press the button "Save"`}
	case vFill, vType, vGive:
		return []string{`Fill the field "Name" with "Acme"`, `Type "Acme" into the field "Name"`, `Type the secret PASSWORD into "Password"`}
	case vAppend:
		return []string{`Append "!" to the field "Notes"`}
	case vSet, vChange:
		return []string{`Set the field "Quantity" to "5"`, `Set the date "Due" to tomorrow`}
	case vClear:
		return []string{`Clear the field "Name"`}
	case vReplace:
		return []string{`Replace "draft" with "final" in the field "Label"`}
	case vSelect:
		return []string{`Choose "High" in the list "Priority"`, `Pick 14 March 2026 in the date field "Due"`}
	case vCheck:
		return []string{`Check the box "Terms"`, `Tick "Wiki" and "News"`}
	case vUncheck:
		return []string{`Uncheck the boxes "Wiki" and "News"`}
	case vToggle, vTurn:
		return []string{`Toggle the switch "Dark mode"`, `Turn "Dark mode" on`}
	case vUpload:
		return []string{`Upload "customers.csv" to the field "File"`}
	case vDownload:
		return []string{`Download the invoice with the button "Export"`}
	case vHover:
		return []string{`Hover over the row of "Invoice 1042" and click "Send"`}
	case vDrag:
		return []string{`Drag the card "Call Acme" to the column "Done"`}
	case vScroll:
		return []string{`Scroll to "Terms"`, `Scroll to the bottom`}
	case vAccept, vConfirm:
		return []string{`Accept the dialog`, `Click "Delete" and accept the dialog`}
	case vDismiss:
		return []string{`Dismiss the dialog`}
	case vAnswer:
		return []string{`Answer the prompt with "Acme"`}
	case vSwitch:
		return []string{`Switch to the new tab`, `Switch to the tab "Invoice"`}
	case vClose:
		return []string{`Close the tab`, `Dismiss the dialog`}
	case vWait:
		return []string{`Wait until "Saved" is visible`, `Wait for "Loading" to disappear`, `Wait 2 seconds`}
	case vExpect, vSee, vShould:
		return []string{`Verify that "Saved" is visible`, `Expect the field "Total" to be "5"`, `Check that there are 3 rows in the table "Orders"`}
	case vRemember:
		return []string{`Remember the value of the field "Total" as TOTAL`}
	case vNo:
		return nil
	}
	return nil
}

// matchVerb finds the longest wording at i. The table is walked each time: that
// is fast enough for sentences, and keeps the package free of state.
func matchVerb(toks []token, i int) (verb, int) {
	if i >= len(toks) || toks[i].kind != tokWord {
		return "", 0
	}
	if n := pointing(toks, i); n > 0 {
		return vHover, n
	}
	first := toks[i].low
	best, length := verb(""), 0
	for _, w := range wordings {
		if !strings.HasPrefix(w.phrase, first) {
			continue
		}
		if n := matchPhrase(toks, i, w.phrase); n > length {
			best, length = w.verb, n
		}
	}
	return best, length
}

// pointing matches "move the mouse pointer over" and its like; a cursor that is
// put in or on something may be the one that types.
func pointing(toks []token, i int) int {
	c := &clause{toks: toks, i: i}
	typing := c.is(i, "put", "place", "set", "position")
	if !c.take("move", "put", "place", "rest", "position", "hold", "leave", "keep") || !c.articles() {
		return 0
	}
	typing = typing && c.is(c.i, "cursor")
	if !c.takePhrase("mouse", "pointer", "cursor", "mouse pointer", "mouse cursor") {
		return 0
	}
	if !c.takePhrase("over", "above", "on top of") && (typing || !c.takePhrase("on", "onto", "to", "over to", "at")) {
		return 0
	}
	return c.i - i
}

// matchPhrase returns how many tokens at i spell the phrase, or 0.
func matchPhrase(toks []token, i int, phrase string) int {
	n := 0
	for phrase != "" {
		word, rest, _ := strings.Cut(phrase, " ")
		if i+n >= len(toks) || toks[i+n].low != word {
			return 0
		}
		phrase = rest
		n++
	}
	return n
}
