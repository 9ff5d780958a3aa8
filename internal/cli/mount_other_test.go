//go:build !linux

package cli

import "errors"

func mountSmall(string) (unmount func(), err error) { return nil, errors.ErrUnsupported }
