package recipe_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"math"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

const (
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
)

func charsets() map[string]string {
	return map[string]string{
		"alphanumeric":      lowerCase + strings.ToUpper(lowerCase) + digits,
		"hex":               digits + "abcdef",
		"lowerAlphanumeric": lowerCase + digits,
	}
}

func TestAValueHasExactlyTheDeclaredLengthAndOnlyCharactersOfItsSet(t *testing.T) {
	random := mathrand.NewChaCha8([32]byte{1})
	for name, set := range charsets() {
		for length := 1; length <= 4096; length++ {
			drawn, err := recipe.Characters(random, name, length)
			if err != nil {
				t.Fatal(err)
			}
			if len(drawn) != length {
				t.Fatalf("%s: %d characters were asked for and %d came", name, length, len(drawn))
			}
			if strings.Trim(string(drawn), set) != "" {
				t.Fatalf("%s: a character that is not in the set", name)
			}
		}
	}
	for length := 1; length <= 4096; length++ {
		if drawn := must(recipe.Bytes(random, length))(t); len(drawn) != length {
			t.Fatalf("%d bytes were asked for and %d came", length, len(drawn))
		}
	}
}

func TestEveryByteValueOnceGivesEveryCharacterEquallyOften(t *testing.T) {
	for name, set := range charsets() {
		each := 256 / len(set)
		drawn := must(recipe.Characters(&cycle{}, name, each*len(set)))(t)
		for c, n := range count(drawn) {
			if n != each {
				t.Errorf("%s: %q came %d times, want %d", name, c, n, each)
			}
		}
		if got := len(count(drawn)); got != len(set) {
			t.Errorf("%s: %d different characters, want %d", name, got, len(set))
		}
	}
}

func TestCharactersAreDrawnWithoutBias(t *testing.T) {
	const draws = 1 << 20
	for name, set := range charsets() {
		limit := chiSquareLimit(len(set) - 1)
		for source, random := range map[string]io.Reader{"the system's source": rand.Reader, "a fixed source": mathrand.NewChaCha8([32]byte{2})} {
			var drawn []byte
			for len(drawn) < draws {
				drawn = append(drawn, must(recipe.Characters(random, name, 4096))(t)...)
			}
			if got := chiSquare(drawn, set); got > limit {
				t.Errorf("%s from %s: chi-square %.0f is above %.0f", name, source, got, limit)
			}
		}
	}
	// The same test has to find the bias of a draw that takes the remainder of every byte.
	biased := must(recipe.Bytes(rand.Reader, draws))(t)
	set := charsets()["alphanumeric"]
	for i, b := range biased {
		biased[i] = set[int(b)%len(set)]
	}
	if got, limit := chiSquare(biased, set), chiSquareLimit(len(set)-1); got <= limit {
		t.Errorf("a biased draw has a chi-square of %.0f and passes the limit %.0f; the test sees nothing", got, limit)
	}
}

func count(drawn []byte) map[byte]int {
	counts := make(map[byte]int)
	for _, c := range drawn {
		counts[c]++
	}
	return counts
}

func chiSquare(drawn []byte, set string) float64 {
	counts, sum := count(drawn), 0.0
	expected := float64(len(drawn)) / float64(len(set))
	for _, c := range []byte(set) {
		off := float64(counts[c]) - expected
		sum += off * off / expected
	}
	return sum
}

// chiSquareLimit is the value a fair draw passes once in a thousand million runs (Wilson and Hilferty's approximation at
// six standard deviations).
func chiSquareLimit(freedom int) float64 {
	f := float64(freedom)
	return f * math.Pow(1-2/(9*f)+6*math.Sqrt(2/(9*f)), 3)
}

func TestADrawFailsWhenItsSourceOrItsDeclarationDoes(t *testing.T) {
	if _, err := recipe.Characters(&broken{left: 40}, "hex", 64); !errors.Is(err, errBroken) {
		t.Errorf("a broken source: got %v", err)
	}
	if _, err := recipe.Bytes(bytes.NewReader(make([]byte, 31)), 32); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a source that ends early: got %v", err)
	}
	for name, draw := range map[string]func() ([]byte, error){
		"a set nobody knows":   func() ([]byte, error) { return recipe.Characters(rand.Reader, "ascii", 8) },
		"no characters at all": func() ([]byte, error) { return recipe.Characters(rand.Reader, "hex", 0) },
		"fewer than none":      func() ([]byte, error) { return recipe.Bytes(rand.Reader, -1) },
	} {
		if drawn, err := draw(); err == nil || drawn != nil {
			t.Errorf("%s was drawn", name)
		}
	}
}

func TestTheSameSourceGivesTheSameValueAndTwoSourcesTwo(t *testing.T) {
	draw := func(seed byte) []byte {
		return must(recipe.Characters(mathrand.NewChaCha8([32]byte{seed}), "alphanumeric", 64))(t)
	}
	if !slices.Equal(draw(1), draw(1)) || slices.Equal(draw(1), draw(2)) {
		t.Error("the value does not follow its source")
	}
}
