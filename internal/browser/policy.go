package browser

import (
	"fmt"
	"net/url"
	"strings"
)

// anyOrigin, in a list of allowed ones, allows every http and https origin.
const anyOrigin = "*"

// origins are the allowed ones, normalised.
type origins map[string]bool

func parseOrigins(list []string) (origins, error) {
	o := origins{}
	for _, s := range list {
		if s == anyOrigin {
			o[s] = true
			continue
		}
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("allowed origin %q: want http(s)://host[:port]", s)
		}
		o[originOf(u)] = true
	}
	return o, nil
}

// CheckOrigins says what is wrong with a list of allowed origins.
func CheckOrigins(list []string) error {
	_, err := parseOrigins(list)
	return err
}

// originOf returns scheme://host[:port] in lower case, without a default port.
func originOf(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch {
	case scheme == "http":
		host = strings.TrimSuffix(host, ":80")
	case scheme == "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + host
}

// allow says whether a document may come from raw. Blank documents are always
// allowed, data: in a frame only, blob: of an allowed origin; every other
// scheme is refused.
func (o origins) allow(raw string, top bool) bool {
	if raw == "" || raw == "about:blank" || raw == "about:srcdoc" || strings.HasPrefix(raw, "about:blank#") || strings.HasPrefix(raw, "about:blank?") {
		return true
	}
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return o[anyOrigin] || o[originOf(u)]
	case "blob":
		inner, err := url.Parse(u.Opaque)
		return err == nil && (o[anyOrigin] || o[originOf(inner)])
	case "data":
		return !top
	}
	return false
}

// Allowed says whether a top-level document may be loaded from rawURL in a
// session with these allowed origins.
func Allowed(rawURL string, allowedOrigins []string) bool {
	o, err := parseOrigins(allowedOrigins)
	return err == nil && o.allow(rawURL, true)
}
