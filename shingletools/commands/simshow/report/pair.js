// A pair side by side; on a small screen one text at a time, with a switch.
const NARROW = matchMedia('(max-width: 44rem)');
const BUDGET = 3000; // pieces that are marked at a time: elements for megabytes of them would take minutes
const SHARED = { most: 6000, kept: 2500 }; // letters of a piece that are shown, and of each end of a longer one
const PLAIN = { most: 1500, kept: 500 }; // the same for text between passages
const MORE = { most: 100000, kept: 50000 };

// The next blank on one side of a place, or the place itself if none is near
function blank(text, place, by) {
  for (let at = place; Math.abs(at - place) < 20; at += by) if (/\s/.test(text[at])) return at;
  return whole(text, place);
}

// A stretch of a text; of a long one, its ends and a button for more
function stretch(text, from, to, { most, kept }) {
  if (to - from <= most) return [visible(text.slice(from, to))];
  const [first, last] = [blank(text, from + kept, -1), blank(text, to - kept, 1)];
  const more = element('button', {
    type: 'button', class: 'more',
    click: (event) => {
      event.stopPropagation();
      more.replaceWith(...stretch(text, first, last, MORE));
    },
  }, `… ${plural(last - first, 'character')} more …`);
  return [visible(text.slice(from, first)), more, visible(text.slice(last, to))];
}

class Pair {
  constructor(place) {
    this.place = place;
    this.documents = [pairs.a[place], pairs.b[place]];
    this.passages = parsed(`p${place}`);
    this.budget = BUDGET;
    this.current = -1;
    this.panes = [0, 1].map((side) => element('div', {
      class: 'text', role: 'region', tabindex: 0, 'aria-label': `Text of ${nameOf(this.documents[side])}`,
    }));
    this.rest = element('p');
    // Near-copies are easier to read if only what differs is coloured
    this.views = choice('What is coloured', ['Differences', 'What both share'],
      sharesQuarters(place, 3) ? 0 : 1, (view) => this.colour(view));
    this.switch = choice('Which text is shown', ['First text', 'Second text'], 0, (side) => this.turn(side));
    this.switch.classList.add('narrow');
    const button = (label, by) => {
      const names = [element('span', { 'aria-hidden': 'true' }, by < 0 ? '←' : '→'), ' ', element('span', { class: 'spelled' }, label)];
      return element('button', { type: 'button', click: () => this.step(by) }, by < 0 ? names : names.reverse());
    };
    this.steps = element('div', { class: 'steps' }, button('Previous passage', -1), button('Next passage', 1));
    this.sides = element('div', { class: 'sides' }, this.panes.map((pane, side) => element('section', { 'aria-labelledby': `side${side}` },
      element('div', {}, element('h3', { id: `side${side}` }, named(this.documents[side]), element('span', { class: 'hint' },
        ` ${plural(lists.words[this.documents[side]], 'word')}${ownOf(place, side) && `, ${ownOf(place, side)}`}`)), fieldsOf(this.documents[side])), pane)));
    this.colour([...this.views.children].findIndex((button) => button.getAttribute('aria-pressed') === 'true'));
    this.turn(0);
    this.draw();
  }

  colour(view) {
    press(this.views, view);
    this.sides.classList.toggle('differ', view === 0);
    this.steps.hidden = this.passages.length <= (view === 0 ? 1 : 0); // one passage without colour is nowhere to go
  }

  turn(side) {
    press(this.switch, side);
    this.sides.setAttribute('data-side', side);
  }

  draw() {
    this.limits = new Map(); // how many pieces are marked, for each passage around the current one
    let left = this.budget;
    const take = (number_) => {
      this.limits.set(number_, Math.min(left, this.passages[number_][5].length));
      left -= Math.max(1, this.passages[number_][5].length);
    };
    const middle = Math.max(this.current, 0);
    let [from, to] = [middle, middle];
    while (left > 0 && (from > 0 || to < this.passages.length)) {
      if (to < this.passages.length && (from === 0 || to - middle <= middle - from)) take(to++);
      else take(--from);
    }
    this.panes.forEach((pane, side) => pane.replaceChildren(...this.side(side)));
    const more = left < 0 || this.limits.size < this.passages.length;
    this.rest.replaceChildren(...(more ? [`Marked: ${number(this.limits.size)} of ${plural(this.passages.length, 'passage')}, `
      + `from ${number(from + 1)} to ${number(to)}, perhaps in part. `,
    element('button', { type: 'button', click: () => this.more() }, 'Mark more')] : []));
  }

  more() {
    this.budget += BUDGET;
    this.draw();
    say(`Marked: ${plural(this.limits.size, 'passage')}`);
  }

  side(side) {
    const text = textOf(this.documents[side]);
    const [start, end] = [2 * side, 2 * side + 1];
    const order = [...this.limits.keys()].sort((one, other) =>
      this.passages[one][start] - this.passages[other][start] || one - other);
    const made = [];
    let place = 0;
    const all = order.length === this.passages.length; // else passages that are not marked stand in the gaps
    const between = (to) => {
      const only = all && LETTER.test(text.slice(place, to)) ? place + signs(text, place, to) : to;
      made.push(...stretch(text, place, only, PLAIN));
      if (only < to) made.push(element('span', { class: 'only' }, stretch(text, only, to, PLAIN)));
    };
    for (const number_ of order) {
      const passage = this.passages[number_];
      between(Math.max(place, passage[start]));
      place = Math.max(place, passage[start]);
      made.push(this.mark(side, number_, text, place, this.limits.get(number_)));
      place = Math.max(place, passage[end]);
    }
    between(text.length);
    return made;
  }

  mark(side, number_, text, from, limit) {
    const passage = this.passages[number_];
    const [kind, start, end] = [1 + side, 1 + 2 * side, 2 + 2 * side]; // places in a piece for this side
    const made = [];
    let place = from;
    for (const piece of passage[5].slice(0, limit)) {
      if (piece[0] !== 0 && piece[0] !== kind) continue;
      const begins = Math.max(place, piece[start]);
      made.push(...stretch(text, place, begins, SHARED));
      place = Math.max(begins, piece[end]);
      const content = stretch(text, begins, place, SHARED);
      if (piece[0]) made.push(element(side ? 'ins' : 'del', {}, content));
      else if (piece[6]) made.push(element('span', { class: 'template' }, content));
      else made.push(...content);
    }
    made.push(...stretch(text, place, Math.max(place, passage[2 * side + 1]), SHARED));
    return element('mark', {
      class: `c${number_ % TONES}${isTemplate(passage) ? ' template' : ''}`, id: `${'ab'[side]}${number_}`,
      click: () => this.align(number_, side),
    }, element('button', {
      type: 'button', class: 'number', 'aria-label': `Passage ${number_ + 1}: bring the other text to it`,
    }, String(number_ + 1)), made);
  }

  // Scrolls the other text's passage to the height of this one; without a side, both to the upper third. On a small
  // screen, shows the passage in the other text
  align(number_, side) {
    const marks = [0, 1].map((each) => byId(`${'ab'[each]}${number_}`));
    if (NARROW.matches) {
      if (side !== undefined) this.turn(1 - side);
      marks[Number(this.sides.getAttribute('data-side'))].scrollIntoView({ block: 'center' });
    } else this.level(marks, side);
    this.panes.forEach((pane) => pane.querySelector('.current')?.classList.remove('current'));
    marks.forEach((mark) => mark.classList.add('current'));
    this.current = number_;
    const template = isTemplate(this.passages[number_]) ? ', all of it template' : '';
    say(`Passage ${number(number_ + 1)} of ${number(this.passages.length)}: ${plural(this.passages[number_][4], 'equal word')}${template}`);
  }

  level(marks, side) {
    const height = (each) => marks[each].getClientRects()[0].top - this.panes[each].getBoundingClientRect().top;
    const scroll = (each, to) => {
      this.panes[each].scrollTop += height(each) - to;
    };
    if (side === undefined) [0, 1].forEach((each) => scroll(each, this.panes[each].clientHeight / 3));
    const near = side ?? 0;
    scroll(1 - near, height(near));
    scroll(near, height(1 - near)); // if the other text could not scroll so far
  }

  step(by) {
    if (!this.passages.length) return say('Nothing is shared');
    const next = this.current < 0 ? 0 : (this.current + by + this.passages.length) % this.passages.length;
    if (!this.limits.has(next)) {
      this.current = next;
      this.draw();
    }
    this.align(next);
    const side = NARROW.matches ? Number(this.sides.getAttribute('data-side')) : 0;
    return byId(`${'ab'[side]}${next}`).querySelector('button').focus({ preventScroll: true });
  }

  show(main) {
    const [a, b] = this.documents;
    const { place } = this;
    const group = groups.findIndex(({ members }) => members.includes(a) && members.includes(b));
    const of = (document_) => percent(pairs.shared[place], lists.words[document_]);
    const copies = areCopies(place);
    main.append(
      heading(named(a), ' and ', named(b)),
      turns('pair', place, pairList, group < 0 ? null : element('a', { href: `#group/${group}` }, 'Their group')),
      facts(answers.length && answerOf(place) && ['Answer', visible(short(answerOf(place)))], ['Similarity', share(pairs.similarity[place])], ['Jaccard', share(pairs.jaccard[place])],
        ['Containment', share(pairs.containment[place])],
        ['Words shared', `${number(pairs.shared[place])} (${of(a)} and ${of(b)})`],
        ['Longest run', plural(pairs.longest[place], 'word')], ['Passages', number(this.passages.length)]),
      copies ? element('p', { class: 'hint' }, 'Both have the same words in the same order.') : strip(place, 0),
      element('details', {}, element('summary', {}, 'What this shows'), element('p', {},
        'What only one text has is coloured, or what both share: then passages have the same number in both texts. Click a '
        + 'passage, or its number, to see it in the other text. Inside passages: ', element('del', {}, 'words of the first text only'), ', ',
        element('ins', {}, 'words of the second text only'), ', ', element('span', { class: 'template' }, 'template'),
        ', which is words in many of the documents. Control characters and invisible ones are shown as ⟦U+…⟧.')),
      element('div', { class: 'turns tools' }, this.switch, decider(place), copies ? null : this.views,
        this.steps),
      this.rest,
      this.sides);
    for (const pane of this.panes) pane.classList.toggle('long', pane.scrollHeight > pane.clientHeight);
  }
}
