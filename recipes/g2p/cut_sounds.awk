# Cuts the sounds of each word into as many parts as it has letters, so that every letter has its
# own: the sounds of "xenon" into k+s, ɛ, n, o and n. A silent letter has the part "_".
#
#   awk -f cut_sounds.awk WORDS [OTHERS]
#
# A line is the letters of a word, a tab and its sounds, with spaces between letters and between
# sounds. Prints a line of parts for each line. How often a letter makes a part is learnt from WORDS
# by expectation maximisation over all ways to cut them; then everything is cut in the likeliest
# way.
#
# A cut is a path from (0 letters, 0 sounds) to (all, all). A point of it is one number, the letters
# times `row` plus the sounds, since numbers are fast as indices; a step is a point times `sizes`
# plus the sounds of the letter's part.

BEGIN {
  FS = "\t"
  # Parts of one sound are usual, so that a part is not what an odd word has as a whole.
  usual[0] = 0.3; usual[1] = 1; usual[2] = 0.1; usual[3] = 0.01
}

NF != 2 || $1 !~ /[^ ]/ {
  print FILENAME ": line " FNR ": expected letters, a tab and sounds" > "/dev/stderr"
  exit failed = 1
}
{ words[++count] = $0 }
FILENAME == ARGV[1] { known = count }

END {
  if (failed) exit 1
  for (round = 1; round <= 8; ++round) {
    for (w = 1; w <= known; ++w) {
      read_word(words[w])
      expect()
    }
    for (made in times) {
      split(made, pair, SUBSEP)
      share[made] = times[made] / total[pair[1]]
    }
    split("", times); split("", total)
  }
  for (w = 1; w <= count; ++w) {
    read_word(words[w])
    print best_parts()
  }
}

# Also sets text and weight of each step.
function read_word(word,   column, i, begin, size, point, made) {
  split(word, column, "\t")
  letters = split(column[1], letter, " ")
  sounds = split(column[2], sound, " ")
  row = sounds + 1
  most = 3
  while (most * letters < sounds) ++most
  sizes = most + 1
  for (begin = 0; begin <= sounds; ++begin) {
    text[begin * sizes] = "_"
    made = sound[begin + 1]
    for (size = 1; size <= most && begin + size <= sounds; ++size) {
      text[begin * sizes + size] = made
      made = made "+" sound[begin + size + 1]
    }
  }
  for (i = 0; i < letters; ++i)
    for (begin = 0; begin <= sounds; ++begin) {
      point = (i * row + begin) * sizes
      for (size = 0; size <= most && begin + size <= sounds; ++size) {
        made = share[letter[i + 1], text[begin * sizes + size]]
        weight[point + size] = usual[size < 3 ? size : 3] * (round == 1 ? 1 : made + 1e-9)
      }
    }
}

# Adds to `times` how often each letter of the word is expected to make each part.
function expect(   i, begin, size, point, next_point, value, before, after) {
  before[0] = 1
  for (i = 0; i < letters; ++i)
    for (begin = 0; begin <= sounds; ++begin) {
      point = i * row + begin
      if (before[point] == 0) continue
      for (size = 0; size <= most && begin + size <= sounds; ++size)
        before[point + row + size] += before[point] * weight[point * sizes + size]
    }
  after[letters * row + sounds] = 1
  for (i = letters - 1; i >= 0; --i)
    for (begin = 0; begin <= sounds; ++begin) {
      point = i * row + begin
      for (size = 0; size <= most && begin + size <= sounds; ++size) {
        next_point = point + row + size
        if (after[next_point] == 0) continue
        value = weight[point * sizes + size] * after[next_point]
        after[point] += value
        value *= before[point] / before[letters * row + sounds]
        if (value < 1e-4) continue
        times[letter[i + 1], text[begin * sizes + size]] += value
        total[letter[i + 1]] += value
      }
    }
}

function best_parts(   i, begin, size, point, next_point, value, best, taken, parts) {
  best[0] = 1
  for (i = 0; i < letters; ++i)
    for (begin = 0; begin <= sounds; ++begin) {
      point = i * row + begin
      if (best[point] == 0) continue
      for (size = 0; size <= most && begin + size <= sounds; ++size) {
        next_point = point + row + size
        value = best[point] * weight[point * sizes + size]
        if (value > best[next_point]) { best[next_point] = value; taken[next_point] = size }
      }
    }
  point = letters * row + sounds
  for (i = letters; i > 0; --i) {
    size = taken[point]
    point -= row + size
    parts = text[point % row * sizes + size] (i < letters ? " " parts : "")
  }
  return parts
}
