// Package browser gives the agents the page: it starts Chromium or attaches to
// one that runs, opens sessions (browser contexts) in it, and turns a
// bus.Session into a live tab with frames, an isolated world, and facts about
// what happens there.
//
// # Layers
//
//   - conn.go: one connection to a browser, and its CDP sessions. It uses the
//     transports of chromedp (pipe, WebSocket); the sessions are our own, because
//     a new target must be held before its first request, and chromedp ignores
//     sessions that it did not ask for.
//   - launch.go, guard.go, endpoint.go: a browser of our own that leaves
//     nothing behind, or somebody else's by its debugging port.
//   - pool.go, host.go: sessions and tabs of all browsers of this process.
//   - tab.go and the files of its topics: frames.go, world.go, adopt.go,
//     dialog.go, policy.go, watch.go, settle.go, state.go.
//
// # Lifetime
//
// Nothing here lives on a caller's context: a context bounds the call it is
// passed to, and the connection lives until Pool.Close. Goroutines: one reader
// per connection, one event loop per CDP session. Event loops never wait for
// the browser, so an event handler that must send a command starts a goroutine
// that is bounded by a timeout.
//
// # Tab ids
//
// Tabs are t1, t2, … in order of opening, and an id is never reused in a
// session. A process that knows the session only from a bus.Session takes the
// ids of bus.Session.Tabs, and numbers tabs that it finds beyond them after the
// highest id that it has seen; so the process that acts (and that reports the
// tabs after each act) decides, and the others follow.
package browser
