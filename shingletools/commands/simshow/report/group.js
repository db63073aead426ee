// A group as strips, one for each document: the representative's text above, the document's own below, and what they
// share
const TONES = 8;
const BLOCKS = 300; // in one strip
const WHOLE = { most: 3000, kept: 1200 }; // letters of the kept text, as in `stretch`
const FOLDED = { most: 800, kept: 400 }; // the same in a large group
const FOLD = 8; // other texts of a group, with more of which it is large

// The strip of a pair; top is the side, 0 or 1, that is above. The upper text fills the width. The lower has the same
// scale, but at most the width
function strip(pair, top, chained) {
  const sides = [pairs.a[pair], pairs.b[pair]];
  const lengths = [top, 1 - top].map((side) => Math.max(1, textOf(sides[side]).length));
  const spans = [100, Math.min(100, (100 * lengths[1]) / lengths[0])];
  const passages = parsed(`p${pair}`).map((passage, place) => ({ place, passage, words: passage[4] }));
  const most = passages.length > BLOCKS ? passages.sort((one, other) => other.words - one.words).slice(0, BLOCKS) : passages;
  const at = (passage, lane, end) => {
    const side = lane ? 1 - top : top;
    return (spans[lane] * passage[2 * side + end]) / lengths[lane];
  };
  const lanes = [0, 1].map((lane) =>
    element('rect', { class: `lane${chained && !lane ? ' chained' : ''}`, y: lane ? 33 : 1, width: `${spans[lane]}%`, height: 14 }));
  const blocks = most.flatMap(({ place, passage }) => [0, 1].flatMap((lane) => {
    const [start, end] = [at(passage, lane, 0), at(passage, lane, 1)];
    const tone = `block c${place % TONES}${isTemplate(passage) ? ' template' : ''}`;
    return [
      element('rect', { class: tone, x: `${start}%`, y: lane ? 33 : 1, width: `${Math.max(0.3, end - start)}%`, height: 14 }),
      end - start > 4 ? element('text', { x: `${(start + end) / 2}%`, y: lane ? 44 : 12 }, String(place + 1)) : null,
    ];
  }));
  const ties = element('svg', { y: 15, width: '100%', height: 18, viewBox: '0 0 100 18', preserveAspectRatio: 'none' },
    most.map(({ place, passage }) => element('polygon', {
      class: `tie c${place % TONES}${isTemplate(passage) ? ' template' : ''}`,
      points: `${at(passage, 0, 0)},0 ${at(passage, 0, 1)},0 ${at(passage, 1, 1)},18 ${at(passage, 1, 0)},18`,
    })));
  return element('svg', { class: 'strip', width: '100%', height: 48, 'aria-hidden': 'true' }, lanes, ties, blocks);
}

const isTemplate = (passage) => passage[5].every((piece) => piece[0] !== 0 || piece[6]) && passage[5].length > 0;

// How many of the documents that have a pair with the first share each hundredth of its text
function coverage(group) {
  const counts = Array(100).fill(0);
  const [first, ...others] = group.members;
  const found = others.map((document_) => pairOf(first, document_))
    .filter((pair) => pair !== undefined && !areCopies(pair)).slice(0, PAGE);
  if (found.length < 2) return [];
  const size = textOf(first).length;
  for (const pair of found) {
    const start = pairs.a[pair] === first ? 0 : 2;
    const shares = new Set();
    for (const passage of parsed(`p${pair}`)) {
      const to = Math.ceil((100 * passage[start + 1]) / size);
      for (let at = Math.floor((100 * passage[start]) / size); at < to; at += 1) shares.add(at);
    }
    for (const at of shares) counts[at] += 1;
  }
  const height = found.length;
  if (counts.every((count) => 10 * count >= 9 * height)) return []; // all of it, which needs no figure
  const steps = counts.map((count, at) => `${at},${height - count} ${at + 1},${height - count}`);
  return [element('p', {}, `How many of ${number(height)} others share each part of it, from its beginning to its end:`),
    element('svg', {
      class: 'strip coverage', width: '100%', height: 32, viewBox: `0 0 100 ${height}`, preserveAspectRatio: 'none',
      'aria-hidden': 'true',
    }, element('polygon', { points: `0,${height} ${steps.join(' ')} 100,${height}` }))];
}

const wordsOf = (document_) => (lists.words[document_] === null ? [] : [plural(lists.words[document_], 'word')]);

// Other documents with the same words
const identical = (copies) => (copies.length ? element('details', {}, element('summary', {}, `and ${number(copies.length)} identical`),
  element('ul', {}, copies.slice(0, 1000).map((document_) => element('li', {}, named(document_), fieldsOf(document_))))) : null);

// The text that is kept, and those that have the same words
function kept(group, copies, limits) {
  const [document_] = group.members;
  const text = textOf(document_);
  return element('li', { class: 'member kept' },
    element('h3', {}, named(document_)),
    element('p', {}, [lists.removable ? 'Kept' : 'The first', ...wordsOf(document_)].join(', ')),
    fieldsOf(document_),
    element('div', { class: 'body' }, stretch(text, 0, text.length, limits)),
    identical(copies),
    coverage(group));
}

// The pair that ties a member to the group: with the first, or else the first one with another
function tieOf(group, place) {
  const document_ = group.members[place];
  const direct = pairOf(group.members[0], document_);
  const pair = direct ?? firstPairOf(document_);
  const other = pair === undefined || pairs.a[pair] !== document_ ? pairs.a?.[pair] : pairs.b[pair];
  return { pair, other, far: pair !== undefined && direct === undefined };
}

// alone: whether it is the only one that is shown
function member(group, [place, ...copies], alone) {
  const document_ = group.members[place];
  const { pair, other, far } = tieOf(group, place);
  const item = (...content) => element('li', { class: alone ? 'member' : 'member item', 'data-pair': pair },
    element('h3', {}, named(document_)), ...content, identical(copies.map((each) => group.members[each])));
  const how = far ? ['No pair with the first. Compared with ', named(other), ': ']
    : pair === undefined ? ['None of its pairs is on this page. '] : [];
  if (lists.removable && !known && !lists.go[document_]) how.unshift('Kept: no pair removes it for one that is kept. ');
  if (pair === undefined) return item(element('p', {}, ...how, ...wordsOf(document_)));
  const said = pairs.similarity[pair];
  const similar = said === null ? `Jaccard ${share(pairs.jaccard[pair])} (no similarity was given)` : `similarity ${share(said)}`;
  const base = pairs.a[pair] === other ? 0 : 1;
  return item(
    element('p', {}, ...how, `${[similar, ...wordsOf(document_)].join(', ')}, ${number(pairs.shared[pair])} shared `
      + `(${percent(pairs.shared[pair], lists.words[document_])}) in ${plural(pairs.passages[pair], 'passage')}. `,
    element('a', { href: `#pair/${pair}`, 'aria-label': `Compare ${nameOf(document_)} with ${nameOf(other)}` }, 'Compare')),
    fieldsOf(document_),
    far || pairs.passages[pair] > 1 || !sharesQuarters(pair, 1) ? strip(pair, base, far) : null,
    !sharesQuarters(pair, 1) ? extract(document_) // nearly all would be coloured
      : element('div', { class: 'body' }, areCopies(pair) ? 'Identical.' : differences(pair, base)),
    decider(pair));
}

// A large group shows one member at a time, beside a list of all
function beside(group, rows) {
  const chosen = element('ul', { class: 'members' });
  const choose = (row) => {
    list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    list.children[rows.indexOf(row)].setAttribute('aria-current', 'true');
    chosen.replaceChildren(member(group, row, true));
  };
  const list = element('ol', { class: 'beside', 'aria-label': 'Members' }, rows.map((row) => {
    const { pair } = tieOf(group, row[0]);
    return element('li', { class: 'item', 'data-pair': pair }, element('button', { type: 'button', focus: () => choose(row), click: () => choose(row) },
      named(group.members[row[0]]), row.length > 1 ? ` and ${number(row.length - 1)} identical` : null,
      pair === undefined ? null : [element('span', { class: 'hint' }, ` ${share(alike(pair))} `), sign(pair)].flat()));
  }));
  choose(rows[0]);
  return { list, chosen };
}

function showGroup(main, place) {
  const group = groups[place];
  const texts_ = new Map(); // the places of members with the same words
  group.members.forEach((document_, at) => texts_.set(firstOf(document_), [...(texts_.get(firstOf(document_)) ?? []), at]));
  const [[, ...copies], ...others] = [...texts_.values()];
  const large = others.length > FOLD;
  const top = (limits) => kept(group, copies.map((at) => group.members[at]), limits);
  const undecided = others.map(([at]) => tieOf(group, at).pair).filter((pair) => pair !== undefined);
  let page = 0;
  const count = Math.ceil(others.length / PAGE);
  const body = element('div');
  const draw = () => {
    const rows = others.slice(page * PAGE, (page + 1) * PAGE);
    const { list, chosen } = large ? beside(group, rows) : {};
    body.replaceChildren(
      ...(large ? [element('div', { class: 'folded' }, list, element('div', {}, chosen, element('ul', { class: 'members' }, top(FOLDED))))]
        : [element('ul', { class: 'members' }, top(WHOLE), rows.map((row) => member(group, row)))]),
      ...pager(page, count, (by) => {
        page += by;
        draw();
        say(`Page ${page + 1} of ${count}`);
        byId('heading').scrollIntoView();
      }));
  };
  draw();
  main.append(
    heading('Group ', element('bdi', {}, visible(short(group.name)))),
    turns('group', place, groupList),
    facts(['Documents', number(group.members.length)], lists.removable && ['Words to remove', number(wordsThatGo(group))]),
    element('details', {}, element('summary', {}, 'What this shows'), element('p', {},
      `First stands ${lists.removable ? 'the text that is kept' : 'one of the texts'}. Texts with the same words are folded. Each other text is shown as it differs: `,
      element('ins', {}, 'words that only it has'), ', ', element('del', {}, 'words that only the first has'),
      '. If less than a quarter is shared, only its beginning is shown. A strip shows both at the same scale, the first above. Blocks with the same number are a passage that both share; '
      + 'bands that cross show passages that moved. A document without a pair with the first one is compared with another, '
      + 'whose strip is dashed.')),
    undecided.length > 1 ? element('p', {}, element('button', { type: 'button', click: () => {
      for (const pair of undecided) if (verdictOf(pair) < 0) decide(pair, 0);
      say('All members are decided');
    } }, 'Accept all that is undecided')) : '',
    body);
}
