package aria

// Sets of roles. A switch costs nothing and cannot be changed at run time.

func isTable(role string) bool {
	return role == "table" || role == "grid" || role == "treegrid"
}

func isCell(role string) bool {
	switch role {
	case "cell", "gridcell", "columnheader", "rowheader":
		return true
	}
	return false
}

func isField(role string) bool {
	switch role {
	case "textbox", "searchbox", "combobox", "spinbutton":
		return true
	}
	return false
}

func isCheckable(role string) bool {
	switch role {
	case "checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio":
		return true
	}
	return false
}

// isControl holds for roles that a person operates.
func isControl(role string) bool {
	switch role {
	case "button", "link", "menuitem", "tab", "option", "treeitem", "slider", "listbox", "scrollbar", "summary", "area":
		return true
	}
	return isField(role) || isCheckable(role)
}

// isScope holds for roles that name a part of the page.
func isScope(role string) bool {
	switch role {
	case "dialog", "alertdialog", "form", "search", "navigation", "banner", "contentinfo", "complementary",
		"main", "region", "article", "group", "radiogroup", "list", "listbox", "menu", "menubar", "toolbar",
		"tree", "tablist", "tabpanel", "figure", "fieldset", "feed", "iframe":
		return true
	}
	return isTable(role)
}

func isOverlay(n *Node) bool {
	switch n.Role {
	case "dialog", "alertdialog", "alert", "status", "tooltip", "menu", "listbox", "log":
		return true
	}
	return n.Modal
}

// Operable reports whether a person can act on the node: it has a control's
// role, or it is clickable without one.
func (n *Node) Operable() bool {
	if n.Clickable || n.Focusable || isControl(n.Role) {
		return true
	}
	// A contenteditable, a sortable header or a grid cell that takes the focus
	// are told by what only operable things have.
	return n.Value != nil && n.Role != "text" && n.Role != "progressbar" && n.Role != "meter"
}
