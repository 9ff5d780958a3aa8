package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/llm"
	"github.com/quartet-agents/quartet/planner/playbook"
)

// args are the arguments of every tool; which of them a tool takes is in its
// table entry.
type args struct {
	Ref          string   `json:"ref,omitempty"`
	Element      string   `json:"element,omitempty"`
	ToRef        string   `json:"to_ref,omitempty"`
	ToElement    string   `json:"to_element,omitempty"`
	Text         string   `json:"text,omitempty"`
	Options      []string `json:"options,omitempty"`
	Date         string   `json:"date,omitempty"`
	Key          string   `json:"key,omitempty"`
	URL          string   `json:"url,omitempty"`
	Direction    string   `json:"direction,omitempty"`
	Tab          string   `json:"tab,omitempty"`
	Files        []string `json:"files,omitempty"`
	Double       bool     `json:"double,omitempty"`
	Inside       string   `json:"inside,omitempty"`
	Full         bool     `json:"full,omitempty"`
	Query        string   `json:"query,omitempty"`
	Seconds      int      `json:"seconds,omitempty"`
	Expect       string   `json:"expect,omitempty"`
	Irreversible bool     `json:"irreversible,omitempty"`
	Dialog       string   `json:"dialog,omitempty"`
	Name         string   `json:"name,omitempty"`
	Claim        string   `json:"claim,omitempty"`
	Reason       string   `json:"reason,omitempty"`
	Question     string   `json:"question,omitempty"`
}

// fields describes each argument to the model: its JSON Schema. What every
// action takes is explained once, in the prompt, and not with each tool.
var fields = map[string]string{
	"ref":          `{"type":"string"}`,
	"element":      `{"type":"string"}`,
	"to_ref":       `{"type":"string"}`,
	"to_element":   `{"type":"string"}`,
	"text":         `{"type":"string"}`,
	"inside":       `{"type":"string","description":"in a canvas, which has no elements of its own: the label of the thing to click, such as March"}`,
	"options":      `{"type":"array","items":{"type":"string"},"minItems":1,"description":"by visible label"}`,
	"date":         `{"type":"string","description":"ISO, 2026-03-15"}`,
	"key":          `{"type":"string","description":"Enter, Escape, ArrowDown, Control+S"}`,
	"url":          `{"type":"string"}`,
	"direction":    `{"type":"string","enum":["up","down","top","bottom"]}`,
	"tab":          `{"type":"string","description":"id (t2), title or part of the address"}`,
	"files":        `{"type":"array","items":{"type":"string"},"minItems":1,"description":"paths that the task names"}`,
	"double":       `{"type":"boolean"}`,
	"full":         `{"type":"boolean"}`,
	"query":        `{"type":"string","description":"text, a | b for either, * as a wildcard, button: for a role"}`,
	"seconds":      `{"type":"integer","minimum":1,"maximum":30}`,
	"expect":       `{"type":"string"}`,
	"irreversible": `{"type":"boolean"}`,
	"dialog":       `{"type":"string","enum":["accept","dismiss"]}`,
	"name":         `{"type":"string","description":"of the variable"}`,
	"claim":        `{"type":"string","description":"what was achieved"}`,
	"reason":       `{"type":"string"}`,
	"question":     `{"type":"string","description":"what has to be decided, and what you know"}`,
}

// A tool is what the model may call. Tools with an action become intents.
type tool struct {
	name, description  string
	required, optional []string
	action             bus.Action
	risk               bus.Risk
}

var (
	onElement = []string{"ref", "element"}
	outcome   = []string{"expect", "irreversible", "dialog"}
)

// tools is the table; it is read, never written.
var tools = []tool{
	{"click", "Click an element.", onElement, append([]string{"double", "inside"}, outcome...), bus.ActionClick, bus.RiskReversible},
	{"fill", "Replace what a field holds.", append([]string{"text"}, onElement...), outcome, bus.ActionFill, bus.RiskIdempotent},
	{"type", "Type key by key after what a field holds.", append([]string{"text"}, onElement...), outcome, bus.ActionType, bus.RiskReversible},
	{"clear", "Empty a field.", onElement, outcome, bus.ActionClear, bus.RiskIdempotent},
	{"select", "Choose options of a list or combobox, native or custom.", append([]string{"options"}, onElement...), outcome, bus.ActionSelect, bus.RiskIdempotent},
	{"pick_date", "Set a date in any kind of date field or picker.", append([]string{"date"}, onElement...), outcome, bus.ActionPickDate, bus.RiskIdempotent},
	{"check", "Check a checkbox, switch or radio button.", onElement, outcome, bus.ActionCheck, bus.RiskIdempotent},
	{"uncheck", "Uncheck a checkbox or switch.", onElement, outcome, bus.ActionUncheck, bus.RiskIdempotent},
	{"hover", "Point at an element, for example to open a menu.", onElement, outcome, bus.ActionHover, bus.RiskRead},
	{"drag", "Drag an element to another place.", append([]string{"to_ref", "to_element"}, onElement...), outcome, bus.ActionDrag, bus.RiskReversible},
	{"press", "Press a key, on an element or on what has the focus.", []string{"key"}, append([]string{"ref", "element"}, outcome...), bus.ActionPress, bus.RiskReversible},
	{"upload", "Give files to a file field or upload button.", append([]string{"files"}, onElement...), outcome, bus.ActionUpload, bus.RiskIdempotent},
	{"download", "Click an element that starts a download.", onElement, outcome, bus.ActionDownload, bus.RiskReversible},
	{"scroll", "Scroll the page, or an element into view.", nil, []string{"direction", "ref", "element"}, bus.ActionScroll, bus.RiskRead},
	{"open", "Open an address.", []string{"url"}, []string{"expect"}, bus.ActionOpen, bus.RiskRead},
	{"back", "Go back in the tab's history.", nil, []string{"expect"}, bus.ActionBack, bus.RiskRead},
	{"switch_tab", "Go to another open tab.", []string{"tab"}, nil, bus.ActionSwitchTab, bus.RiskRead},
	{"close_tab", "Close the current tab.", nil, nil, bus.ActionCloseTab, bus.RiskReversible},
	{"accept_dialog", "Accept the open browser dialog.", nil, []string{"text", "expect", "irreversible"}, bus.ActionAccept, bus.RiskReversible},
	{"dismiss_dialog", "Dismiss the open browser dialog.", nil, []string{"expect"}, bus.ActionDismiss, bus.RiskReversible},
	{"wait", "Wait until something is true.", []string{"expect"}, []string{"seconds"}, bus.ActionWait, bus.RiskRead},
	{"remember", "Remember what an element shows under a name.", append([]string{"name"}, onElement...), nil, bus.ActionRemember, bus.RiskRead},
	{"find", "Search the whole page, also what is folded. Touches nothing.", []string{"query"}, nil, "", ""},
	{"look", "See what has changed since the last report; all that is in one element with ref; the whole page with full. Touches nothing.", nil, []string{"ref", "full"}, "", ""},
	{"finish", "Claim that the task is done.", []string{"claim"}, nil, "", ""},
	{"give_up", "Say that the task can't be done.", []string{"reason"}, nil, "", ""},
	{"ask", "Hand over to a person.", []string{"question"}, nil, "", ""},
}

func toolNamed(name string) (tool, bool) {
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		return tool{}, false
	}
	return tools[i], true
}

// toolList is the table as the model is shown it.
func toolList() []llm.Tool {
	out := make([]llm.Tool, len(tools))
	for i, t := range tools {
		var props []string
		for _, f := range slices.Concat(t.required, t.optional) {
			props = append(props, fmt.Sprintf("%q:%s", f, fields[f]))
		}
		required := ""
		if len(t.required) > 0 {
			required = `,"required":["` + strings.Join(t.required, `","`) + `"]`
		}
		out[i] = llm.Tool{Name: t.name, Description: t.description, Schema: json.RawMessage(
			`{"type":"object","properties":{` + strings.Join(props, ",") + `}` + required + `}`)}
	}
	return out
}

// read checks a call's arguments against the tool. The error is for the model;
// with one that is missing the others are returned.
func (t tool) read(raw json.RawMessage) (args, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return args{}, fmt.Errorf("the arguments of %s must be a JSON object", t.name)
	}
	for name := range given {
		if !slices.Contains(t.required, name) && !slices.Contains(t.optional, name) {
			return args{}, fmt.Errorf("%s takes no argument %q; it takes %s", t.name, name, strings.Join(slices.Concat(t.required, t.optional), ", "))
		}
	}
	var a args
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&a); err != nil {
		return args{}, fmt.Errorf("the arguments of %s do not fit: %v", t.name, err)
	}
	for _, name := range t.required {
		v := strings.TrimSpace(string(given[name]))
		// An empty text is a value; an empty ref or name is not.
		if v == "" || v == "null" || v == "[]" || v == `""` && name != "text" {
			return a, fmt.Errorf("%s needs %q", t.name, name)
		}
	}
	return a, nil
}

// intent makes the intent of a call.
func (t tool) intent(a args) (bus.Intent, error) {
	i := bus.Intent{Action: t.action, Risk: t.risk, Value: a.Text, DialogAnswer: a.Dialog, Text: t.words(a)}
	switch {
	case a.Inside != "": // no element, so no ref: the actor looks into the picture
		i.Target = &bus.Target{Words: a.Inside + " in " + a.Element, Name: a.Inside, Within: []bus.Scope{{Kind: "chart"}}}
	case a.Ref != "" || a.Element != "":
		i.Target = &bus.Target{Ref: a.Ref, Words: a.Element}
	}
	switch t.action {
	case bus.ActionSelect:
		i.Values, i.Value = a.Options, ""
	case bus.ActionPickDate:
		i.Value = a.Date
	case bus.ActionPress:
		i.Value = a.Key
	case bus.ActionUpload:
		i.Values, i.Value = a.Files, ""
	case bus.ActionScroll:
		i.Value = a.Direction
		if i.Target == nil && i.Value == "" {
			i.Value = "down"
		}
	case bus.ActionOpen:
		i.Value = a.URL
	case bus.ActionSwitchTab:
		i.Value = a.Tab
	case bus.ActionDrag:
		i.To = &bus.Target{Ref: a.ToRef, Words: a.ToElement}
	case bus.ActionRemember:
		i.As = a.Name
	case bus.ActionAccept:
		i.PromptText, i.Value = a.Text, ""
	case bus.ActionWait:
		if a.Seconds > 0 {
			i.TimeoutMS = a.Seconds * 1000
		}
	}
	if a.Double {
		i.Count = 2
	}
	if a.Expect != "" {
		expect, err := playbook.ReadChecks(a.Expect)
		if err != nil {
			return i, errors.New(`expect could not be read. Say it as one of: "Saved" is visible; the dialog "Confirm" is gone; the page shows "3 items"; the url contains /invoices; the field "City" has the value "Berlin"; the checkbox "Wiki" is checked; the button "Save" is enabled; or leave it out`)
		}
		i.Expect = expect
	}
	// The model may not talk a risk down: its own words count too.
	if a.Irreversible || t.risk == bus.RiskReversible && playbook.GuessRisk(named(i)) == bus.RiskIrreversible {
		i.Risk = bus.RiskIrreversible
	}
	return i, nil
}

// named is the intent with the model's words where the playbook has a label.
func named(i bus.Intent) bus.Intent {
	if i.Target != nil {
		t := *i.Target
		t.Name = t.Words
		i.Target = &t
	}
	return i
}

// words are the intent as a person would say it.
func (t tool) words(a args) string {
	s := strings.ReplaceAll(t.name, "_", " ")
	for _, v := range []string{a.Inside, a.Text, strings.Join(a.Options, ", "), a.Date, a.Key, strings.Join(a.Files, ", "), a.URL, a.Direction, a.Tab, a.Name} {
		if v != "" {
			s += fmt.Sprintf(" %q", v)
		}
	}
	switch {
	case a.Element == "":
	case len(s) == len(t.name):
		s += " " + a.Element
	default:
		s += " – " + a.Element
	}
	if a.ToElement != "" {
		s += " to " + a.ToElement
	}
	switch {
	case a.Expect == "":
	case t.action == bus.ActionWait:
		s += " until " + a.Expect
	default:
		s += "; expect " + a.Expect
	}
	return s
}
