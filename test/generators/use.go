// Pays by the client that openapi-generator has made, and decodes every example by it and by that of oapi-codegen;
// tells what came of it as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"carat/dev/generators/carat"
)

type given struct {
	APIKey   string                       `json:"apiKey"`
	Secret   string                       `json:"secret"`
	Payment  json.RawMessage              `json:"payment"`
	Amounts  []float64                    `json:"amounts"`
	Examples map[string][]json.RawMessage `json:"examples"`
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func decode[T any](examples []json.RawMessage) []any {
	made := []any{}
	for _, example := range examples {
		var value T
		must(0, json.Unmarshal(example, &value))
		made = append(made, value)
	}
	return made
}

type told struct {
	Amounts [][]any          `json:"amounts"`
	Total   int64            `json:"total"`
	Refused [][]any          `json:"refused"`
	Decoded map[string][]any `json:"decoded"`
	Oapi    map[string][]any `json:"oapi"`
}

func main() {
	var in given
	must(0, json.NewDecoder(os.Stdin).Decode(&in))
	settings := carat.NewConfiguration()
	settings.Servers = carat.ServerConfigurations{{URL: os.Args[1]}}
	client := carat.NewAPIClient(settings)
	request := carat.NewTokenRequest("client_credentials")
	request.SetClientId(in.APIKey)
	request.SetClientSecret(in.Secret)
	token, _, err := client.AccessAPI.IssueToken(context.Background()).TokenRequest(*request).Execute()
	must(0, err)
	ctx := context.WithValue(context.Background(), carat.ContextAccessToken, token.AccessToken)
	pay := func(number int, amount float64) (*carat.Payment, *http.Response, error) {
		var body carat.PaymentRequest
		must(0, json.Unmarshal(in.Payment, &body))
		body.ExternalId = "go-" + strconv.Itoa(number)
		body.Price = carat.PositiveAmountRequest{Float64: &amount}
		body.PaidPrice = carat.PositiveAmountRequest{Float64: &amount}
		return client.PaymentsAPI.CreatePayment(ctx).PaymentRequest(body).Execute()
	}
	out := told{Decoded: map[string][]any{}, Oapi: map[string][]any{}}
	var first, node string
	for number, amount := range in.Amounts {
		made, _, err := pay(number, amount)
		must(0, err)
		read, _, err := client.PaymentsAPI.GetPayment(ctx, made.Id).Execute()
		must(0, err)
		out.Amounts = append(out.Amounts, []any{read.PaidPrice, read.PaidPriceUnits})
		if number == 0 {
			first, node = made.Id, made.NodeId
		}
	}
	list, _, err := client.PaymentsAPI.ListPayments(ctx).NodeId(node).PerPage(100).Execute()
	must(0, err)
	out.Total = list.Total
	for _, amount := range in.Amounts[:2] {
		_, response, err := pay(0, amount)
		problem := err.(*carat.GenericOpenAPIError).Model().(carat.Problem)
		out.Refused = append(out.Refused, []any{response.StatusCode, problem.Code, problem.GetExistingId() == first})
	}
	decodeAll(in.Examples, out.Decoded, out.Oapi)
	must(0, json.NewEncoder(os.Stdout).Encode(out))
}
