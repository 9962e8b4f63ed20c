import os, requests

key = {"Authorization": "Bearer " + os.environ["DG_KEY"]}
answer = requests.get("https://dg.example.org/api/v1/forks", headers=key, timeout=30)
answer.raise_for_status()
print(answer.text)
