package page_test

import "testing"

const rows500 = `<!doctype html><title>Big</title><style>tr:hover{background:#eee}</style><h1>Customers</h1><input type=search aria-label=Search>
<table id=t><thead><tr><th>Name<th>Mail<th>City<th>Plan<th>Seats<th>Actions</thead><tbody></tbody></table>
<script>for(let i=0;i<500;i++){const r=t.tBodies[0].insertRow();r.innerHTML='<td>Customer '+i+'<td><a href="mailto:c'+i+'@x">c'+i+'@example.com</a><td>City '+(i%40)+'<td>Pro<td>'+(i%9)+'<td><button>Edit</button> <button>Delete</button>'}</script>`

// BenchmarkTable500 captures a table of 500 rows (5,014 elements, 2,004 refs).
func BenchmarkTable500(b *testing.B) {
	n := newBench(b, map[string]string{"/": rows500})
	n.open("/")
	n.look()
	for b.Loop() {
		n.look()
	}
}
