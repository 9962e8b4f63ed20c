package identity

// UseCheapHashes makes new hashes, and the dummy one, as cheap as argon2id allows: for tests that are not about the cost.
func (s *Service) UseCheapHashes() *Service {
	s.passwords = newHasher(cost{memory: 8, time: 1, lanes: 1})
	return s
}
