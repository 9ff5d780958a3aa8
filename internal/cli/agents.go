package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quartet-agents/quartet/internal/secret"
)

func (a *app) agentCmd() *cobra.Command {
	var nats string
	var runs int
	c := &cobra.Command{
		Use: "agent NAME", Short: "Run one agent alone: planner, observer, actor, verifier or vision",
		Args: exactArgs(1, "the name of one agent"), ValidArgs: agentNames,
		Long: "Run one agent until interrupted. Replicas share the work. All but the planner and\n" +
			"the verifier need the browser's debugging port (browser.endpoint); secrets are\n" +
			"read by the actor alone, from its environment or env_file.",
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(agentNames, args[0]) {
				return usagef("there is no agent %q: want one of %s", args[0], strings.Join(agentNames, ", "))
			}
			if c.Flags().Changed("nats") {
				a.config.NATS.URL = nats
			}
			if a.config.NATS.URL == "" {
				return usagef("an agent alone needs the NATS server where the others are: --nats nats://host:4222 or QUARTET_NATS_URL")
			}
			o := stackOptions{agents: args, secrets: secret.None, runs: runs}
			if args[0] == "actor" {
				var err error
				if o.secrets, err = a.secrets("."); err != nil {
					return err
				}
			}
			s, err := a.start(c.Context(), o)
			if err != nil {
				return err
			}
			a.log.Info("agent: serving", "agent", args[0], "nats", a.config.NATS.URL)
			<-c.Context().Done()
			return s.stop()
		},
	}
	c.Flags().StringVar(&nats, "nats", "", "address of the NATS server (default: nats.url)")
	c.Flags().IntVar(&runs, "runs", 4, "planner: how many runs to drive at once")
	return c
}
