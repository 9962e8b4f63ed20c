// Package password hashes passwords and refuses weak new ones.
//
//   - Hash makes argon2id hashes in PHC form, Verify and Valid read them within bounds: no sign-in can
//     use up the server.
//   - Hasher bounds the memory of concurrent hashes. Without a hash to compare with, it computes a
//     dummy one in the same time.
//   - Check bounds the length of a new password, and rejects common ones and those made of the
//     person's or an organisation's name.
//
// A password is normalised to NFC, never logged and never cut.
package password
