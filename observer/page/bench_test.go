package page_test

import (
	"math"
	"testing"
)

const rows500 = `<!doctype html><title>Big</title><style>tr:hover{background:#eee}</style><h1>Customers</h1><input type=search aria-label=Search>
<table id=t><thead><tr><th>Name<th>Mail<th>City<th>Plan<th>Seats<th>Actions</thead><tbody></tbody></table>
<script>for(let i=0;i<500;i++){const r=t.tBodies[0].insertRow();r.innerHTML='<td>Customer '+i+'<td><a href="mailto:c'+i+'@x">c'+i+'@example.com</a><td>City '+(i%40)+'<td>Pro<td>'+(i%9)+'<td><button>Edit</button> <button>Delete</button>'}</script>`

// The same with what frameworks add: a class and a box for everything.
const classes500 = `<!doctype html><title>Big</title><style>.row:hover .act{opacity:1}.act{opacity:0}.due{color:#c00}.cell{padding:2px}.name{font-weight:bold}</style><h1>Customers</h1>
<div id=t class="table table--wide"></div>
<script>let h='';for(let i=0;i<500;i++){h+='<div class="row row-'+(i%2?'odd':'even')+(i%50?'':' selected')+'"><div class="cell name"><span class="text">Customer '+i+'</span></div><div class="cell mail"><a class="link" href="mailto:c'+i+'@x">c'+i+'@example.com</a></div><div class="cell city" style="width:'+i+'px">City '+(i%40)+'</div><div class="cell due">Pro</div><div class="cell act"><button class="btn btn-sm">Edit</button></div></div>'};t.innerHTML=h</script>`

// BenchmarkTable500 captures a table of 500 rows (5,014 elements, 2,004 refs).
func BenchmarkTable500(b *testing.B) { benchmark(b, rows500) }

// BenchmarkClasses500 captures 500 rows made of divs with classes.
func BenchmarkClasses500(b *testing.B) { benchmark(b, classes500) }

// benchmark reports, beside the time of a whole capture, the page thread's
// part: the least that a walk took, which a busy machine hardly moves.
func benchmark(b *testing.B, html string) {
	n := newBench(b, map[string]string{"/": html})
	n.open("/")
	n.look()
	least := math.Inf(1)
	for b.Loop() {
		n.look()
		var ms float64
		n.js(&ms, "async () => JSON.parse(await __quartet.walk({})).millis")
		least = min(least, ms)
	}
	b.ReportMetric(least, "walk-ms")
}
