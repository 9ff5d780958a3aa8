package model

import (
	"bytes"
	"encoding/json"
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

// fields describes each argument to the model: its JSON Schema.
var fields = map[string]string{
	"ref":          `{"type":"string","description":"ref from the page report, such as e12 or f2e5"}`,
	"element":      `{"type":"string","description":"the element in your own short words, with its row or dialog where others look like it"}`,
	"to_ref":       `{"type":"string","description":"ref of the place to drag to"}`,
	"to_element":   `{"type":"string","description":"that place in your own words"}`,
	"text":         `{"type":"string","description":"text; ${secret:NAME} stands for a secret"}`,
	"options":      `{"type":"array","items":{"type":"string"},"minItems":1,"description":"options by their visible label"}`,
	"date":         `{"type":"string","description":"ISO date, 2026-03-15"}`,
	"key":          `{"type":"string","description":"key or chord: Enter, Escape, ArrowDown, Control+S"}`,
	"url":          `{"type":"string","description":"address, absolute or relative"}`,
	"direction":    `{"type":"string","enum":["up","down","top","bottom"]}`,
	"tab":          `{"type":"string","description":"tab id (t2), title or part of its address"}`,
	"files":        `{"type":"array","items":{"type":"string"},"minItems":1,"description":"paths of files that the task names"}`,
	"double":       `{"type":"boolean","description":"double click"}`,
	"query":        `{"type":"string","description":"text to find; a | b for either; * as a wildcard"}`,
	"seconds":      `{"type":"integer","minimum":1,"maximum":30}`,
	"expect":       `{"type":"string","description":"what will be true afterwards and is not yet, as a short sentence: \"Saved\" is visible; the url contains /invoices; the field \"City\" has the value \"Berlin\"; the dialog \"Confirm\" is gone"}`,
	"irreversible": `{"type":"boolean","description":"true for what cannot be taken back: pay, order, delete, send"}`,
	"dialog":       `{"type":"string","enum":["accept","dismiss"],"description":"how to answer a browser dialog that this raises"}`,
	"name":         `{"type":"string","description":"name to remember the value under"}`,
	"claim":        `{"type":"string","description":"what was achieved"}`,
	"reason":       `{"type":"string","description":"why"}`,
	"question":     `{"type":"string","description":"what a person has to decide, and what you know"}`,
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
	{"click", "Click an element.", onElement, append([]string{"double"}, outcome...), bus.ActionClick, bus.RiskReversible},
	{"fill", "Replace what a field holds.", append([]string{"text"}, onElement...), outcome, bus.ActionFill, bus.RiskIdempotent},
	{"type", "Type key by key after what a field holds; for fields that react to each key.", append([]string{"text"}, onElement...), outcome, bus.ActionType, bus.RiskReversible},
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
	{"look", "See the page anew, in full. Touches nothing.", nil, nil, "", ""},
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
		required := "[]"
		if len(t.required) > 0 {
			required = `["` + strings.Join(t.required, `","`) + `"]`
		}
		out[i] = llm.Tool{Name: t.name, Description: t.description, Schema: json.RawMessage(
			`{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":` + required + `,"additionalProperties":false}`)}
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
	if a.Ref != "" || a.Element != "" {
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
			return i, fmt.Errorf("expect could not be read: %v", err)
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
	for _, v := range []string{a.Text, strings.Join(a.Options, ", "), a.Date, a.Key, strings.Join(a.Files, ", "), a.URL, a.Direction, a.Tab, a.Expect} {
		if v != "" {
			s += fmt.Sprintf(" %q", v)
		}
	}
	if a.Element != "" {
		s += " – " + a.Element
	}
	if a.ToElement != "" {
		s += " to " + a.ToElement
	}
	return s
}
