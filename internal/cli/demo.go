package cli

import (
	"github.com/spf13/cobra"

	"github.com/quartet-agents/quartet/internal/demo"
)

func (a *app) demoCmd() *cobra.Command {
	var o demo.Options
	var mode string
	c := &cobra.Command{
		Use: "demo", Short: "Serve the demo back office until interrupted", Args: noArgs,
		Long: "Serve the demo back office, a small business application on two origins with\n" +
			"a ledger of what really happened at /ledger, until interrupted.",
		RunE: func(c *cobra.Command, _ []string) error {
			o.Payment = demo.PaymentMode(mode)
			s, err := demo.Start(c.Context(), o)
			if err != nil {
				return envErr(err)
			}
			defer s.Close()
			if a.json {
				if err := a.printJSON(map[string]string{"url": s.URL(), "pay_url": s.PayURL()}); err != nil {
					return err
				}
			} else {
				a.printf("demo back office at %s (cards at %s), ledger at %s/ledger; Ctrl-C ends it\n", s.URL(), s.PayURL(), s.URL())
			}
			<-c.Context().Done()
			return nil
		},
	}
	c.Flags().StringVar(&o.Addr, "addr", "127.0.0.1:8080", "address to listen on")
	c.Flags().StringVar(&o.PayAddr, "pay-addr", "127.0.0.1:8081", "address of the card processor's origin")
	c.Flags().StringVar(&o.PublicURL, "url", "", "address that browsers use, where it differs")
	c.Flags().StringVar(&o.PublicPayURL, "pay-url", "", "the same for the card processor")
	c.Flags().StringVar(&mode, "payment", "ok", "how the card processor behaves: ok, slow, commits-then-errors, commits-then-hangs, rejects")
	return c
}
