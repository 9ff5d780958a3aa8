package verifier

import (
	"net/url"
	"strings"
)

// resolve returns the absolute form of a URL as written on a page at base.
func resolve(base, ref string) string {
	u, err := url.Parse(strings.TrimSpace(ref))
	if err != nil {
		return ref
	}
	b, err := url.Parse(base)
	if err != nil || !b.IsAbs() || b.Opaque != "" {
		return u.String()
	}
	return b.ResolveReference(u).String()
}

// sameURL compares two URLs: scheme and host in any case, default ports and an
// empty path filled in.
func sameURL(a, b string) bool { return canonicalURL(a) == canonicalURL(b) }

func canonicalURL(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return s
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Scheme == "http" {
		u.Host = strings.TrimSuffix(u.Host, ":80")
	}
	if u.Scheme == "https" {
		u.Host = strings.TrimSuffix(u.Host, ":443")
	}
	if u.Path == "" && u.Host != "" {
		u.Path = "/"
	}
	return u.String()
}

// originOf returns scheme://host[:port], "" where there is none.
func originOf(s string) string {
	u, err := url.Parse(canonicalURL(s))
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
