#!/bin/bash
# A terminal and Avahi in a network of their own. $1: a directory; $2: the command poid. Says what a till sees.
set -euo pipefail
dir=$1 poid=$2
running=()
trap 'kill "${running[@]}" 2> /dev/null || true; wait || true' EXIT
ip link set lo up
# Both ends stay here: what is sent to the group on one is heard on the other.
ip link add poid0 type veth peer name poid1
ip address add 192.168.77.2/24 dev poid0
ip link set poid0 multicast on up
ip link set poid1 up
mount -t tmpfs none /run
mkdir -p /run/dbus /run/avahi-daemon
mount --bind "$dir/root/etc/avahi/services" /etc/avahi/services
hostname "$(cat "$dir/root/etc/hostname")"

until_true() { for _ in $(seq 300); do if "$@"; then return 0; fi; sleep 0.05; done; echo "never: $*" >&2; return 1; }
listens() { curl -sk -o /dev/null "https://192.168.77.2:$1/sp/v1/status"; }
browse() { timeout 20 avahi-browse --resolve --parsable --terminate _poid._tcp | grep '^=;poid0;IPv4;' || true; }
# What was told stays in $told: another look may come back with nothing.
tells() { told=$(browse) && [[ $told == *"$1"* ]]; }
silent() { [ -z "$(browse)" ]; }

dbus-daemon --system --nofork --nopidfile --nosyslog 2> /dev/null & running+=($!)
until_true test -S /run/dbus/system_bus_socket
printf '[server]\nuse-ipv6=no\n' > "$dir/avahi.conf"
avahi-daemon --file="$dir/avahi.conf" --no-drop-root --no-chroot --no-rlimits 2> "$dir/avahi.log" & running+=($!)

terminal() {
  "$poid" run --config "$dir/root/etc/poid/poid.json" --state-dir "$dir/root/var/lib/poid" --port "$1" --screen-port 0 \
    > /dev/null 2>> "$dir/poid.log" & pid=$!
  running+=("$pid")
  until_true listens "$1"
}
terminal 8443
"$poid" announce --root "$dir/root"
until_true tells ';8443;'
echo "first $told"

IFS=';' read -r _ _ _ _ _ _ name address port _ <<< "$told"
echo "resolved $(avahi-resolve -4 -n "$name")"
echo "certificate $(openssl s_client -connect "$address:$port" < /dev/null 2> /dev/null | openssl x509 -noout -fingerprint -sha256)"
call() { curl -sk -o /dev/null -w '%{http_code}' --resolve "$1:$port:$address" "https://$1:$port/sp/v1/status"; }
echo "own $(call "$name") other $(call terminal-other.local)"

# Another port and another certificate: what the unit does at the next start.
kill "$pid"; wait "$pid" || true
rm "$dir/root/var/lib/poid/tls.pem"
sed -i 's/8443/9443/' "$dir/root/etc/poid/poid.json"
terminal 9443
"$poid" announce --root "$dir/root"
until_true tells ';9443;'
echo "second $told"

kill "$pid"; wait "$pid" || true
"$poid" factory-reset --root "$dir/root" --yes PT-000123 > /dev/null
until_true silent
echo "reset $(browse)"
