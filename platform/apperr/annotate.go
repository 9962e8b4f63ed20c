package apperr

import "fmt"

// Annotate puts what was being done before an error of another package. It returns nil for nil.
func Annotate(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
