package web

import (
	"fmt"
	"strconv"

	"dg/modules/reports"
)

// count writes a number with its thousands apart: 1,363.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// percent writes a percentage with the API's one decimal: 69.6%.
func percent(p reports.Percent) string { return fmt.Sprintf("%d.%d%%", p/10, p%10) }

// ratePercent writes a rate as a percentage: the API's four decimals, to the digit. 0.7784 is 77.84%.
func ratePercent(r reports.Rate) string { return fmt.Sprintf("%d.%02d%%", r/100, r%100) }
