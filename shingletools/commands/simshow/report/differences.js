// A text as differences from another: what only it has, and what only the other has, in its own order
const SAME = { most: 200, kept: 70 }; // letters of what both have, as in `stretch`
const OTHER = { most: 900, kept: 300 }; // of what one has
const PIECES = 600; // that are shown in one text

const LETTER = /[\p{L}\p{N}]/u; // without one, a gap has no word

// How many letters stand before the first word of a gap: they belong to the word before
const signs = (text, from, to) => Math.max(0, text.slice(from, to).search(LETTER));

// What of the other text is in no passage, by the passage that stands before it there; -1 is its beginning
function withoutPassage(passages, side, length) {
  const found = new Map();
  let [at, last] = [0, -1];
  for (const place of passages.map((_, each) => each).sort((one, other) => passages[one][side] - passages[other][side])) {
    if (passages[place][side] > at) found.set(last, [at, passages[place][side]]);
    at = Math.max(at, passages[place][side + 1]);
    last = place;
  }
  return at < length ? found.set(last, [at, length]) : found;
}

// base: the side, 0 or 1, of the text from which the other differs
function differences(pair, base) {
  const [before, after] = [base, 1 - base].map((side) => textOf([pairs.a[pair], pairs.b[pair]][side]));
  const passages = parsed(`p${pair}`);
  const [there, here] = [2 * base, 2 - 2 * base];
  const made = [];
  let [place, left] = [0, PIECES];
  const plain = (to) => {
    made.push(...stretch(after, place, Math.max(place, to), SAME));
    place = Math.max(place, to);
  };
  const added = (to) => {
    if (!LETTER.test(after.slice(place, to))) return plain(to);
    plain(place + signs(after, place, to));
    made.push(element('ins', {}, stretch(after, place, to, OTHER)));
    place = to;
  };
  const gone = (from, to) => {
    if (!LETTER.test(before.slice(from, to))) return;
    plain(place + signs(after, place));
    made.push(element('del', {}, stretch(before, from + signs(before, from, to), to, OTHER)), ' ');
  };
  const gaps = withoutPassage(passages, there, before.length);
  const removed = (after_) => gone(...(gaps.get(after_) ?? [0, 0]));
  removed(-1);
  for (const number_ of passages.map((_, each) => each).sort((one, other) => passages[one][here] - passages[other][here])) {
    added(passages[number_][here]);
    for (const piece of passages[number_][5]) {
      left -= 1;
      if (left < 0) return [...made, ' … and more; compare both to see all.'];
      if (piece[0] === base + 1) gone(piece[1 + there], piece[2 + there]);
      else if (piece[0]) {
        plain(piece[1 + here]);
        added(piece[2 + here]);
      } else plain(piece[2 + here]);
    }
    plain(passages[number_][here + 1]);
    removed(number_);
  }
  added(after.length);
  return made;
}
