package playbook

import "strings"

// A noun is a word for a kind of element.
type noun struct {
	word  string
	role  string // the ARIA role, where the word means exactly one
	kind  string // else the kind, in the words of bus.Target
	scope string // set for what can contain other elements: bus.Scope.Kind
	weak  bool   // a label rather than a kind, where another noun is near
}

// nouns are matched longest first, singular or plural.
var nouns = [...]noun{
	{word: "button", role: "button"}, {word: "push button", role: "button"}, {word: "btn", role: "button"},
	{word: "link", role: "link"}, {word: "hyperlink", role: "link"},
	{word: "checkbox", role: "checkbox"}, {word: "check box", role: "checkbox"}, {word: "check-box", role: "checkbox"}, {word: "tick box", role: "checkbox"}, {word: "tickbox", role: "checkbox"}, {word: "tick-box", role: "checkbox"},
	{word: "radio button", role: "radio"}, {word: "radio", role: "radio"}, {word: "radio option", role: "radio"}, {word: "radio box", role: "radio"},
	{word: "switch", role: "switch"}, {word: "toggle switch", role: "switch"}, {word: "toggle", kind: "toggle"}, {word: "toggle button", kind: "toggle"},
	{word: "tab", role: "tab", scope: "tab"}, {word: "tab panel", kind: "tab", scope: "tab"},
	{word: "menu item", role: "menuitem"}, {word: "menuitem", role: "menuitem"}, {word: "menu entry", role: "menuitem"}, {word: "menu option", role: "menuitem"},
	{word: "heading", role: "heading", scope: "section"}, {word: "headline", role: "heading", scope: "section"}, {word: "subheading", role: "heading", scope: "section"},
	{word: "image", role: "img"}, {word: "picture", role: "img"}, {word: "photo", role: "img"}, {word: "logo", kind: "icon"}, {word: "icon", kind: "icon"},
	{word: "option", role: "option", weak: true}, {word: "slider", role: "slider"}, {word: "cell", kind: "cell", scope: "cell"}, {word: "table cell", kind: "cell", scope: "cell"},
	{word: "column", kind: "column", scope: "column"}, {word: "column header", role: "columnheader"}, {word: "column heading", role: "columnheader"},

	{word: "field", kind: "field", scope: "field"}, {word: "text field", kind: "field", scope: "field"}, {word: "input field", kind: "field", scope: "field"}, {word: "input", kind: "field", scope: "field"}, {word: "text input", kind: "field", scope: "field"},
	{word: "text box", kind: "field", scope: "field"}, {word: "textbox", kind: "field", scope: "field"}, {word: "input box", kind: "field", scope: "field"}, {word: "entry field", kind: "field", scope: "field"}, {word: "form field", kind: "field", scope: "field"},
	{word: "text area", kind: "field", scope: "field"}, {word: "textarea", kind: "field", scope: "field"}, {word: "edit field", kind: "field"}, {word: "edit box", kind: "field"}, {word: "spinner", kind: "progress"}, {word: "loading spinner", kind: "progress"}, {word: "loading indicator", kind: "progress"}, {word: "progress bar", kind: "progress"}, {word: "progress indicator", kind: "progress"}, {word: "spin box", kind: "field"}, {word: "spin button", kind: "field"}, {word: "editor", kind: "field", scope: "field"},
	{word: "box", kind: "box", scope: "group"},
	{word: "date field", kind: "date", scope: "date"}, {word: "date picker", kind: "date", scope: "date"}, {word: "datepicker", kind: "date", scope: "date"}, {word: "date input", kind: "date", scope: "date"}, {word: "date box", kind: "date", scope: "date"}, {word: "calendar", kind: "date", scope: "date"}, {word: "date", kind: "date", weak: true},
	{word: "file field", kind: "file"}, {word: "file input", kind: "file"}, {word: "upload field", kind: "file"}, {word: "file chooser", kind: "file"}, {word: "file picker", kind: "file"}, {word: "upload box", kind: "file"}, {word: "dropzone", kind: "file"}, {word: "drop zone", kind: "file"}, {word: "upload area", kind: "file"}, {word: "file upload", kind: "file"},

	{word: "list", kind: "list", scope: "list"}, {word: "list box", kind: "list", scope: "list"}, {word: "listbox", kind: "list", scope: "list"}, {word: "dropdown", kind: "list", scope: "list"}, {word: "drop-down", kind: "list", scope: "list"}, {word: "drop down", kind: "list", scope: "list"}, {word: "pull-down", kind: "list", scope: "list"},
	{word: "dropdown list", kind: "list", scope: "list"}, {word: "drop-down list", kind: "list", scope: "list"}, {word: "drop down list", kind: "list", scope: "list"}, {word: "dropdown menu", kind: "list", scope: "list"}, {word: "drop-down menu", kind: "list", scope: "list"}, {word: "drop down menu", kind: "list", scope: "list"}, {word: "dropdown box", kind: "list", scope: "list"}, {word: "dropdown field", kind: "list", scope: "list"},
	{word: "select", kind: "list", scope: "list"}, {word: "select box", kind: "list", scope: "list"}, {word: "select field", kind: "list", scope: "list"}, {word: "select list", kind: "list", scope: "list"}, {word: "selection list", kind: "list", scope: "list"}, {word: "selector", kind: "list", scope: "list"}, {word: "picker", kind: "list", scope: "list"}, {word: "combobox", kind: "list", scope: "list"}, {word: "combo box", kind: "list", scope: "list"}, {word: "combo", kind: "list", scope: "list"}, {word: "options", kind: "list", scope: "list", weak: true}, {word: "choices", kind: "list", scope: "list", weak: true},

	{word: "row", kind: "row", scope: "row"}, {word: "table row", kind: "row", scope: "row"}, {word: "line", kind: "row", scope: "row", weak: true},
	{word: "dialog", kind: "dialog", scope: "dialog"}, {word: "dialogue", kind: "dialog", scope: "dialog"}, {word: "dialog box", kind: "dialog", scope: "dialog"}, {word: "dialogue box", kind: "dialog", scope: "dialog"}, {word: "modal", kind: "dialog", scope: "dialog"}, {word: "modal dialog", kind: "dialog", scope: "dialog"}, {word: "popup", kind: "dialog", scope: "dialog"}, {word: "pop-up", kind: "dialog", scope: "dialog"}, {word: "pop up", kind: "dialog", scope: "dialog"}, {word: "overlay", kind: "dialog", scope: "dialog"}, {word: "confirmation dialog", kind: "dialog", scope: "dialog"}, {word: "drawer", kind: "dialog", scope: "dialog"}, {word: "popover", kind: "dialog", scope: "dialog"},
	{word: "section", kind: "section", scope: "section"}, {word: "area", kind: "section", scope: "section"}, {word: "panel", kind: "section", scope: "section"}, {word: "region", kind: "section", scope: "section"}, {word: "block", kind: "section", scope: "section"}, {word: "accordion", kind: "section", scope: "section"}, {word: "pane", kind: "section", scope: "section"}, {word: "widget", kind: "section", scope: "section"},
	{word: "table", kind: "table", scope: "table"}, {word: "grid", kind: "table", scope: "table"}, {word: "data grid", kind: "table", scope: "table"},
	{word: "form", kind: "form", scope: "form"}, {word: "menu", kind: "menu", scope: "menu"}, {word: "context menu", kind: "menu", scope: "menu"}, {word: "submenu", kind: "menu", scope: "menu"},
	{word: "frame", kind: "frame", scope: "frame"}, {word: "iframe", kind: "frame", scope: "frame"}, {word: "inline frame", kind: "frame", scope: "frame"}, {word: "embedded frame", kind: "frame", scope: "frame"},
	{word: "group", kind: "group", scope: "group"}, {word: "fieldset", kind: "group", scope: "group"}, {word: "radio group", kind: "group", scope: "group"},
	{word: "navigation", kind: "navigation", scope: "navigation"}, {word: "nav", kind: "navigation", scope: "navigation"}, {word: "navigation bar", kind: "navigation", scope: "navigation"}, {word: "nav bar", kind: "navigation", scope: "navigation"}, {word: "navbar", kind: "navigation", scope: "navigation"}, {word: "navigation menu", kind: "navigation", scope: "navigation"}, {word: "main navigation", kind: "navigation", scope: "navigation"}, {word: "main menu", kind: "navigation", scope: "navigation"}, {word: "menu bar", kind: "menu", scope: "menu"},
	{word: "footer", kind: "footer", scope: "footer"}, {word: "page footer", kind: "footer", scope: "footer"}, {word: "header", kind: "header", scope: "header"}, {word: "page header", kind: "header", scope: "header"}, {word: "top bar", kind: "header", scope: "header"},
	{word: "main area", kind: "main", scope: "main"}, {word: "main content", kind: "main", scope: "main"}, {word: "main part", kind: "main", scope: "main"}, {word: "sidebar", kind: "sidebar", scope: "sidebar"}, {word: "side bar", kind: "sidebar", scope: "sidebar"}, {word: "toolbar", kind: "toolbar", scope: "toolbar"}, {word: "tool bar", kind: "toolbar", scope: "toolbar"},
	{word: "card", kind: "card", scope: "card"}, {word: "tile", kind: "card", scope: "card"},
	{word: "chart", kind: "chart", scope: "chart"}, {word: "bar chart", kind: "chart", scope: "chart"}, {word: "line chart", kind: "chart", scope: "chart"}, {word: "pie chart", kind: "chart", scope: "chart"}, {word: "graph", kind: "chart", scope: "chart"}, {word: "diagram", kind: "chart", scope: "chart"}, {word: "canvas", kind: "chart", scope: "chart"}, {word: "map", kind: "chart", scope: "chart", weak: true},
	{word: "bar", kind: "bar"}, {word: "slice", kind: "bar"}, {word: "data point", kind: "bar"}, {word: "segment", kind: "bar"},
	{word: "item", kind: "item", scope: "item", weak: true}, {word: "list item", kind: "item", scope: "item"}, {word: "entry", kind: "item", scope: "item", weak: true}, {word: "list entry", kind: "item", scope: "item"},
	{word: "alert", kind: "message", scope: "message"}, {word: "day", weak: true}, {word: "banner", kind: "banner", scope: "banner"}, {word: "message", kind: "message", scope: "message", weak: true}, {word: "error message", kind: "message", scope: "message"}, {word: "toast", kind: "message", scope: "message"}, {word: "notification", kind: "message", scope: "message"}, {word: "notice", kind: "message", scope: "message", weak: true}, {word: "status message", kind: "message"}, {word: "success message", kind: "message"}, {word: "warning", kind: "message", weak: true}, {word: "error", kind: "message", weak: true}, {word: "hint", kind: "message", weak: true}, {word: "tooltip", kind: "message"}, {word: "confirmation message", kind: "message"}, {word: "warning message", kind: "message"}, {word: "validation message", kind: "message"}, {word: "validation error", kind: "message"}, {word: "snackbar", kind: "message"},
	{word: "text", kind: "text", weak: true}, {word: "word", kind: "text", weak: true}, {word: "phrase", kind: "text", weak: true}, {word: "label", kind: "text", weak: true}, {word: "sentence", kind: "text", weak: true}, {word: "caption", kind: "text", weak: true}, {word: "paragraph", kind: "text", weak: true},
	{word: "element", weak: true}, {word: "control", weak: true}, {word: "thing", weak: true}, {word: "one", weak: true},
	{word: "page", kind: "page", scope: "page", weak: true}, {word: "screen", kind: "page", scope: "page", weak: true}, {word: "web page", kind: "page", scope: "page"}, {word: "webpage", kind: "page", scope: "page"}, {word: "website", kind: "page", scope: "page"}, {word: "site", kind: "page", scope: "page", weak: true},
}

// matchNoun finds the longest noun at i; plural says in which number.
func matchNoun(toks []token, i int) (n *noun, length int, plural bool) {
	if i >= len(toks) || toks[i].kind != tokWord {
		return nil, 0, false
	}
	for k := range nouns {
		if !strings.HasPrefix(nouns[k].word, firstRune(toks[i].low)) {
			continue
		}
		if l, many := matchNumber(toks, i, nouns[k].word); l > length {
			n, length, plural = &nouns[k], l, many
		}
	}
	return n, length, plural
}

func firstRune(s string) string {
	if s == "" {
		return ""
	}
	return s[:1]
}

// matchNumber is matchPhrase that allows the last word in the plural.
func matchNumber(toks []token, i int, phrase string) (int, bool) {
	if l := matchPhrase(toks, i, phrase); l > 0 {
		return l, phrase == "options" || phrase == "choices"
	}
	return matchPhrase(toks, i, pluralOf(phrase)), true
}

func pluralOf(s string) string {
	switch {
	case strings.HasSuffix(s, "entry"), strings.HasSuffix(s, "copy"):
		return s[:len(s)-1] + "ies"
	case strings.HasSuffix(s, "x"), strings.HasSuffix(s, "ch"), strings.HasSuffix(s, "s"):
		return s + "es"
	}
	return s + "s"
}

// isPaint holds for colours and sizes, which no label of several words is
// likely to begin with.
func isPaint(w string) bool {
	switch w {
	case "blue", "red", "green", "yellow", "orange", "grey", "gray", "purple", "pink", "brown", "big", "large", "small", "tiny", "little", "huge", "round":
		return true
	}
	return false
}

// looks are adjectives of appearance. The tree has no colours, so a sentence
// that leans on one can't be kept to its word.
func isLook(w string) bool {
	switch w {
	case "blue", "red", "green", "yellow", "orange", "grey", "gray", "black", "white", "purple", "pink", "brown", "big", "large", "small", "tiny", "little", "huge", "bold", "round", "square", "bright", "dark", "bottom", "upper", "lower", "middle", "top", "left", "right", "leftmost", "rightmost", "topmost", "other", "wrong", "correct", "appropriate", "relevant", "same", "different":
		return true
	}
	return false
}
