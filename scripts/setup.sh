#!/usr/bin/env bash
# Brings what Quartet needs beside Go: Chromium, tesseract and fonts.
#   setup.sh run    for running workflows
#   setup.sh test   for the tests too (a C compiler for the race detector)
# Installs with apt on Debian and Ubuntu, as root or by sudo; elsewhere it says
# in one line what to install. Does nothing when nothing is missing.
set -euo pipefail
what=${1:-run}

have() { command -v "$1" >/dev/null 2>&1; }
browser() {
	local name
	for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable chrome headless-shell; do
		# Ubuntu's chromium-browser is a stub that only names the snap; ask it for a version.
		have "$name" && timeout 20 "$name" --version >/dev/null 2>&1 && return 0
	done
	return 1
}

if ! have go; then
	echo "quartet: Go 1.26 or later is missing: install it from https://go.dev/dl/ and put it on PATH" >&2
	exit 4
fi

missing=()
browser || missing+=(chromium)
have tesseract || missing+=(tesseract-ocr)
if ! have fc-list || [ -z "$(fc-list 2>/dev/null | head -n 1)" ]; then
	missing+=(fontconfig fonts-dejavu-core fonts-liberation)
fi
if [ "$what" = test ]; then
	have gcc || have cc || missing+=(gcc libc6-dev)
	have git || missing+=(git)
fi
# shell says whether apt knows a headless shell that is not here: the same engine
# without a window, which starts in half the time. It can be done without.
shell() { ! have chromium-headless-shell && [ -n "$(apt-cache search --names-only '^chromium-headless-shell$' 2>/dev/null)" ]; }
root() { [ "$(id -u)" -eq 0 ] || { have sudo && sudo -n true 2>/dev/null; }; }
[ ${#missing[@]} -eq 0 ] && ! { shell && root; } && exit 0

if ! have apt-get; then
	echo "quartet: install these, then run again: Chromium or Chrome, tesseract with English, a TrueType font${what:+ (missing here: ${missing[*]})}" >&2
	exit 4
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! have sudo; then
		echo "quartet: ${missing[*]} missing; as root, run: apt-get install ${missing[*]}" >&2
		exit 4
	fi
	as_root=(sudo)
fi

id=$(. /etc/os-release 2>/dev/null && echo "${ID:-}")
if [ "$id" = ubuntu ] && [[ " ${missing[*]} " == *" chromium "* ]]; then
	# Ubuntu ships Chromium as a snap only, which cannot use a profile of our
	# own; Google's package can.
	missing=("${missing[@]/#chromium/}")
	deb=$(mktemp --suffix=.deb)
	trap 'rm -f "$deb"' EXIT
	echo "quartet: fetching Google Chrome (Ubuntu has no Chromium package)"
	have curl || "${as_root[@]}" apt-get install -y -qq curl ca-certificates >/dev/null
	curl -fsSL -o "$deb" "https://dl.google.com/linux/direct/google-chrome-stable_current_$(dpkg --print-architecture).deb" || {
		echo "quartet: Chrome could not be fetched; install Chrome or Chromium yourself, then run again" >&2
		exit 4
	}
	chmod 644 "$deb"
	missing+=("$deb")
fi

echo "quartet: installing ${missing[*]:-chromium-headless-shell}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq || true
if shell; then
	"${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null || true
fi
[ ${#missing[@]} -eq 0 ] && exit 0
# shellcheck disable=SC2068
"${as_root[@]}" apt-get install -y -qq --no-install-recommends ${missing[@]} >/dev/null || {
	echo "quartet: apt could not install ${missing[*]}; install them yourself, then run again" >&2
	exit 4
}
browser || { echo "quartet: no Chromium or Chrome on PATH after the installation; install one, then run again" >&2; exit 4; }
