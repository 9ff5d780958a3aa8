package cli

import (
	"github.com/spf13/pflag"

	"github.com/quartet-agents/quartet/internal/config"
)

// browserFlags say which browser is used, and how.
type browserFlags struct {
	headed     bool
	cdp, input string
}

func (b *browserFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&b.headed, "headed", false, "show the browser's window")
	f.StringVar(&b.cdp, "cdp", "", "debugging address of a browser that is running, as http://127.0.0.1:9222: a session of its own in it, which its windows don't see")
	f.StringVar(&b.input, "input", "", "browser: real input events (default); page: events made by a script in the page, where the browser's are not wanted, as weaker evidence")
}

// apply overrides the configuration.
func (b *browserFlags) apply(c *config.Config) error {
	c.Browser.Headless = c.Browser.Headless && !b.headed
	if b.cdp != "" {
		c.Browser.Endpoint = b.cdp
	}
	if b.input != "" {
		c.Browser.Input = b.input
	}
	if err := c.Validate(); err != nil {
		return usageErr(err)
	}
	return nil
}
