import os, requests

key = {"Authorization": "Bearer " + os.environ["DG_KEY"]}
answer = requests.get("https://dg.example.org/api/v1/forks", headers=key, timeout=30, allow_redirects=False)
if answer.status_code != 200:
    raise SystemExit(f"{answer.status_code} {answer.text}")
print(answer.text)
