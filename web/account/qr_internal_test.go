package account

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/boombuler/barcode/qr"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// The SVG path draws each dark module of the QR code once, and no other module.
func TestQRCodePathDrawsEveryModule(t *testing.T) {
	const text = "otpauth://totp/DG:ann@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=DG"
	want := tb.Must(qr.Encode(text, qr.M, qr.Auto))(t)
	size := want.Bounds().Dx()
	code := newQRCode(text)
	require.Equal(t, size+2, code.Side)
	drawn := map[[2]int]int{}
	for run := range strings.SplitSeq(strings.TrimSuffix(code.Path, "z"), "z") {
		var x, y, length, back int
		tb.Must(fmt.Sscanf(run, "M%d %dh%dv1h-%d", &x, &y, &length, &back))(t)
		require.Equal(t, length, back)
		for i := range length {
			drawn[[2]int{x + i, y}]++
		}
	}
	for y := range size {
		for x := range size {
			require.Equal(t, want.At(x, y) == color.Black, drawn[[2]int{x, y}] == 1, "%d, %d", x, y)
		}
	}
	require.Nil(t, newQRCode(strings.Repeat("a", 5000)))
}
