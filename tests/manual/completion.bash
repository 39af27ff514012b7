#!/usr/bin/env bash
# Asks bash what it completes after these words.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir 'a folder' models
touch 'a file.en' plain.de
source <("$HEED_PROGRAM" manual --completion bash)

failed=0
complete_words() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _heed || true
}
# expect ANSWERS WORD...: exactly these, separated by bars.
expect() {
  local answers=$1 found
  shift
  complete_words "$@"
  found=$(IFS='|' && echo "${COMPREPLY[*]}")
  [ "$found" = "$answers" ] || { echo "$*: $found, expected: $answers" && failed=1; }
}

[ "$(complete -p heed)" = 'complete -F _heed heed' ] || { complete -p heed && failed=1; }
expect 'train|translate' heed tr
expect '--version' heed --v
expect '--format' heed train --fo
expect 'text|tsv|tmx' heed train --format t
expect 'text|tsv|tmx' heed train --format = t
expect 'text|tsv|jsonl|tmx|po|mo' heed train --format =
expect 'causal|window:' heed attend --mask ''
expect 'true|false' heed train --gated ''
expect '0|1' heed attention --first-word ''
# Files with any name, as many as a flag takes, and then none.
expect 'a file.en|a folder' heed translate --input a
expect 'plain.de' heed train --train 'a file.en' p
expect '--model' heed train --train 'a file.en' plain.de --mod
expect 'plain.de' heed corpus --output x p
# A value that may be left out.
expect 'plain.de' heed attention --json p
expect '--part|--pieces' heed attention --json --p
expect '' heed corpus --output x y p
# Folders, for flags and for arguments, also after a flag without a value.
expect 'models' heed translate --model m
expect 'a folder' heed convert --int8 a
expect 'models' heed convert x m
expect '--float16' heed convert x --f
# A value of another kind: nothing that could be wrong.
expect '' heed translate --beam ''
expect 'bash|zsh|fish' heed manual --completion ''
expect '' heed nothing ''

# Every command, and every flag of its help.
commands=$("$HEED_PROGRAM" --help |
  awk '/^Subcommands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
flags=0
for command in $commands; do
  complete_words heed "$command"
  [[ " ${COMPREPLY[*]} " = *" $command "* ]] || { echo "no $command" && failed=1; }
  for flag in $("$HEED_PROGRAM" "$command" --help | grep -oE '^  --[a-z0-9-]+'); do
    complete_words heed "$command" "$flag"
    [[ " ${COMPREPLY[*]} " = *" $flag "* ]] || { echo "no $command $flag" && failed=1; }
    flags=$((flags + 1))
  done
done
[ $flags -gt 100 ] || { echo "only $flags flags" && failed=1; }
exit $failed
