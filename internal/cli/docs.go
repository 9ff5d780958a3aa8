package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// docsCmd writes docs/cli.md from the commands themselves.
func (a *app) docsCmd() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "docs", Short: "Write docs/cli.md", Hidden: true, Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			text, err := cliDocs(c.Root())
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "cli.md"), text, 0o644)
		},
	}
	c.Flags().StringVar(&dir, "dir", "docs", "folder to write to")
	return c
}

const cliHead = `# The quartet command

Written by ` + "`make docs`" + `; a test keeps it in step with the command.

Exit codes, the same everywhere: 0 succeeded, 1 failed, 2 bad usage or a bad
file, 3 a person has to decide (or one has interrupted the run), 4 something of the environment is missing
(browser, NATS, disk, secret). With --json results go to standard output and
errors to standard error, as JSON.

Configuration: the defaults of [configs/quartet.yaml](../configs/quartet.yaml),
then ./quartet.yaml or --config FILE, then QUARTET_* in the environment
(QUARTET_BROWSER_ENDPOINT for browser.endpoint), then flags. QUARTET_VAR_NAME
sets the variable NAME of a workflow that has it.

`

// cliDocs is the reference of every visible command.
func cliDocs(root *cobra.Command) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(cliHead)
	var write func(c *cobra.Command) error
	write = func(c *cobra.Command) error {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			return nil
		}
		c.DisableAutoGenTag = true
		c.InitDefaultHelpCmd()
		c.InitDefaultHelpFlag()
		if !c.HasSubCommands() {
			var one bytes.Buffer
			if err := doc.GenMarkdownCustom(c, &one, func(string) string { return "#" }); err != nil {
				return err
			}
			text, _, _ := strings.Cut(one.String(), "### SEE ALSO")
			// Help names a page by its path in the repository; beside it, it is a link.
			out.WriteString(strings.ReplaceAll(text, "docs/observation.md", "[observation.md](observation.md)"))
		}
		for _, sub := range c.Commands() {
			if err := write(sub); err != nil {
				return err
			}
		}
		return nil
	}
	if err := write(root); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
