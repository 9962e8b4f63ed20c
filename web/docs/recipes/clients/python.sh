python3 -m venv venv && . venv/bin/activate && pip install certifi urllib3 python-dateutil six
npx --yes @openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2 \
  generate -g python -o dg -i https://dg.example.org/openapi/v1.json
PYTHONPATH=dg venv/bin/python3 first.py
