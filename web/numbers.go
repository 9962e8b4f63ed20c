package web

import (
	"fmt"
	"strconv"

	"dg/modules/reports"
)

// count formats a number: 1,363.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// percent formats a percentage with the API's one decimal: 69.6%.
func percent(p reports.Percent) string { return fmt.Sprintf("%d.%d%%", p/10, p%10) }

// ratePercent formats a rate with all of the API's four decimals: 0.7784 is 77.84%.
func ratePercent(r reports.Rate) string { return fmt.Sprintf("%d.%02d%%", r/100, r%100) }
