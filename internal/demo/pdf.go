package demo

import (
	"bytes"
	"fmt"
	"strings"
)

// invoiceFile is a one-page PDF in the built-in font, with a right
// cross-reference table.
func invoiceFile(i invoice) []byte {
	var text strings.Builder
	put := func(size, x, y int, s string) {
		// The font's encoding is one byte a character.
		s = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "£", `\243`, "á", `\341`).Replace(s)
		fmt.Fprintf(&text, "BT /F1 %d Tf %d %d Td (%s) Tj ET\n", size, x, y, s)
	}
	put(22, 60, 770, "Invoice "+i.ID)
	put(11, 60, 740, "Northgate Software Ltd to "+i.Customer)
	put(11, 60, 722, "Issued "+day(i.IssueDate)+", due "+day(i.DueDate)+", service "+day(i.ServiceDate))
	y := 690
	for _, l := range i.Lines {
		put(11, 60, y, fmt.Sprintf("%s, %d at %s", l.Description, l.Quantity, pence(l.UnitPrice)))
		put(11, 460, y, pence(l.Quantity*l.UnitPrice))
		y -= 18
	}
	state := "Awaiting payment"
	if i.Paid {
		state = "Paid by card ending " + i.Last4
	}
	put(13, 60, y-14, "Total "+pence(i.Amount)+" - "+state)

	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", text.Len(), text.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	at := make([]int, len(objects))
	for n, o := range objects {
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}
