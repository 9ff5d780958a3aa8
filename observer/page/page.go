// Package page looks into a live page: the scripts that run in the isolated
// world of every frame (the ref registry and the walk), and the Go side that
// walks all frames and assembles one aria.Tree.
//
// What comes in is a browser.Tab and a source of ref numbers; what goes out is
// a tree. Nothing here touches the page: no input, no navigation, no attribute.
package page

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed js/*.js
var scripts embed.FS

// ScriptName is the name under which Script is given to the browser pool.
const ScriptName = "observer"

// Script is the world script: it defines globalThis.__quartet, once per
// document. It is the files of js/ in the order of their names, in one scope.
var Script = compose()

func compose() string {
	var b strings.Builder
	b.WriteString("(() => { 'use strict'; if (Object.prototype.hasOwnProperty.call(globalThis, '__quartet')) return;\n")
	names, err := fs.Glob(scripts, "js/*.js") // sorted
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		src, err := scripts.ReadFile(name)
		if err != nil {
			panic(err) // embedded
		}
		b.Write(src)
		b.WriteByte('\n')
	}
	b.WriteString("})()")
	return b.String()
}
