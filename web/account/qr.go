package account

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// qrCode is a QR code as an SVG path. Its margin is one module, which the stylesheet widens.
type qrCode struct {
	Side int // side length in modules, including the margin
	Path string
}

// newQRCode returns nil if the text is too long. The page shows the secret as text, too.
func newQRCode(text string) *qrCode {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil
	}
	size := code.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := 0; x < size; x++ {
			start := x
			for x < size && code.At(x, y) == color.Black {
				x++
			}
			if x > start {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", start, y, x-start, x-start)
			}
		}
	}
	return &qrCode{Side: size + 2, Path: path.String()}
}
