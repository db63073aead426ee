// A group as strips, one for each document: the representative's text above, the document's own below, and what they
// share
const TONES = 8;
const BLOCKS = 300; // in one strip
const WHOLE = { most: 3000, kept: 1200 }; // letters of the kept text, as in `stretch`

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
  const steps = counts.map((count, at) => `${at},${height - count} ${at + 1},${height - count}`);
  return [element('p', {}, `How many of ${number(height)} others share each part of it, from its beginning to its end:`),
    element('svg', {
      class: 'strip coverage', width: '100%', height: 32, viewBox: `0 0 100 ${height}`, preserveAspectRatio: 'none',
      'aria-hidden': 'true',
    }, element('polygon', { points: `0,${height} ${steps.join(' ')} 100,${height}` }))];
}

// The text that is kept, and those that have the same words
function kept(group, copies) {
  const [first] = group.members;
  const text = textOf(first);
  const words = lists.words[first];
  return element('li', { class: 'member kept' },
    element('h3', {}, named(first)),
    element('p', {}, `${lists.removable ? 'Kept' : 'The first'}${words === null ? '' : `, ${plural(words, 'word')}`}`),
    fieldsOf(first),
    element('div', { class: 'body' }, stretch(text, 0, text.length, WHOLE)),
    copies.length ? element('details', {}, element('summary', {}, `and ${number(copies.length)} identical`),
      element('ul', {}, copies.slice(0, 1000).map((document_) => element('li', {}, named(document_), fieldsOf(document_))))) : null,
    coverage(group));
}

function member(group, place) {
  const [first, document_] = [group.members[0], group.members[place]];
  const words = lists.words[document_];
  const length = words === null ? '' : `, ${plural(words, 'word')}`;
  const item = (...content) => element('li', { class: 'member' }, element('h3', {}, named(document_)), ...content);
  const [steps, before] = group.ways?.[place] ?? [null];
  const direct = pairOf(first, document_); // a given group has this pair even if it is not among the pairs
  const pair = direct ?? (before === undefined ? undefined : pairOf(before, document_));
  const far = steps > 1;
  const how = far
    ? [`Chained: ${number(steps)} pairs away from the first, through `, named(before),
      direct === undefined ? '. Compared with that one: ' : '. Compared with the first: ']
    : direct === undefined ? ['Its pair with the first is not on this page. '] : [];
  if (lists.removable && !lists.known && !lists.go[document_]) how.unshift('Kept: it has no pair with one that is kept before it. ');
  if (pair === undefined) return item(element('p', {}, ...how, length.slice(2)));
  const said = pairs.similarity[pair];
  const alike = said === null ? `Jaccard ${share(pairs.jaccard[pair])} (no similarity was given)` : `similarity ${share(said)}`;
  const other = direct === undefined ? before : first;
  const base = pairs.a[pair] === other ? 0 : 1;
  return item(
    element('p', {}, ...how, `${alike}${length}, ${number(pairs.shared[pair])} shared `
      + `(${percent(pairs.shared[pair], words)}) in ${plural(pairs.passages[pair], 'passage')}. `,
    element('a', { href: `#pair/${pair}`, 'aria-label': `Compare ${nameOf(document_)} with ${nameOf(other)}` }, 'Compare')),
    fieldsOf(document_),
    far || pairs.passages[pair] > 1 || !sharesQuarters(pair, 1) ? strip(pair, base, far) : null,
    !sharesQuarters(pair, 1) ? extract(document_) // nearly all would be coloured
      : element('div', { class: 'body' }, areCopies(pair) ? 'Identical.' : differences(pair, base)));
}

function showGroup(main, place) {
  const group = groups[place];
  const link = group.weakest;
  const found = link && pairOf(link[0], link[1]);
  const ends = link && [named(link[0]), ' and ', named(link[1])];
  const [first] = group.members;
  const same = (place) => {
    const pair = pairOf(first, group.members[place]);
    return place > 0 && pair !== undefined && areCopies(pair);
  };
  const all = group.members.map((_, place) => place);
  const copies = all.filter(same).map((place) => group.members[place]);
  const others = all.filter((place) => place && !same(place));
  let page = 0;
  const count = Math.ceil(others.length / PAGE);
  const body = element('div');
  const draw = () => {
    const rest = others.slice(page * PAGE, (page + 1) * PAGE).map((place) => member(group, place));
    body.replaceChildren(element('ul', { class: 'members' }, page ? null : kept(group, copies), rest), ...pager(page, count, (by) => {
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
    facts(['Documents', number(group.members.length)], ['Density', share(group.density)],
      ['Chained', number(chained(group))], lists.removable && ['Words to remove', number(wordsThatGo(group))],
      ['Weakest link', ...(link ? [`${share(link[2])}, `, ...(found === undefined ? ends
        : [element('a', { href: `#pair/${found}` }, ...ends)])] : ['–'])]),
    element('details', {}, element('summary', {}, 'What this shows'), element('p', {},
      'First stands the text that is kept. Texts with the same words are folded. Each other text is shown as it differs: ',
      element('ins', {}, 'words that only it has'), ', ', element('del', {}, 'words that only the first has'),
      '. If less than a quarter is shared, only its beginning is shown. A strip shows both at the same scale, the first above. Blocks with the same number are a passage that both share; '
      + 'bands that cross show passages that moved. A dashed strip is a document without a pair with the first one. It is '
      + 'compared with the document before it in the chain, or with the first if the group itself was given. With --against, '
      + 'density is of the pairs between its documents and the others. If a group was given without its pairs, the weakest '
      + 'link is the document least like the first. A dash means unknown.')),
    body);
}
