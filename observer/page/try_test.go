package page_test

import (
	"testing"
	"time"

	"github.com/quartet-agents/quartet/observer/aria"
)

func TestTry(t *testing.T) {
	b := newBench(t, map[string]string{"/big.html": bigPage})
	b.open("/kinds.html")
	t0 := time.Now()
	tr := b.look()
	t.Log(time.Since(t0))
	t.Log("\n" + aria.Render(tr, aria.Playwright, aria.RenderOptions{}).Text)
	b.open("/big.html")
	for range 6 {
		t0 = time.Now()
		tr = b.look()
		t.Log(time.Since(t0))
	}
}

const bigPage = `<!doctype html><title>Big</title><style>tr:hover{background:#eee}</style><h1>Customers</h1><input type=search aria-label=Search>
<table id=t><thead><tr><th>Name<th>Mail<th>City<th>Plan<th>Seats<th>Actions</thead><tbody></tbody></table>
<script>for(let i=0;i<500;i++){const r=t.tBodies[0].insertRow();r.innerHTML='<td>Customer '+i+'<td><a href="mailto:c'+i+'@x">c'+i+'@example.com</a><td>City '+(i%40)+'<td>Pro<td>'+(i%9)+'<td><button>Edit</button> <button>Delete</button>'}</script>`
