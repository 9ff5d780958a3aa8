package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
	"github.com/quartet-agents/quartet/planner"
)

// maxSelected bounds the selected things that an answer names.
const maxSelected = 5

// appliesTo says what an irreversible act was done to: its target, and what was
// selected on the page when it was done.
func (s *Server) appliesTo(ctx context.Context, o *planner.Outcome) []string {
	var out []string
	if t := o.Attempt.Target; t != nil {
		out = append(out, element(t))
	}
	if o.Intent.Action == bus.ActionAccept {
		for _, d := range o.Receipt.Dialogs {
			out = append(out, fmt.Sprintf("%s dialog %q", d.Type, short(d.Message)))
		}
	}
	if o.Attempt.Before.Tree == "" {
		return out
	}
	tree, err := bus.GetScene[aria.Tree](ctx, s.o.Bus, o.Attempt.Before.Tree)
	if err != nil {
		s.o.Logger.Debug("mcp: what was selected is not known", "error", err)
		return out
	}
	if names := selected(tree); len(names) > 0 {
		text := fmt.Sprintf("%d selected: %s", len(names), strings.Join(names[:min(len(names), maxSelected)], ", "))
		if n := len(names) - maxSelected; n > 0 {
			text += fmt.Sprintf(", and %d more", n)
		}
		out = append(out, text)
	}
	return out
}

// bulk holds for an act on what says that it does something with many things.
func bulk(o *planner.Outcome) bool {
	t := o.Attempt.Target
	if t == nil || o.Intent.Action != bus.ActionClick {
		return false
	}
	switch t.Role {
	case "button", "link", "menuitem", "generic":
	default:
		return false
	}
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(t.Name), func(r rune) bool { return !unicode.IsLetter(r) }), func(w string) bool {
		return w == "selected" || w == "all" || w == "bulk" || w == "checked" || w == "marked" || w == "selection"
	})
}

// selected are the rows and items that are selected: by their own state, or by
// a checkbox in them. A tab or the option of a closed list is no selection.
func selected(t *aria.Tree) []string {
	var out []string
	seen := map[*aria.Node]bool{}
	t.Walk(func(n *aria.Node, above []*aria.Node) bool {
		of := n
		switch {
		case n.Role == "checkbox" && n.Checked == "true":
			for k := len(above) - 1; k >= 0; k-- {
				switch above[k].Role {
				case "row", "listitem", "treeitem", "gridcell":
					of = above[k]
				default:
					continue
				}
				if of.Role != "gridcell" {
					break
				}
			}
			if of == n {
				return true // a setting, not a choice among things
			}
		case n.Selected == "true" && (n.Role == "row" || n.Role == "treeitem"):
		default:
			return true
		}
		if !seen[of] {
			seen[of] = true
			out = append(out, nameOf(of))
		}
		return true
	})
	return out
}

// nameOf is what a row or an item is called, at no great length.
func nameOf(n *aria.Node) string {
	name := n.Name
	if name == "" {
		name = aria.TextOf(n)
	}
	return fmt.Sprintf("%q", short(name))
}
