package aria

import (
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// codec is loaded on the first count (about 40 ms) and is safe for concurrent
// use afterwards. It is a constant in all but name.
var codec = sync.OnceValue(func() tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic("aria: o200k vocabulary is part of the binary: " + err.Error())
	}
	return c
})

// counted remembers the counts of lines: most lines of a page are those of its
// last observation. It holds results of a function and no state.
var counted = memo{max: 30_000}

type memo struct {
	mu  sync.Mutex
	max int
	of  map[string]int
}

func (m *memo) count(s string) int {
	m.mu.Lock()
	n, ok := m.of[s]
	m.mu.Unlock()
	if ok {
		return n
	}
	n = encoded(s)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || len(m.of) >= m.max {
		m.of = map[string]int{}
	}
	m.of[strings.Clone(s)] = n
	return n
}

// Tokens counts the tokens of s by o200k_base, offline. It is the unit of every
// budget in Quartet, whatever the model's own tokenizer says.
func Tokens(s string) int {
	n := 0
	for s != "" {
		end := lineEnd(s)
		if end > maxCounted {
			n += encoded(s[:end])
		} else {
			n += counted.count(s[:end])
		}
		s = s[end:]
	}
	return n
}

const maxCounted = 1000 // bytes of a line that is remembered

// lineEnd is where the first line of s ends that can be counted by itself: no
// token goes over its end, since the encoding splits after a line break that
// neither a break nor a blank line follows.
func lineEnd(s string) int {
	for at := 0; ; {
		k := strings.IndexByte(s[at:], '\n')
		if k < 0 {
			return len(s)
		}
		at += k + 1
		rest := strings.TrimLeft(s[at:min(len(s), at+40)], " ")
		if rest != "" && !strings.ContainsRune("\n\r\t\v\f/", rune(rest[0])) && rest[0] < 0x80 {
			return at
		}
		if at == len(s) {
			return at
		}
	}
}

func encoded(s string) int {
	n, err := codec().Count(s)
	if err != nil { // the codec refuses only what it cannot split
		return (len(s) + 1) / 2
	}
	return n
}
