// Package mcp serves Quartet to programs that speak the Model Context Protocol:
// names and arguments of the tools follow Playwright's MCP server, so that a
// client can switch by changing one line.
//
// A client is a run of its own (planner.Client): each of its acts goes through
// prepare, attempt, act, receipt and verdict like any planner's, and stands in
// the journal. The browser session is opened at its first call.
package mcp
