"""Lints and renders a chart.

Input: a JSON object with `chart` (folder), `release`, `namespace` and `values` (the text of a values file).
Output: a JSON object with `problems` (of lint and of values.schema.json) and `manifests` (text by file; none with problems).
"""

import json
import sys

import helm_python as helm

WARNING = 2

request = json.load(sys.stdin)
values = helm.values_from_yaml(request["values"])
report = helm.lint(request["chart"], values, strict=True)
problems = [
    f"{message['path']}: {message['error']}" for message in report["messages"] if message["severity"] >= WARNING
]
manifests = {}
if not problems:
    with helm.Chart.load(request["chart"]) as chart:
        chart.validate_schema(values)
        manifests = chart.render(values, name=request["release"], namespace=request["namespace"])
json.dump({"problems": problems, "manifests": manifests}, sys.stdout)
