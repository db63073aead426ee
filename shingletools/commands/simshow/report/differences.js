// What two texts share, and what only one of them has
const SAME = { most: 200, kept: 70 }; // letters of what both have, as in `stretch`
const OTHER = { most: 900, kept: 300 }; // of what one has
const PIECES = 600; // that are shown in one text
const [BOTH, HERE, THERE] = [0, 1, 2]; // kinds of pieces

const LETTER = /[\p{L}\p{N}]/u; // without one, a gap has no word

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

// All of two texts in pieces, in the order of one of them, `here`, the side 0 or 1: of both, or of one only. Each has its
// place in either text, the number of its passage, if it is in one, and whether another piece may stand before it there;
// what only one has also the place of its words, without signs before them, if there are any
function piecesOf(pair, here) {
  const texts_ = [here, 1 - here].map((side) => textOf([pairs.a[pair], pairs.b[pair]][side]));
  const [one, two] = [2 * here, 2 - 2 * here]; // of places
  const passages = parsed(`p${pair}`);
  const gaps = withoutPassage(passages, two, texts_[1].length);
  const made = [];
  let place = 0;
  const put = (piece) => {
    const [from, to] = piece.kind === THERE ? piece.there : piece.here;
    const signs = piece.kind === BOTH ? -1 : texts_[piece.kind === THERE ? 1 : 0].slice(from, to).search(LETTER);
    made.push({ ...piece, words: signs < 0 ? null : [from + signs, to] });
  };
  const own = (to) => {
    if (to > place) put({ kind: HERE, here: [place, to] });
    place = Math.max(place, to);
  };
  const other = (after) => {
    if (gaps.has(after)) put({ kind: THERE, here: [place, place], there: gaps.get(after), anew: true });
  };
  other(-1);
  for (const passage of passages.map((_, each) => each).sort((a, b) => passages[a][one] - passages[b][one])) {
    own(passages[passage][one]);
    passages[passage][5].forEach(([kind, ...places], number_) => put({
      kind: kind && (kind === here + 1 ? HERE : THERE), here: places.slice(one, one + 2), there: places.slice(two, two + 2),
      passage, anew: number_ === 0, template: places[5],
    }));
    place = Math.max(place, passages[passage][one + 1]);
    other(passage);
  }
  own(texts_[0].length);
  return made;
}

// A text of a pair with what only it has, and what only the other one has, in its own order. here: its side
function differences(pair, here) {
  const [own, other] = [here, 1 - here].map((side) => textOf([pairs.a[pair], pairs.b[pair]][side]));
  const pieces = piecesOf(pair, here);
  const made = [];
  let place = 0;
  const plain = (to) => {
    made.push(...stretch(own, place, Math.max(place, to), SAME));
    place = Math.max(place, to);
  };
  for (const { kind, here: [, to], words } of pieces.slice(0, PIECES)) {
    if (kind === THERE && words) {
      plain(place + Math.max(0, own.slice(place).search(LETTER))); // signs belong to the word before
      made.push(element('del', {}, stretch(other, ...words, OTHER)), ' ');
    } else if (kind === HERE && words) {
      plain(words[0]);
      made.push(element('ins', {}, stretch(own, place, to, OTHER)));
      place = Math.max(place, to);
    } else if (kind !== THERE) plain(to);
  }
  return pieces.length > PIECES ? [...made, ' … and more; compare both to see all.'] : made;
}
