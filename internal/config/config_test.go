package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrecedence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.yaml")
	if err := os.WriteFile(file, []byte("vision: never\nlimits: {steps: 7}\nbrowser: {headless: false}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(file, []string{"QUARTET_LIMITS_STEPS=9", "QUARTET_BROWSER_ENDPOINT=http://x:9222", "OTHER=1"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Limits.Steps != 9 || c.Vision != "never" || c.Browser.Headless || c.Limits.Seconds != 1800 || c.Browser.Endpoint != "http://x:9222" {
		t.Errorf("%+v", c)
	}
}

func TestBadConfigurationSaysWhere(t *testing.T) {
	for text, want := range map[string]string{
		"vison: never":       "vison",
		"vision: sometimes":  `vision is "sometimes"`,
		"limits: {steps: 0}": "limits.steps is 0",
		"limits: {steps: x}": "steps",
	} {
		file := filepath.Join(t.TempDir(), "q.yaml")
		os.WriteFile(file, []byte(text), 0o600)
		if _, err := Load(file, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Load("", []string{"QUARTET_LIMITS_STEPS=many"}); err == nil || !strings.Contains(err.Error(), "QUARTET_LIMITS_STEPS") {
		t.Error(err)
	}
	if _, err := Load("/no/such/file.yaml", nil); err == nil {
		t.Error("a named file that is missing is no error")
	}
}
