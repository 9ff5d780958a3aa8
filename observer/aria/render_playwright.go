package aria

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The playwright form: the YAML of Playwright 1.65's AI snapshot with the same
// roles, names, attributes and pseudo-properties; what it does not say is said
// in further attributes ("[covered-by=e4]", "[expanded=false]") and
// pseudo-properties ("/description").

type playwright struct{}

// longestYAMLName is where Playwright drops a name; here it is shortened.
const longestYAMLName = 900

func (p *playwright) write(n *Node) []*block {
	if n.Role == "generic" && n.Ref == "" && n.Name == "" || n.Role == "RootWebArea" {
		return p.children(n)
	}
	return []*block{p.node(n)}
}

func (p *playwright) children(n *Node) []*block {
	var out []*block
	var text []string
	var first *Node
	marks := ""
	flush := func() {
		if s := clean(strings.Join(text, " ")); s != "" {
			out = append(out, &block{text: "- text" + marks + ": " + yamlValue(s), node: first})
		}
		text, first = nil, nil
	}
	for _, k := range n.Children {
		if k.Role == "text" {
			if m := p.attributes(k); m != marks {
				flush()
				marks = m
			}
			if first == nil {
				first = k
			}
			text = append(text, k.Text)
			continue
		}
		flush()
		out = append(out, p.node(k))
	}
	flush()
	return out
}

func (p *playwright) node(n *Node) *block {
	b := &block{node: n, scope: n}
	var key strings.Builder
	key.WriteString(yamlRole(n.Role))
	if name := shorten(n.Name, longestYAMLName); name != "" {
		key.WriteString(" " + quote(name))
	}
	key.WriteString(p.attributes(n))

	var props []*block
	prop := func(name, value string) {
		if value != "" {
			props = append(props, &block{text: "- /" + name + ": " + yamlValue(value), node: n})
		}
	}
	if n.URL != "" {
		url := clean(n.URL)
		if strings.HasPrefix(url, "data:") {
			url, _, _ = strings.Cut(url, ",")
			url += ","
		}
		prop("url", url)
	}
	if clean(n.Placeholder) != clean(n.Name) {
		prop("placeholder", clean(n.Placeholder))
	}
	if clean(n.Description) != clean(n.Name) {
		prop("description", clean(n.Description))
	}
	kids := p.children(n)
	if l := clean(n.Label); l != "" && l != clean(n.Name) {
		kids = append([]*block{{text: "- text: " + yamlValue(l), node: n}}, kids...)
	}
	if n.Value != nil && !hasOptions(n) {
		// A field's text is its value, whatever text nodes it was made of.
		kids = nil
		for _, k := range n.Children {
			if k.Role != "text" {
				kids = append(kids, p.node(k))
			}
		}
		if v := clean(*n.Value); v != "" {
			kids = append([]*block{{text: "- text: " + yamlValue(v), node: n}}, kids...)
		}
	}
	// A lone text that only repeats the name says nothing.
	if len(kids) == 1 && len(n.Children) == 1 && n.Children[0].Role == "text" && strings.HasPrefix(kids[0].text, "- text: ") && clean(n.Children[0].Text) == clean(n.Name) {
		kids = nil
	}
	line := yamlKey(key.String())
	switch {
	case len(props) == 0 && len(kids) == 0:
		b.text = "- " + line
	case len(props) == 0 && len(kids) == 1 && strings.HasPrefix(kids[0].text, "- text: "):
		b.text = "- " + line + ": " + strings.TrimPrefix(kids[0].text, "- text: ")
	default:
		b.text = "- " + line + ":"
		b.kids = append(props, kids...)
	}
	return b
}

func hasOptions(n *Node) bool {
	for _, k := range n.Children {
		if k.Role == "option" || hasOptions(k) {
			return true
		}
	}
	return false
}

var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func yamlRole(role string) string {
	if plainWord.MatchString(role) {
		return role
	}
	return "generic"
}

// attributes are the bracketed states: Playwright's in its order, then ours.
func (p *playwright) attributes(n *Node) string {
	var b strings.Builder
	tri := func(name, v string) {
		switch v {
		case "true":
			b.WriteString(" [" + name + "]")
		case "false", "mixed":
			b.WriteString(" [" + name + "=" + v + "]")
		}
	}
	flag := func(name string, on bool) {
		if on {
			b.WriteString(" [" + name + "]")
		}
	}
	value := func(name, v string) {
		if v = clean(v); v != "" {
			if !attributeValue.MatchString(v) {
				// Playwright's own readers end an attribute at "]".
				v = quote(strings.NewReplacer("[", "(", "]", ")").Replace(v))
			}
			b.WriteString(" [" + name + "=" + v + "]")
		}
	}
	number := func(name string, v int) {
		if v > 0 {
			b.WriteString(" [" + name + "=" + strconv.Itoa(v) + "]")
		}
	}
	tri("checked", n.Checked)
	flag("disabled", n.Disabled)
	tri("expanded", n.Expanded)
	flag("active", n.Active)
	switch n.Invalid {
	case "", "false":
	case "true":
		flag("invalid", true)
	default:
		value("invalid", n.Invalid)
	}
	number("level", n.Level)
	tri("pressed", n.Pressed)
	tri("selected", n.Selected)
	flag("aria-hidden", n.AriaHidden)
	value("ref", n.Ref)
	flag("cursor=pointer", n.Clickable)

	value("errormessage", n.InvalidMessage)
	flag("required", n.Required)
	flag("readonly", n.ReadOnly)
	flag("modal", n.Modal)
	flag("busy", n.Busy)
	flag("masked", n.Masked)
	if n.Current != "false" {
		value("current", n.Current)
	}
	if n.HasPopup != "false" {
		value("haspopup", n.HasPopup)
	}
	value("sort", n.Sort)
	value("live", n.Live)
	value("type", n.InputType)
	value("valuenow", n.ValueNow)
	value("valuemin", n.ValueMin)
	value("valuemax", n.ValueMax)
	number("options", n.Options)
	number("rowcount", n.RowCount)
	number("colcount", n.ColCount)
	number("posinset", n.PosInSet)
	number("setsize", n.SetSize)
	number("rowspan", n.RowSpan)
	number("colspan", n.ColSpan)
	value("looks", n.Looks)
	flag("on-hover", n.OnHover)
	value("controls", n.Controls)
	value("frame", n.FrameNote)
	if n.FrameNote == "loading" || n.FrameNote == "unreachable" {
		flag(n.FrameNote, true)
	}
	value("covered-by", n.CoveredBy)
	flag("inert", n.Inert)
	flag("offscreen", n.Offscreen)
	flag("unreachable", n.Unreachable && n.FrameNote != "unreachable")
	flag("clipped", n.Clipped)
	flag("transparent", n.Transparent)
	flag("no-pointer", n.PointerNone)
	switch n.Role {
	case "canvas", "video", "object":
		if n.Box != nil {
			fmt.Fprintf(&b, " [box=%.0f,%.0f,%.0f,%.0f]", n.Box.X, n.Box.Y, n.Box.W, n.Box.H)
		}
	}
	return b.String()
}

var attributeValue = regexp.MustCompile(`^[A-Za-z0-9_.,+-]+$`)

var (
	yamlSpecialStart = regexp.MustCompile("^(?:[-?:,\\[\\]{}#&*!|>'\"%@`=~<]|\\s)")
	yamlInside       = regexp.MustCompile(`:(?:\s|$)|\s#|[\x00-\x1f\x7f]|\s$`)
	yamlOther        = regexp.MustCompile(`(?i)^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?\.?(?:inf|nan)|[-+.]?[0-9].*|0x[0-9a-f]+|0o[0-7]+|---.*|\.\.\..*)$`)
)

// yamlKey quotes a key where YAML needs it.
func yamlKey(s string) string {
	if s == "" || yamlSpecialStart.MatchString(s) || yamlInside.MatchString(s) || strings.ContainsAny(s, "{}`") {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return s
}

// yamlValue quotes a scalar where YAML would read it as something else.
func yamlValue(s string) string {
	s = clean(s)
	if s == "" || yamlSpecialStart.MatchString(s) || yamlInside.MatchString(s) || yamlOther.MatchString(s) || strings.ContainsAny(s, "{}[]`") {
		return quote(s)
	}
	return s
}
