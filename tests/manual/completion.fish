#!/usr/bin/env bash
# Asks fish what it completes after these words.
set -euo pipefail
command -v fish > /dev/null || { echo "skipped: fish is missing" && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder XDG_CONFIG_HOME=$folder/.config XDG_DATA_HOME=$folder/.data
mkdir 'a folder' models
touch 'a file.en' plain.de
"$HEED_PROGRAM" manual --completion fish > .heed.fish

failed=0
# expect ANSWERS LINE: exactly these, in any order, separated by bars.
expect() {
  local found
  found=$(fish --no-config -c \
    'source .heed.fish; complete -C "$argv[1]" | string split -f 1 \t; true' "$2" |
    sort | paste -s -d '|')
  [ "$found" = "$1" ] || { echo "$2: $found, expected: $1" && failed=1; }
}

expect 'train|translate' 'heed tr'
expect '--version' 'heed --v'
expect '--format' 'heed train --fo'
expect 'jsonl|mo|po|text|tmx|tsv' 'heed train --format '
expect '--format=text|--format=tmx|--format=tsv' 'heed train --format=t'
expect 'causal|window:' 'heed attend --mask '
expect 'a file.en|a folder/' 'heed translate --input a'
expect 'plain.de' 'heed train --train x p'
expect 'plain.de' 'heed attention --json p'
expect '--part|--pieces' 'heed attention --json --p'
expect 'models/' 'heed translate --model m'
expect 'a folder/' 'heed convert --int8 a'
expect 'models/' 'heed convert x m'
expect '' 'heed translate --beam '
expect '' 'heed translate p'
expect 'bash|fish|zsh' 'heed manual --completion '

# Every command, and every flag of its help.
all=$(fish --no-config -c 'source .heed.fish
  for command in (complete -C "heed " | string split -f 1 \t)
    complete -C "heed $command --" | string replace -r \t.\* "" | string replace -r ^ "$command "
  end')
commands=$("$HEED_PROGRAM" --help |
  awk '/^Subcommands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
for command in $commands; do
  for flag in $("$HEED_PROGRAM" "$command" --help | grep -oE '^  --[a-z0-9-]+'); do
    grep -qxF -- "$command $flag" <<< "$all" || { echo "no $command $flag" && failed=1; }
  done
done
[ "$(wc -l <<< "$all")" -gt 100 ] || { echo "only: $all" && failed=1; }
exit $failed
