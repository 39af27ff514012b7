#!/usr/bin/env bash
# Types into zsh in a terminal of its own, and reads what its line editor made of it.
set -euo pipefail
command -v zsh > /dev/null || { echo "skipped: zsh is missing" && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir 'a folder' models .functions
touch 'a file.en' plain.de
"$HEED_PROGRAM" manual --completion zsh > .functions/_heed
zsh -n .functions/_heed

cat > .zshrc <<'RC'
PROMPT='' RPROMPT=''
fpath=($ZDOTDIR/.functions $fpath)
autoload -Uz compinit && compinit -u -d $ZDOTDIR/.dump
# Writes the line, as far as it was completed, to a file, and begins a new one.
keep-line() { print -r -- "$BUFFER" >> $ZDOTDIR/.lines; BUFFER='' }
zle -N keep-line
bindkey '^T' keep-line
RC
# Types what standard input holds, and tabulator and ^T after each line.
cat > .type <<'TYPE'
zmodload zsh/zpty
: > .lines
zpty shell zsh -i
lines=0
while IFS= read -r typed; do
  zpty -w -n shell "$typed"$'\t\x14'
  (( ++lines ))
  for (( tries = 0; tries < 1000 && $(wc -l < .lines) < lines; ++tries )); do
    zpty -r -t shell screen
    sleep 0.01
  done
done
zpty -d shell
TYPE

typed=() wanted=()
expect() { wanted+=("$1") && typed+=("$2"); }

expect 'heed train ' 'heed trai'
expect 'heed translate ' 'heed trans'
expect 'heed --version ' 'heed --vers'
expect 'heed train --format=' 'heed train --forma'
expect 'heed train --format jsonl ' 'heed train --format js'
expect 'heed train --format=jsonl ' 'heed train --format=js'
expect 'heed train --tied-embeddings decoder ' 'heed train --tied-embeddings deco'
expect 'heed attend --mask window:' 'heed attend --mask win'
expect 'heed translate --input plain.de ' 'heed translate --input pl'
expect 'heed translate --input a\ file.en ' 'heed translate --input a\ fi'
expect 'heed train --train x plain.de ' 'heed train --train x pl'
expect 'heed attention --json plain.de ' 'heed attention --json pl'
expect 'heed attention --json --pieces ' 'heed attention --json --piec'
expect 'heed translate --model models/' 'heed translate --model m'
expect 'heed translate --model pl' 'heed translate --model pl'
expect 'heed convert --int8 models/' 'heed convert --int8 m'
expect 'heed convert x models/' 'heed convert x m'
expect 'heed manual --completion zsh ' 'heed manual --completion zs'
expect 'heed nothing pl' 'heed nothing pl'

printf '%s\n' "${typed[@]}" | ZDOTDIR=$folder zsh -f .type
mapfile -t found < .lines
failed=0
for i in "${!typed[@]}"; do
  [ "${found[i]:-}" = "${wanted[i]}" ] ||
    { echo "${typed[i]}: ${found[i]:-nothing}, expected: ${wanted[i]}" && failed=1; }
done

# Every command, and every flag of its help.
for command in $("$HEED_PROGRAM" --help |
  awk '/^Subcommands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
  flags=$(sed -n "/^        '$command') _arguments/,/ ;;$/p" .functions/_heed)
  for flag in $("$HEED_PROGRAM" "$command" --help | grep -oE '^  --[a-z0-9-]+'); do
    grep -qE -- "^ +'[^[]*$flag=?\[| '[^[]*$flag\[" <<< "$flags" ||
      { echo "no $command $flag" && failed=1; }
  done
done
exit $failed
