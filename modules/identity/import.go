package identity

import "dg/modules/identity/twostep"

// StoredSecret returns a person's two-step secret of an import, which is valid, in its stored form.
func (k Keyring) StoredSecret(personID, secret string) string {
	parsed, _ := twostep.ParseSecret(secret)
	return k.encrypt(personID, parsed)
}
