package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"

	"sample/webhooks"
)

type vector struct {
	Scheme  string            `json:"scheme"`
	Body    []byte            `json:"body_base64"`
	Headers map[string]string `json:"headers"`
	Secret  string            `json:"secret"`
	Now     int64             `json:"now"`
}

func main() {
	var cases []vector
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	judged := []bool{}
	for _, each := range cases {
		now := time.Unix(each.Now, 0)
		headers := http.Header{}
		for name, value := range each.Headers {
			headers.Set(name, value)
		}
		if each.Scheme == "service" {
			judged = append(judged, webhooks.VerifyServiceSignature(each.Body, headers.Get("Service-Signature"), each.Secret, now))
		} else {
			judged = append(judged, webhooks.VerifyStandardWebhook(each.Body, headers, each.Secret, now))
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(judged); err != nil {
		panic(err)
	}
}
