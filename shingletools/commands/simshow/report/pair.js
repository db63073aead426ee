// A pair, in rows: both texts side by side, or on a small screen one above the other; what is equal, and long, is folded
const LONG = { most: 400, kept: 120 }; // letters of both, as in `stretch`, where differences are shown
const SHARED = { most: 6000, kept: 2500 }; // letters of a piece that are shown
const PLAIN = { most: 1500, kept: 500 }; // the same of what only one has
const ROWS = 200; // that are drawn at a time: elements for megabytes would take minutes
const IN_ROW = 40; // pieces in a row
const [DIFFERENCES, SHARES] = [0, 1]; // views

// The rows of a pair: for each side, stretches [from, to, number, template]. Those with a number are coloured: differences,
// or passages that both share. fold: whether the row is folded. count: how many numbers there are
function rowsOf(pair, view) {
  const texts_ = [pairs.a[pair], pairs.b[pair]].map(textOf);
  const pieces = piecesOf(pair, 0);
  const rows = [];
  const at = [0, 0]; // how far either text is in rows
  let [row, before, count, counted] = [null, BOTH, 0, -1];
  const open = () => {
    row = { sides: [[], []], size: 0 };
    rows.push(row);
  };
  const add = (side, [from, to], number_, template) => {
    const start = Math.max(at[side], from);
    if (start > at[side]) row.sides[side].push([at[side], start]);
    if (to > start) row.sides[side].push([start, to, number_, template]);
    at[side] = Math.max(at[side], to);
  };
  open();
  pieces.forEach(({ kind, here, there, passage, anew, template, words }, place) => {
    const gap = passage === undefined && words && words[1] - words[0] > LONG.most;
    if ((gap && !row.gap) || (passage !== undefined && row.gap) || (anew && there[0] !== at[1]) || row.size >= IN_ROW) open();
    row.gap ||= gap;
    row.size += 1;
    if (anew) [at[1]] = there;
    if (kind !== BOTH) {
      if (view === DIFFERENCES && words && before === BOTH) count += 1;
      add(kind === HERE ? 0 : 1, words ?? (kind === HERE ? here : there), view === DIFFERENCES && words ? count - 1 : undefined);
    } else {
      if (view === SHARES && passage !== counted) count += 1;
      counted = passage;
      const put = (side, to) => add(side, [Math.max(at[side], [here, there][side][0]), to], view === SHARES ? count - 1 : undefined, template);
      if (view === DIFFERENCES && here[1] - here[0] > LONG.most) { // its ends stay, but at the ends of the texts
        const [begins, ends] = [place === 0 && pieces.length > 1, place === pieces.length - 1 && place > 0];
        if (!begins) [here, there].forEach(([from], side) => put(side, blank(texts_[side], from + LONG.kept, -1)));
        open();
        row.fold = true;
        [here, there].forEach(([, to], side) => put(side, ends ? to : Math.max(at[side], 1 + blank(texts_[side], to - LONG.kept, 1))));
        open();
      }
      [here, there].forEach(([, to], side) => put(side, to));
    }
    if (kind === BOTH || words) before = kind;
  });
  return { rows: rows.filter(({ sides }) => sides.some((each) => each.length)), count };
}

class Pair {
  constructor(place) {
    this.place = place;
    this.documents = [pairs.a[place], pairs.b[place]];
    // Near-copies are easier to read if only what differs is coloured
    this.views = choice('What is coloured', ['Differences', 'What both share'], 0, (view) => this.colour(view));
    const button = (label, by) => element('button', { type: 'button', click: () => this.step(by) }, label);
    this.said = element('span', { class: 'hint' });
    this.steps = element('span', { class: 'turns' }, button('← Previous', -1), button('Next →', 1), this.said);
    this.body = element('div', { class: 'rows' });
    this.colour(sharesQuarters(place, 3) ? DIFFERENCES : SHARES);
  }

  colour(view) {
    press(this.views, view);
    Object.assign(this, rowsOf(this.place, view), { view, current: -1, drawn: 0 });
    this.body.replaceChildren();
    this.steps.hidden = !this.count;
    this.said.textContent = plural(this.count, view === SHARES ? 'passage' : 'difference');
    this.draw();
  }

  draw() {
    this.rest?.remove();
    const next = this.rows.slice(this.drawn, printing ? undefined : this.drawn + ROWS);
    this.drawn += next.length;
    this.rest = this.drawn === this.rows.length ? null
      : element('p', {}, element('button', { type: 'button', click: () => this.draw() }, `Show more of ${plural(this.rows.length, 'row')}`));
    this.body.append(...next.map((row) => this.row(row)), this.rest ?? '');
  }

  row({ sides, fold: folds_ }) {
    const cells = sides.map((stretches, side) => element('div', { class: 'cell', dir: 'auto' }, stretches.map(([from, to, number_, template]) => {
      const text = stretch(textOf(this.documents[side]), from, to, number_ === undefined ? (folds_ ? INNER : PLAIN) : SHARED);
      if (number_ === undefined) return template ? element('span', { class: 'template' }, text) : text;
      return element(this.view === SHARES ? 'mark' : ['del', 'ins'][side],
        { class: template ? 'template' : null, tabindex: -1, 'data-number': number_ }, text);
    })));
    const both = element('div', { class: 'sides' }, cells);
    if (!folds_) return both;
    const size = sides[0].reduce((sum, [from, to]) => sum + to - from, 0);
    return fold(`${plural(size, 'equal character')}`, sought && cells.some((cell) => sought.test(cell.textContent)), both);
  }

  step(by) {
    const what = this.view === SHARES ? 'Passage' : 'Difference';
    if (!this.count) return say(this.view === SHARES ? 'Nothing is shared' : 'Nothing differs');
    this.current = this.current < 0 && by < 0 ? this.count - 1 : (this.current + by + this.count) % this.count;
    const found = () => [...this.body.querySelectorAll(`[data-number="${this.current}"]`)];
    while (!found().length && this.rest) this.draw();
    this.body.querySelectorAll('.current').forEach((each) => each.classList.remove('current'));
    found().forEach((each) => each.classList.add('current'));
    found()[0].focus({ preventScroll: true });
    found()[0].scrollIntoView({ block: 'center' });
    return say(`${what} ${number(this.current + 1)} of ${number(this.count)}`);
  }

  show(main) {
    const [a, b] = this.documents;
    const { place } = this;
    const group = groups.findIndex(({ members }) => members.includes(a) && members.includes(b));
    main.append(
      heading(named(a), ' and ', named(b)),
      turns('pair', place, pairList, group < 0 ? null : element('a', { href: `#group/${group}` }, 'Their group')),
      facts(answerOf(place) && ['Answer', visible(short(answerOf(place)))],
        pairs.similarity[place] === null ? ['Jaccard', share(pairs.jaccard[place])] : ['Similarity', share(pairs.similarity[place])],
        ['Words shared', `${number(pairs.shared[place])} (${percents(place).join(' and ')})`]),
      areCopies(place) ? element('p', { class: 'hint' }, 'Both have the same words in the same order; case and punctuation do not count.') : '',
      element('div', { class: 'turns tools' }, decider(place), areCopies(place) ? null : this.views, this.steps),
      element('div', { class: 'sides' }, this.documents.map((document_, side) => element('div', {}, element('h3', {},
        named(document_), ' ', fate(document_), element('span', { class: 'hint' },
          ` ${plural(lists.words[document_], 'word')}${ownOf(place, side) && `, ${ownOf(place, side)}`}`)),
      fieldsOf(document_, this.documents[1 - side])))),
      this.body);
  }
}
