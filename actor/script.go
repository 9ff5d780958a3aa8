package actor

import _ "embed"

// The scripts of the isolated world: act.js what is ready and what a control
// holds, probe.js what received an event, pictures.js what canvases show,
// inpage.js
// input without the browser's, calendar.js what a calendar shows.
var (
	//go:embed act.js
	actScript string
	//go:embed probe.js
	probeScript string
	//go:embed pictures.js
	picturesScript string
	//go:embed inpage.js
	inpageScript string
	//go:embed calendar.js
	calendarScript string
)

// Script is the actor's part of the isolated world, globalThis.__quartetAct,
// to be given to the browser pool next to the observer's script. It is
// idempotent: a second run in the same world changes nothing.
func Script() string {
	return actScript + "\n" + probeScript + "\n" + picturesScript + "\n" + inpageScript + "\n" + calendarScript
}
