package page_test

import (
	"testing"
)

// Things that are alike in role, name and place are told apart by what is in
// their row or container, or by their own targets: a ref never passes from one to
// the other, and stays with the one that is rendered again.
func TestTwinsKeepTheirRefs(t *testing.T) {
	const tools = `<script>
const put = (id, list) => { document.getElementById(id).innerHTML = list.join('') };
const row = (who, ...more) => '<tr><td>' + who + more.map((m) => '<td>' + m).join('') + '<td><button data-k="' + more[0] + '">Delete</button>';
const card = (title, word) => '<div class=c><h3>' + title + '</h3><p>' + word + '</p><button data-k=' + word + '>Buy</button></div>';
const one = (who) => '<div class=i><span>' + who + '</span><button data-k=' + who + '>Delete</button></div>';
const link = (to) => '<a data-k=' + to.split('?')[0] + ' href="#' + to + '">Open</a> ';
const go = (v) => '<button data-k=' + v + ' value=' + v + '>Go</button> ';
const redo = (rows) => rows.forEach((words, i) => { const r = b.rows[i]; words.forEach((w, k) => { r.cells[k].textContent = w }); r.querySelector('button').dataset.k = words[1] });
const ask = (q, field) => '<div role=dialog aria-label=Confirm><h2>' + q[0] + '</h2><p>' + q[1] + '</p>' + (field || '') + '<div><button data-k="' + q.join() + '">Yes</button></div></div>';
const beside = (text, id) => '<p>' + text + '</p><button data-k="' + text + '" id=ok>OK</button>';
</script><p>Top</p><p id=log>none</p><table><tbody id=b></tbody></table><div id=z></div>`
	b := newBench(t, map[string]string{"/": "<!doctype html><title>T</title>" + tools})
	for _, c := range []struct {
		name, before, after string
		nth                 int
		button, want        string
	}{
		{"twin rows shift", "put('b', [row('John','#1'), row('John','#2'), row('Zoe','#9')])", "put('b', [row('John','#2'), row('John','#3'), row('Zoe','#9')])", 0, "Delete", "none"},
		{"twin rows shift, second", "put('b', [row('John','#1'), row('John','#2'), row('Zoe','#9')])", "put('b', [row('John','#2'), row('John','#3'), row('Zoe','#9')])", 1, "Delete", "#2"},
		{"twin rows shift, other one", "put('b', [row('John','#1'), row('John','#2'), row('Zoe','#9')])", "put('b', [row('John','#2'), row('John','#3'), row('Zoe','#9')])", 2, "Delete", "#9"},
		{"one twin left", "put('b', [row('John','#1'), row('John','#2')])", "put('b', [row('John','#2')])", 0, "Delete", "none"},
		{"one twin left, itself", "put('b', [row('John','#1'), row('John','#2')])", "put('b', [row('John','#2')])", 1, "Delete", "#2"},
		{"a twin comes", "put('b', [row('John','#1')])", "put('b', [row('John','#2'), row('John','#1')])", 0, "Delete", "none"},
		{"twin rows sorted", "put('b', [row('John','#1'), row('Zoe','#9'), row('John','#2')])", "put('b', [row('John','#2'), row('John','#1'), row('Zoe','#9')])", 0, "Delete", "#1"},
		{"equal rows again", "put('b', [row('John','#1'), row('John','#1')])", "b.innerHTML = b.innerHTML", 1, "Delete", "#1"},
		{"reused", "put('b', [row('John','#1'), row('John','#2'), row('Zoe','#9')])", "redo([['John','#2'],['John','#3']])", 0, "Delete", "none"},
		{"reused, second", "put('b', [row('John','#1'), row('John','#2'), row('Zoe','#9')])", "redo([['John','#2'],['John','#3']])", 1, "Delete", "none"},
		{"reused, the rest is equal", "put('b', [row('John','#1','Berlin','open'), row('John','#2','Berlin','open')])", "redo([['John','#2'],['John','#3']])", 1, "Delete", "none"},
		{"reused, the other one", "put('b', [row('John','#1'), row('John','#2'), row('Zoe','#9')])", "redo([['John','#2'],['John','#3']])", 2, "Delete", "#9"},
		{"status of a twin", "put('b', [row('Bug','Login fails','open'), row('Bug','Slow','new')])", "b.rows[0].cells[2].textContent = 'closed'", 0, "Delete", "Login fails"},
		{"status of a single row", "put('b', [row('John','#1'), row('Zoe','#9')])", "b.rows[0].cells[1].textContent = 'paid'", 0, "Delete", "#1"},
		{"status of a single row, again", "put('b', [row('John','#1'), row('Zoe','#9')])", "put('b', [row('John','#7'), row('Zoe','#9')])", 0, "Delete", "#7"},
		{"links swapped", "put('z', [link('alpha'), link('beta')])", "put('z', [link('beta'), link('alpha')])", 0, "Open", "alpha"},
		{"links swapped in place", "put('z', [link('alpha'), link('beta')])", "z.children[0].href = '#beta'; z.children[1].href = '#alpha'; z.children[0].dataset.k = 'beta'", 0, "Open", "none"},
		{"a link with a new token", "put('z', [link('alpha?1')])", "put('z', [link('alpha?2')])", 0, "Open", "alpha"},
		{"links again, other words", "put('z', [link('alpha'), link('beta')])", "log.textContent = 'new'; z.innerHTML = z.innerHTML", 1, "Open", "beta"},
		{"values swapped", "put('z', [go('keep'), go('delete')])", "put('z', [go('delete'), go('keep')])", 0, "Go", "keep"},
		{"cards swapped", "put('z', ['red','blue','green','pink'].map((w) => card('Shirt', w)))", "put('z', ['blue','red','green','pink'].map((w) => card('Shirt', w)))", 0, "Buy", "red"},
		{"cards, one is gone", "put('z', ['red','blue','green','pink','grey'].map((w) => card('Shirt', w)))", "put('z', ['blue','green','pink','grey'].map((w) => card('Shirt', w)))", 0, "Buy", "none"},
		{"two cards", "put('z', [one('Alice'), one('Bob')])", "put('z', [one('Bob'), one('Alice')])", 0, "Delete", "Alice"},
		{"two cards reused", "put('z', [one('Alice'), one('Bob')])", "const s = z.querySelectorAll('span'); s[0].textContent = 'Bob'; s[1].textContent = 'Alice'", 0, "Delete", "none"},
		{"a card's state", "put('z', [one('off'), one('on')])", "z.querySelector('span').textContent = 'on'", 0, "Delete", "off"},
		{"a dialog asks something else", "put('z', [ask(['Delete draft?', ''])])", "put('z', [ask(['Delete account?', ''])])", 0, "Yes", "none"},
		{"a dialog asks something else in its text", "put('z', [ask(['Please confirm', 'Delete draft?'])])", "put('z', [ask(['Please confirm', 'Delete account?'])])", 0, "Yes", "none"},
		{"a dialog again", "put('z', [ask(['Please confirm', 'Delete draft?'])])", "z.innerHTML = z.innerHTML", 0, "Yes", "Please confirm,Delete draft?"},
		{"a dialog to fill in", "put('z', [ask(['Invite', 'Ready'], '<input aria-label=Mail>')])", "put('z', [ask(['Invite', 'A mail is missing'], '<input aria-label=Mail>')])", 0, "Yes", "Invite,A mail is missing"},
		{"an id for something else", "put('z', [beside('Draft')])", "put('z', [beside('Account')])", 0, "OK", "none"},
		{"an id with a count", "put('z', [beside('3 items left')])", "put('z', [beside('2 items left')])", 0, "OK", "2 items left"},
	} {
		for _, looked := range []bool{false, true} {
			name := c.name
			if looked {
				name += ", after a walk"
			}
			t.Run(name, func(t *testing.T) {
				b.t = t
				b.open("/")
				run := func(src string) {
					b.js(nil, "(src) => { const s = document.createElement('script'); s.textContent = '{' + src + '}'; document.head.append(s) }", src)
				}
				run(c.before)
				role := "button"
				if c.button == "Open" {
					role = "link"
				}
				ref := findAll(b.look().Root, role, c.button)[c.nth].Ref
				run(c.after)
				if looked {
					b.look()
				}
				if got := b.k("", ref); got != c.want {
					t.Errorf("%s means %q, want %q", ref, got, c.want)
				}
				if got := b.status(ref); (got == "ok") != (c.want != "none") {
					t.Errorf("status %q, means %q", got, c.want)
				}
			})
		}
	}
}
