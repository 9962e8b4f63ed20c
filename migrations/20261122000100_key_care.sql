-- +goose Up
-- What an organisation notes about a key, and what became of its requests.

alter table api_keys add column description text not null default '' check (char_length(description) <= 200);

-- One row for each key and UTC day with requests, for 30 days. Instances add what they counted in memory about once a minute.
create table api_key_usage (
    org_id   uuid not null references organisations,
    key_id   text collate "C" not null, -- no foreign key: it would lock the key's row
    day      date not null,
    accepted bigint not null,
    refused  bigint not null,
    limited  bigint not null,
    primary key (key_id, day)
) with (fillfactor = 80);
create index api_key_usage_day on api_key_usage (day);
