// Quartet runs long business workflows in a real browser, every step verified.
package main

import (
	"os"

	"github.com/quartet-agents/quartet/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
