#!/bin/sh
# Creates a role for each service, which can log in and owns nothing; "npm start -- migrate --grant-to 'platform_{service}'"
# gives it the rights to read and write the rows of its own database. It may be repeated: then it sets the passwords.
#
# Passwords are in IDENTITY_DATABASE_PASSWORD and so on. The image of PostgreSQL runs this script when it sets up a new volume.
# By hand: PGHOST=... PGUSER=... sh create-roles.sh, as a user who may create roles.
set -eu
export PGUSER="${PGUSER:-$POSTGRES_USER}"

for service in identity gym wizard nutrition content squad; do
  variable="$(echo "$service" | tr '[:lower:]' '[:upper:]')_DATABASE_PASSWORD"
  eval "password=\${$variable:-}"
  if [ -z "$password" ]; then
    echo "$variable is not set" >&2
    exit 1
  fi
  psql --set ON_ERROR_STOP=1 --quiet --dbname postgres --set role="platform_$service" --set password="$password" <<'SQL'
select format('create role %I login', :'role') where not exists (select from pg_roles where rolname = :'role') \gexec
alter role :"role" password :'password';
SQL
done
