// Package trials holds trials of the whole: sentences that people write, carried
// out by all agents over a bus in a real browser, on pages that keep their own log
// of what reached them. It has tests only.
package trials
