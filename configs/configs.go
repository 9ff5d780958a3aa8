// Package configs holds Quartet's defaults and published schemas as data.
package configs

import _ "embed"

// Default is the configuration that everything else overrides, YAML.
//
//go:embed quartet.yaml
var Default []byte
