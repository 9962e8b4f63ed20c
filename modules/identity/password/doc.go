// Package password hashes passwords and refuses weak new ones.
//
//   - Hash makes argon2id hashes in PHC form, Verify and Valid read them within bounds: no sign-in can
//     use up the server.
//   - Hasher computes a few at a time: at most four, on all processors but one. Without a hash it
//     computes the dummy one, in the same time.
//   - CheckForm bounds the length of a new password, CheckUncommon refuses common ones and those
//     made of the person's or an organisation's name.
//
// A password is normalised to NFC, never logged and never cut.
package password
