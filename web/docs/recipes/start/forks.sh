http_proxy='' curl -q -sS --compressed --fail -L --max-redirs 0 https://dg.example.org/api/v1/forks \
  -H @- <<<"Authorization: Bearer $(LC_ALL=C tr -d '[:space:]\357\273\277' <<<"${DG_KEY:?}")"
