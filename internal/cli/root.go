// Package cli is the quartet command: it reads configuration, puts the agents
// together, and prints for people or, with --json, for programs.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"

	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/config"
)

// version is set by the linker; see the Makefile.
var version string

// An app is one invocation of the command.
type app struct {
	out, errOut io.Writer
	environ     []string
	configPath  string
	json        bool
	logLevel    string
	config      config.Config
	log         *slog.Logger
}

// Main runs the command line and returns the exit code.
func Main(args []string) int {
	if browser.GuardMain(args) {
		return exitOK
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, args, os.Stdout, os.Stderr, os.Environ())
}

// Run runs the command line with the given streams and environment.
func Run(ctx context.Context, args []string, out, errOut io.Writer, environ []string) int {
	a := &app{out: out, errOut: errOut, environ: environ}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err != nil {
		var e *exitError
		if !errors.As(err, &e) || !e.silent {
			a.printError(err)
		}
	}
	return codeOf(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "quartet",
		Short:         "Run business workflows in a real browser, every step verified",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          verbs,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.setUp()
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageErr(err) })
	root.PersistentFlags().StringVar(&a.configPath, "config", "", "configuration file (default: quartet.yaml here, where there is one)")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON for programs")
	root.PersistentFlags().StringVar(&a.logLevel, "log-level", "", "debug, info, warn or error")
	root.AddCommand(a.runCmd(), a.resumeCmd(), a.runsCmd(), a.snapshotCmd(), a.mcpCmd(), a.agentCmd(), a.demoCmd(), a.doctorCmd(), a.versionCmd(), a.docsCmd())
	return root
}

// setUp reads the configuration and makes the logger.
func (a *app) setUp() error {
	c, err := config.Load(a.configPath, a.environ)
	if err != nil {
		return usageErr(err)
	}
	if a.logLevel != "" {
		c.Log.Level = a.logLevel
		if err := c.Validate(); err != nil {
			return usageErr(err)
		}
	}
	a.config = c
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Log.Level)); err != nil {
		return usageErr(err)
	}
	if c.Log.Format == "json" || c.Log.Format == "auto" && !isTerminal(a.errOut) {
		a.log = slog.New(slog.NewJSONHandler(a.errOut, &slog.HandlerOptions{Level: level}))
	} else {
		a.log = slog.New(tint.NewTextHandler(a.errOut, &tint.Options{Level: level, NoColor: !isTerminal(a.errOut)}))
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// env reads one variable of the invocation's environment.
func (a *app) env(name string) string {
	v, _ := a.lookupEnv(name)
	return v
}

func (a *app) lookupEnv(name string) (string, bool) {
	for i := len(a.environ) - 1; i >= 0; i-- {
		kv := a.environ[i]
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:], true
		}
	}
	return "", false
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (a *app) printError(err error) {
	if a.json {
		json.NewEncoder(a.errOut).Encode(map[string]any{"error": err.Error(), "exit": codeOf(err)})
		return
	}
	fmt.Fprintf(a.errOut, "quartet: %v\n", err)
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			v := versionText()
			if a.json {
				return a.printJSON(map[string]string{"version": v, "go": info.GoVersion})
			}
			a.printf("quartet %s (%s)\n", v, info.GoVersion)
			return nil
		},
	}
}

func versionText() string {
	info, _ := debug.ReadBuildInfo()
	return buildVersion(info)
}

func buildVersion(info *debug.BuildInfo) string {
	if version != "" {
		return version
	}
	if info != nil && info.Main.Version != "" {
		return info.Main.Version
	}
	return "dev"
}

// verbs is what a command does that only has others below it.
func verbs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	hint := ""
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q? ", near[0])
	}
	return usagef("%s has no command %q; %ssee %s --help", c.CommandPath(), args[0], hint, c.CommandPath())
}

// noArgs and exactArgs are cobra's, as usage errors.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q", c.CommandPath(), args)
	}
	return nil
}

func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %s; see %s --help", c.CommandPath(), what, c.CommandPath())
		}
		return nil
	}
}
