package postgres

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// firstClauses are the clauses that can begin a statement. Tag sets all, because it does not know
// the statement's kind.
var firstClauses = []string{"SELECT", "INSERT", "UPDATE", "DELETE"}

// Tag returns a gorm scope that begins the statement with a comment such as /* org.groups */, which
// names its caller in the server's log. The name must be a constant, because it is not escaped.
func Tag(name string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		for _, first := range firstClauses {
			c := db.Statement.Clauses[first]
			c.BeforeExpression = clause.Expr{SQL: "/* " + name + " */"}
			db.Statement.Clauses[first] = c
		}
		return db
	}
}
