package aria

import (
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

// Tokens counts the tokens of s by o200k_base, offline. It is the unit of every
// budget in Quartet, whatever the model's own tokenizer says.
func Tokens(s string) int {
	if s == "" {
		return 0
	}
	n, err := codec().Count(s)
	if err != nil { // the codec refuses only what it cannot split
		return (len(s) + 1) / 2
	}
	return n
}
