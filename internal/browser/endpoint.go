package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// dial connects to the debugging port at address: http(s)://host:port, or a
// ws(s):// address with or without its path.
func dial(ctx context.Context, address string) (chromedp.Transport, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ws, err := debuggerURL(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("browser endpoint %s: %w", address, err)
	}
	tr, err := remote.DialContext(ctx, ws)
	if err != nil {
		return nil, fmt.Errorf("browser endpoint %s: %w", address, err)
	}
	return tr, nil
}

// debuggerURL asks the browser for its WebSocket address. The host name is
// resolved first: Chromium refuses a Host header that is neither an IP address
// nor localhost.
func debuggerURL(ctx context.Context, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	host, err := resolve(ctx, u.Hostname())
	if err != nil {
		return "", err
	}
	port := u.Port()
	if port == "" {
		port = "9222"
	}
	u.Host = net.JoinHostPort(host, port)
	if strings.HasPrefix(u.Scheme, "ws") && len(u.Path) > 1 {
		return u.String(), nil
	}
	secure := u.Scheme == "https" || u.Scheme == "wss"
	q := url.URL{Scheme: "http", Host: u.Host, Path: "/json/version"}
	if secure {
		q.Scheme = "https"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, q.String(), nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy on purpose
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err != nil {
		return "", err
	}
	var version struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.Unmarshal(body, &version); err != nil || version.URL == "" {
		return "", fmt.Errorf("no debugging port there: %s %.80q", resp.Status, body)
	}
	ws, err := url.Parse(version.URL)
	if err != nil {
		return "", err
	}
	ws.Host = u.Host // the way that we came
	if secure {
		ws.Scheme = "wss"
	}
	return ws.String(), nil
}

func resolve(ctx context.Context, host string) (string, error) {
	if host == "localhost" || net.ParseIP(host) != nil {
		return host, nil
	}
	ips, err := net.DefaultResolver.LookupIP(ctx, "ip", host)
	if err != nil {
		return "", err
	}
	for _, ip := range ips {
		if ip4 := ip.To4(); ip4 != nil {
			return ip4.String(), nil
		}
	}
	if len(ips) == 0 {
		return "", fmt.Errorf("%s has no address", host)
	}
	return ips[0].String(), nil
}
