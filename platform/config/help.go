package config

// Help maps the kong variables in help tags to the explanations of the settings.
var Help = map[string]string{
	"url": "PostgreSQL 15 or later, as the serving role: " +
		"postgres://user:password@host:5432/database. Several hosts are separated by commas; " +
		"dg uses the primary. Empty: the embedded server.",
	"pooler": "Pooler in transaction mode that the database URL leads to: transaction, or prepared " +
		"where it keeps prepared statements, as PgBouncer does from 1.24 on. Empty: none.",
	"migrate": "The same database without a pooler, as the role that owns the tables. " +
		"Empty: the database URL. The embedded server has both roles.",
	"replicas": "Hot standbys for reports, as the serving role: at most 8 URLs, separated by " +
		"spaces. A URL through a pooler in transaction mode ends in " +
		"?pooler=transaction or prepared. Empty: none.",
	"base": "Public URL: https, or http on a loopback host. Empty: the address.",
	"ops": "Address of /metrics and /debug/pprof. Keep it private. It answers requests for its " +
		"own host, localhost and addresses only.",
	"proxies": "Networks of trusted proxies, separated by commas. Their X-Forwarded-For names " +
		"the client. Without it all clients behind a proxy share its address: in the limits for " +
		"wrong passwords, and in the audit log.",
	"delay": "How long dg serves after SIGTERM while /readyz answers 503, if a client is " +
		"connected. Set it longer than a load balancer takes to notice.",
	"requests": "Connections for requests. An instance opens 20 more for reports and exports.",
	"key": "Key that encrypts the secrets of two-step verification: 32 random bytes in base64. " +
		"Use the variable or a file, because other users of the machine see flags. " +
		"Empty: the secrets are stored in clear.",
	"previous": "Second key for rotation, for decryption only: the one that the secret key " +
		"replaces, or the one that other instances already write. Each start encrypts its " +
		"secrets again with the secret key.",
}
