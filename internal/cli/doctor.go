package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// A finding is one thing that the doctor looked at.
type finding struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Fact string `json:"fact"`
	Fix  string `json:"fix,omitempty"`
}

func (a *app) doctorCmd() *cobra.Command {
	var only string
	c := &cobra.Command{
		Use: "doctor", Short: "Check browser, fonts, OCR, NATS and disk, and say how to mend them", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			checks := map[string]func(context.Context) finding{
				"browser": a.checkBrowser, "fonts": a.checkFonts, "ocr": a.checkOCR, "nats": a.checkNATS, "disk": a.checkDisk,
			}
			names := []string{"browser", "fonts", "ocr", "nats", "disk"}
			if only != "" {
				names = strings.Split(only, ",")
			}
			var found []finding
			bad := 0
			for _, name := range names {
				check, ok := checks[name]
				if u, isURL := strings.CutPrefix(name, "url="); isURL {
					check, ok = func(ctx context.Context) finding { return checkURL(ctx, u) }, true
				}
				if !ok {
					return usagef("doctor checks browser, fonts, ocr, nats, disk and url=ADDRESS, not %q", name)
				}
				ctx, cancel := context.WithTimeout(c.Context(), 20*time.Second)
				f := check(ctx)
				cancel()
				found = append(found, f)
				if !f.OK {
					bad++
				}
			}
			if a.json {
				if err := a.printJSON(found); err != nil {
					return err
				}
			} else {
				for _, f := range found {
					mark := "ok  "
					if !f.OK {
						mark = "BAD "
					}
					a.printf("%s %-8s %s\n", mark, f.Name, f.Fact)
					if f.Fix != "" {
						a.printf("              %s\n", f.Fix)
					}
				}
			}
			if bad > 0 {
				return silentExit(exitEnvironment)
			}
			return nil
		},
	}
	c.Flags().StringVar(&only, "only", "", "comma-separated: browser, fonts, ocr, nats, disk, url=ADDRESS")
	return c
}

// checkBrowser starts the configured browser and opens a session in it.
func (a *app) checkBrowser(ctx context.Context) finding {
	f := finding{Name: "browser"}
	pool, err := a.newPool("doctor")
	if err == nil {
		defer pool.Close(context.WithoutCancel(ctx))
		var s bus.Session
		if s, err = pool.OpenSession(ctx, "doctor", []string{"http://127.0.0.1"}); err == nil {
			_, err = pool.Tab(ctx, s)
			pool.CloseSession(ctx, s)
		}
	}
	if err != nil {
		f.Fact, f.Fix = err.Error(), "install Chromium or Chrome (Debian: apt-get install chromium), or set browser.executable or browser.endpoint"
		return f
	}
	f.OK, f.Fact = true, "starts and opens a page"
	if a.config.Browser.Endpoint != "" {
		f.Fact = "answers at " + a.config.Browser.Endpoint
	} else if path, err := browser.FindExecutable(a.config.Browser.Headless); a.config.Browser.Executable == "" && err == nil {
		f.Fact = path + " starts and opens a page"
	}
	return f
}

func (a *app) checkFonts(ctx context.Context) finding {
	out, err := exec.CommandContext(ctx, "fc-list", ":", "family").Output()
	n := len(strings.Fields(strings.ReplaceAll(string(out), " ", "_")))
	if err != nil || n == 0 {
		return finding{Name: "fonts", Fact: "no font found, text in pictures would be boxes", Fix: "install fonts (Debian: apt-get install fontconfig fonts-dejavu-core fonts-liberation)"}
	}
	return finding{Name: "fonts", OK: true, Fact: fmt.Sprintf("%d faces", n)}
}

func (a *app) checkOCR(ctx context.Context) finding {
	out, err := exec.CommandContext(ctx, "tesseract", "--list-langs").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "eng") {
		return finding{Name: "ocr", Fact: "tesseract with English is missing, canvas text cannot be read without a model", Fix: "install tesseract (Debian: apt-get install tesseract-ocr)"}
	}
	return finding{Name: "ocr", OK: true, Fact: "tesseract reads English"}
}

func (a *app) checkNATS(ctx context.Context) finding {
	f := finding{Name: "nats"}
	o := bus.ConnectOptions{URL: a.config.NATS.URL, Name: "doctor", Logger: a.log}
	where := o.URL
	if o.URL == "" {
		dir, err := os.MkdirTemp("", "quartet-doctor-")
		if err != nil {
			f.Fact, f.Fix = err.Error(), "make the temporary folder writable"
			return f
		}
		defer os.RemoveAll(dir)
		s, err := bus.StartServer(bus.ServerOptions{StoreDir: dir})
		if err != nil {
			f.Fact = err.Error()
			return f
		}
		defer s.Close()
		o.Server, where = s, "embedded"
	}
	b, err := bus.Connect(ctx, o)
	if err != nil {
		f.Fact, f.Fix = err.Error(), "start NATS 2.10 or later with JetStream at nats.url, or leave nats.url empty"
		return f
	}
	defer b.Close()
	f.OK, f.Fact = true, where+", JetStream answers"
	return f
}

func (a *app) checkDisk(context.Context) finding {
	f := finding{Name: "disk"}
	dir, err := filepath.Abs(a.config.Runs)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		f.Fact, f.Fix = err.Error(), "set runs to a folder that can be written"
		return f
	}
	if err := checkSpace(dir); err != nil {
		f.Fact, f.Fix = err.Error(), "free some space, or set runs to a folder on another disk"
		return f
	}
	f.OK, f.Fact = true, dir+" can be written"
	return f
}

// minSpace is what a run may need: journal, pictures, downloads.
const minSpace = 64 << 20

// checkSpace writes a probe file and looks at the free space of dir's disk.
func checkSpace(dir string) error {
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", dir, err)
	}
	defer os.Remove(probe.Name())
	_, err = probe.Write(make([]byte, 64<<10))
	if cerr := probe.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", dir, err)
	}
	free, ok := freeSpace(dir)
	if ok && free < minSpace {
		return fmt.Errorf("only %d MB free at %s, a run may need %d", free>>20, dir, minSpace>>20)
	}
	return nil
}

func checkURL(ctx context.Context, url string) finding {
	f := finding{Name: "url"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		f.Fact = err.Error()
		return f
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.Fact, f.Fix = err.Error(), "start the application, or correct the address"
		return f
	}
	res.Body.Close()
	f.OK, f.Fact = res.StatusCode < 500, url+" answers "+res.Status
	return f
}
