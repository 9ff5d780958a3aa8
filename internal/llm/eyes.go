package llm

import "context"

// Eyes asks a multimodal model about one picture.
type Eyes struct{ Model Model }

// Name is the model's.
func (e Eyes) Name() string { return e.Model.Name() }

// See returns the model's answer in text, and the tokens of question and
// answer together. The picture is PNG.
func (e Eyes) See(ctx context.Context, system, question string, png []byte) (answer string, tokens int, err error) {
	reply, err := e.Model.Generate(ctx, Request{System: system, MaxTokens: 500, Messages: []Message{
		// Text before the picture: providers advise it for finding things.
		{Role: User, Parts: []Part{{Text: question}, {Image: &Image{MIME: "image/png", Data: png}}}}}})
	return reply.Text, reply.Usage.Input + reply.Usage.Output, err
}
