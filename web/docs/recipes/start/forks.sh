curl -sS https://dg.example.org/api/v1/forks \
  -H @- <<<"Authorization: Bearer $DG_KEY"
