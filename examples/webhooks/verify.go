// Package webhooks verifies webhooks from Limen.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

var (
	timestampPattern = regexp.MustCompile(`^[0-9]{1,12}$`)
	signaturePattern = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)
)

// IsGenuine reports whether a webhook was signed with one of your API keys in the last five minutes.
//
// Pass rawBody from io.ReadAll(request.Body), request.Header.Get("X-Service-Timestamp"),
// request.Header.Get("X-Service-Signature") and time.Now(). Pass both API keys while you replace one
// by another.
func IsGenuine(rawBody []byte, timestamp, signature string, apiKeys []string, now time.Time) bool {
	if !timestampPattern.MatchString(timestamp) || !signaturePattern.MatchString(signature) {
		return false
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return false
	}
	received, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
	if err != nil {
		return false
	}
	for _, apiKey := range apiKeys {
		mac := hmac.New(sha256.New, []byte(apiKey))
		mac.Write([]byte(timestamp + "."))
		mac.Write(rawBody)
		if hmac.Equal(mac.Sum(nil), received) {
			return true
		}
	}
	return false
}
