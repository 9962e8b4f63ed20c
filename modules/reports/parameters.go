package reports

import (
	"regexp"
	"strings"
)

// meant are other names that callers give to the parameters of a report.
var meant = map[string]*regexp.Regexp{
	"from": regexp.MustCompile(
		`^(date|day)?(from|start(ing)?|since|begin|after)(date|day|at|time)?$`,
	),
	"to": regexp.MustCompile(
		`^(date|day)?(to|end(ing)?|until|till|before|through)(date|day|at|time)?$`,
	),
	"groupId": regexp.MustCompile(`group`),
}

// MeantParameter returns the parameter that a caller probably means by an unknown name: groupId by
// group_id, from by startDate. It is "" where there is none.
func MeantParameter(name string) string {
	folded := strings.NewReplacer("_", "", "-", "", ".", "", "[]", "").
		Replace(strings.ToLower(name))
	for parameter, names := range meant {
		if names.MatchString(folded) {
			return parameter
		}
	}
	return ""
}
