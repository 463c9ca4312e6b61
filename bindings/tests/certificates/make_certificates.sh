#!/bin/sh
# Make the certificates of the TLS tests in the folder $1: two nodes of one
# authority, one whose time is over, and a stranger with an authority of its own.
set -eu
cd "$1"

key() {
  openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 \
    -out "$1.key"
}

authority() {
  key "$1"
  openssl req -x509 -key "$1.key" -subj "/CN=$1" -days 3650 -out "$1.pem"
}

# node NAME AUTHORITY DAYS
node() {
  key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.request"
  openssl x509 -req -in "$1.request" -CA "$2.pem" -CAkey "$2.key" \
    -CAcreateserial -days "$3" -out "$1.pem" 2>/dev/null
}

authority home
authority abroad
node one home 3650
node two home 3650
node expired home -1
node stranger abroad 3650
openssl pkey -in one.key -aes256 -passout pass:open -out locked.key
