package aria

import "strings"

// A Purpose is what somebody wants to do with a target; it narrows the kinds
// of element when the words name none.
type Purpose string

// The purposes.
const (
	ForAny    Purpose = "any"
	ForClick  Purpose = "click"
	ForFill   Purpose = "fill"
	ForSelect Purpose = "select"
	ForCheck  Purpose = "check"
	ForHover  Purpose = "hover"
	ForDrag   Purpose = "drag"
	ForUpload Purpose = "upload"
	ForDate   Purpose = "date"
	ForRead   Purpose = "read"
	ForPress  Purpose = "press"
)

// kindIs reports whether the node is what a person calls by the kind, and
// known whether the kind is a word of ours at all.
func kindIs(kind string, n *Node) (is, known bool) {
	r := n.Role
	switch normalKind(kind) {
	case "field":
		return isField(r) || r == "slider" || editable(n) || isDate(n) || n.InputType == "file", true
	case "box":
		return isField(r) || isCheckable(r) || editable(n), true
	case "list":
		return r == "listbox" || r == "combobox" || r == "list", true
	case "dropdown":
		return r == "combobox" || r == "listbox" || (n.HasPopup != "" && n.HasPopup != "false"), true
	case "menu":
		return r == "menu" || r == "menubar" || r == "combobox" || (r == "button" || r == "menuitem" || r == "link") && n.HasPopup != "" && n.HasPopup != "false", true
	case "option":
		return r == "option" || r == "menuitem" || r == "menuitemcheckbox" || r == "menuitemradio" || r == "treeitem" || r == "radio", true
	case "tab":
		return r == "tab", true
	case "link":
		return r == "link" || r == "area", true
	case "button":
		return r == "button" || r == "summary" || r == "generic" && n.Clickable || n.InputType == "file" && n.Operable(), true
	case "row":
		return r == "row" || r == "listitem", true
	case "cell":
		return isCell(r), true
	case "heading":
		return r == "heading", true
	case "checkbox":
		return r == "checkbox" || r == "menuitemcheckbox" || r == "switch", true
	case "radio":
		return r == "radio" || r == "menuitemradio", true
	case "switch":
		return r == "switch" || r == "checkbox" || r == "button" && n.Pressed != "", true
	case "slider":
		return r == "slider" || r == "spinbutton" || r == "scrollbar", true
	case "date":
		return isDate(n) || isField(r) || editable(n), true
	case "chart":
		return r == "canvas" || r == "img" || r == "figure" || r == "graphics-document" || r == "application", true
	case "image":
		return r == "img" || r == "image" || r == "figure" || r == "canvas" || r == "area", true
	case "dialog":
		return r == "dialog" || r == "alertdialog" || n.Modal, true
	case "message":
		return r == "alert" || r == "status" || r == "log" || r == "alertdialog", true
	case "table":
		return isTable(r), true
	case "column":
		return r == "columnheader", true
	case "section":
		switch r {
		case "region", "article", "group", "figure", "tabpanel", "form", "complementary", "main", "radiogroup", "fieldset":
			return true, true
		}
		return false, true
	case "item":
		return r == "treeitem" || r == "listitem" || r == "menuitem" || r == "option", true
	case "treeitem":
		return r == "treeitem", true
	case "frame":
		return r == "iframe", true
	case "text":
		return r == "text" || r == "paragraph" || len(n.Children) == 0, true
	case "video":
		return r == "video" || r == "audio", true
	}
	return false, false
}

// normalKind maps a person's words to one word per kind.
func normalKind(kind string) string {
	k := strings.Join(words(kind), " ")
	switch k {
	case "field", "input", "text field", "input field", "text box", "textbox", "textarea", "text area", "search field", "search box", "entry", "text input", "editor":
		return "field"
	case "list box", "listbox":
		return "list"
	case "dropdown", "drop down", "select", "combobox", "combo box", "dropdown list", "drop down list", "select box", "selector", "picker":
		return "dropdown"
	case "option", "choice", "entry of the list", "list entry", "menu item", "menuitem":
		return "option"
	case "icon button", "push button":
		return "button"
	case "hyperlink":
		return "link"
	case "line", "table row", "list row", "entry row":
		return "row"
	case "title", "headline":
		return "heading"
	case "check box", "tick box", "tickbox":
		return "checkbox"
	case "radio button", "option button", "radiobutton":
		return "radio"
	case "toggle", "toggle switch":
		return "switch"
	case "date field", "date picker", "datepicker", "calendar", "date input", "date":
		return "date"
	case "graph", "diagram", "plot", "canvas":
		return "chart"
	case "picture", "icon", "photo", "logo", "img":
		return "image"
	case "window", "popup", "pop up", "modal", "overlay", "popover":
		return "dialog"
	case "alert", "toast", "notification", "notice", "banner message", "error", "warning", "error message":
		return "message"
	case "grid":
		return "table"
	case "column header", "header cell":
		return "column"
	case "card", "panel", "area", "block", "region":
		return "section"
	case "tree item", "node", "tree node":
		return "treeitem"
	case "iframe":
		return "frame"
	}
	return k
}

func editable(n *Node) bool {
	if n.ReadOnly && n.Role == "generic" {
		return false
	}
	return n.Value != nil && (n.Role == "generic" || n.Role == "paragraph" || n.Role == "gridcell" || n.Role == "document" || n.Role == "application")
}

func isDate(n *Node) bool {
	switch n.InputType {
	case "date", "datetime-local", "month", "week", "time":
		return true
	}
	return n.Role == "date"
}

// serves reports whether the node is the kind of element that the purpose is
// for.
func serves(p Purpose, n *Node) bool {
	r := n.Role
	switch p {
	case ForFill:
		return isField(r) || editable(n) || r == "slider" || isDate(n)
	case ForSelect:
		return r == "combobox" || r == "listbox" || r == "radiogroup" || n.HasPopup == "listbox" || n.HasPopup == "menu" || n.HasPopup == "true" || n.Options > 0
	case ForCheck:
		return isCheckable(r) || n.Checked != "" || n.Pressed != ""
	case ForUpload:
		return n.InputType == "file"
	case ForDate:
		return isDate(n) || isField(r) || n.HasPopup == "dialog" || n.HasPopup == "grid"
	case ForRead:
		return r != "generic" || n.Clickable
	case ForHover, ForDrag:
		return n.Operable() || n.Ref != "" && r != "generic"
	default:
		return n.Operable()
	}
}

// sameFamily holds for roles that people take for one another.
func sameFamily(a, b string) bool {
	return a == b || family(a) != "" && family(a) == family(b)
}

func family(role string) string {
	switch role {
	case "button", "link", "menuitem", "tab", "summary", "area", "generic", "img", "image":
		return "press"
	case "checkbox", "switch", "menuitemcheckbox":
		return "check"
	case "radio", "menuitemradio", "option", "treeitem":
		return "choose"
	case "textbox", "searchbox", "spinbutton", "combobox", "date":
		return "write"
	case "listbox", "list", "menu", "tree":
		return "list"
	case "table", "grid", "treegrid":
		return "table"
	case "cell", "gridcell", "columnheader", "rowheader":
		return "cell"
	case "row", "listitem":
		return "row"
	case "dialog", "alertdialog":
		return "dialog"
	case "alert", "status", "log":
		return "message"
	}
	return ""
}
