// Composecheck loads a compose file the way docker compose does (schema,
// interpolation, references between services, volumes and networks) and exits
// non-zero with what is wrong with it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: composecheck FILE")
		os.Exit(2)
	}
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithName("check"), cli.WithResolvedPaths(true))
	if err == nil {
		_, err = options.LoadProject(context.Background())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "composecheck: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
