package web

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// qrCode is a QR code as the path of an SVG, in modules. Around it is a margin of one, which with that of the stylesheet
// makes the four that readers need.
type qrCode struct {
	Side int // with the margin
	Path string
}

// newQRCode returns nil where the text is too long for one: it is written beside it in any case.
func newQRCode(text string) *qrCode {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil
	}
	size := code.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := 0; x < size; x++ {
			from := x
			for x < size && code.At(x, y) == color.Black {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from, y, x-from, x-from)
			}
		}
	}
	return &qrCode{Side: size + 2, Path: path.String()}
}
