"""Pays by the client that openapi-generator has made, and decodes every example; tells what came of it as JSON."""
import json
import sys

import openapi_client as carat

url, given = sys.argv[1], json.loads(sys.stdin.read())
plain = carat.Configuration(host=url)
token = carat.AccessApi(carat.ApiClient(plain)).issue_token(
    carat.TokenRequest(grant_type="client_credentials", client_id=given["apiKey"], client_secret=given["secret"])
)
payments = carat.PaymentsApi(carat.ApiClient(carat.Configuration(host=url, access_token=token.access_token)))


def pay(number, amount):
    body = carat.PaymentRequest.from_dict({**given["payment"], "external_id": f"python-{number}"})
    body.price = carat.PositiveAmountRequest(amount)
    body.paid_price = carat.PositiveAmountRequest(amount)
    return payments.create_payment(body)


made = [pay(number, amount) for number, amount in enumerate(given["amounts"])]
read = [payments.get_payment(payment.id) for payment in made]
listed = payments.list_payments(node_id=given["payment"]["node_id"], per_page=100)
refused = []
for amount in given["amounts"][:2]:
    try:
        pay(0, amount)
    except carat.ApiException as error:
        problem = carat.Problem.from_json(error.body)
        refused.append([error.status, problem.code, str(problem.existing_id) == str(made[0].id)])

decoded = {}
for name, examples in given["examples"].items():
    model = getattr(carat, name, None)
    if model is not None and hasattr(model, "from_dict"):
        decoded[name] = [json.loads(model.from_dict(example).to_json()) for example in examples]
print(
    json.dumps(
        {
            "amounts": [[payment.paid_price, payment.paid_price_units] for payment in read],
            "total": listed.total,
            "refused": refused,
            "decoded": decoded,
        }
    )
)
