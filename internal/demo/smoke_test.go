package demo

import "testing"

func TestStartCloses(t *testing.T) {
	s, err := Start(t.Context(), Options{Addr: "127.0.0.1:0", PayAddr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(s.URL(), s.PayURL())
	s.Close()
}
