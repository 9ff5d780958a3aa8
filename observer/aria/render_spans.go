package aria

import "slices"

// ditto stands in a row for a cell that reaches into it from above or from the
// left, so that the columns stay in step.
const ditto = "″"

// most columns that a cell is taken to span, as in HTML.
const maxSpan = 1000

// A layout says at which columns the cells of a table's rows begin.
type layout struct {
	rows   []*Node
	starts [][]int // by row, of its cells in order
	ends   []int   // by row, behind its last column, also one that is taken from above
	used   []int   // columns at which some cell begins, in order
}

// dittos are, for the rows of a table with cells that span, how many dittos stand
// before each cell, and behind the last one.
func dittos(table *Node) map[*Node][]int {
	spans := table.holds(func(n *Node) bool { return isCell(n.Role) && (n.RowSpan > 1 || n.ColSpan > 1) })
	if !spans {
		return nil
	}
	var l layout
	l.group(table)
	slices.Sort(l.used)
	l.used = slices.Compact(l.used)
	out := map[*Node][]int{}
	for k, row := range l.rows {
		last := -1
		var gaps []int
		for _, start := range l.starts[k] {
			gaps = append(gaps, l.between(last, start))
			last = start
		}
		out[row] = append(gaps, l.between(last, l.ends[k]))
	}
	return out
}

// between counts the columns of the table after one and before another.
func (l *layout) between(after, before int) int {
	from, _ := slices.BinarySearch(l.used, after+1)
	to, _ := slices.BinarySearch(l.used, before)
	return max(0, to-from)
}

// group lays out the rows of a table or a row group; a cell does not reach out of
// its group.
func (l *layout) group(n *Node) {
	taken := map[int]int{} // rows from here on that a cell above takes, by column
	var rows func(n *Node)
	rows = func(n *Node) {
		for _, k := range n.Children {
			switch {
			case k.Role == "row":
				l.row(k, taken)
			case k.Role == "rowgroup":
				l.group(k)
			case !isTable(k.Role):
				rows(k)
			}
		}
	}
	rows(n)
}

func (l *layout) row(row *Node, taken map[int]int) {
	var starts []int
	col, above := 0, map[int]int{}
	end := 0
	for c, left := range taken {
		end = max(end, c+1)
		if left > 1 {
			above[c] = left - 1
		}
	}
	for _, cell := range rowParts(row) {
		if !isCell(cell.Role) {
			continue
		}
		for taken[col] > 0 {
			col++
		}
		starts = append(starts, col)
		for range min(max(cell.ColSpan, 1), maxSpan) {
			if cell.RowSpan > 1 {
				above[col] = cell.RowSpan - 1
			}
			col++
		}
	}
	end = max(end, col)
	if len(starts) == 1 && len(taken) == 0 {
		end = 1 // one cell over the whole row
	}
	clear(taken)
	for c, left := range above {
		taken[c] = left
	}
	l.rows, l.starts = append(l.rows, row), append(l.starts, starts)
	l.ends, l.used = append(l.ends, end), append(l.used, starts...)
}
