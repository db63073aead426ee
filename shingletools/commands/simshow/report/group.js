// A group as strips, one for each document: the representative's text above, the document's own below, and what they
// share
const TONES = 8;
const BLOCKS = 300; // in one strip

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

// How many of the other documents on this page share each hundredth of the representative's text
function coverage(group, places) {
  const counts = Array(100).fill(0);
  const [first] = group.members;
  const size = textOf(first).length;
  for (const place of places) {
    const pair = pairOf(first, group.members[place]);
    const start = pairs.a[pair] === first ? 0 : 2;
    const shares = new Set();
    for (const passage of pair === undefined ? [] : parsed(`p${pair}`)) {
      const to = Math.ceil((100 * passage[start + 1]) / size);
      for (let at = Math.floor((100 * passage[start]) / size); at < to; at += 1) shares.add(at);
    }
    for (const at of shares) counts[at] += 1;
  }
  const steps = counts.map((count, at) => `${at},${places.length - count} ${at + 1},${places.length - count}`);
  return element('svg', {
    class: 'strip coverage', width: '100%', height: 32, viewBox: `0 0 100 ${places.length}`, preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  }, element('polygon', { points: `0,${places.length} ${steps.join(' ')} 100,${places.length}` }));
}

function member(group, place) {
  const [first, document_] = [group.members[0], group.members[place]];
  const words = lists.words[document_];
  const length = words === null ? '' : `, ${plural(words, 'word')}`;
  const item = (...content) => element('li', { class: 'member' }, element('h3', {}, named(document_)), ...content);
  if (!place) {
    const others = group.members.slice(1, PAGE).map((_, at) => at + 1);
    return item(element('p', {}, `The representative${length}. The parts that others share:`), coverage(group, others));
  }
  const [steps, before] = group.ways?.[place] ?? [null];
  const direct = pairOf(first, document_); // a given group has this pair even if it is not among the pairs
  const pair = direct ?? (before === undefined ? undefined : pairOf(before, document_));
  const far = steps > 1;
  const how = far
    ? [`Chained: ${number(steps)} pairs away from the representative, through `, named(before),
      direct === undefined ? '. Compared with that one: ' : '. Compared with the representative: ']
    : direct === undefined ? ['Its pair with the representative is not on this page. '] : [];
  if (pair === undefined) return item(element('p', {}, ...how, length.slice(2)));
  const said = pairs.similarity[pair];
  const alike = said === null ? `Jaccard ${share(pairs.jaccard[pair])} (no similarity was given)` : `similarity ${share(said)}`;
  const other = direct === undefined ? before : first;
  return item(
    element('p', {}, ...how, `${alike}${length}, ${number(pairs.shared[pair])} shared `
      + `(${percent(pairs.shared[pair], words)}) in ${plural(pairs.passages[pair], 'passage')}. `,
    element('a', { href: `#pair/${pair}`, 'aria-label': `Compare ${nameOf(document_)} with ${nameOf(other)}` }, 'Compare')),
    strip(pair, pairs.a[pair] === other ? 0 : 1, far));
}

function showGroup(main, place) {
  const group = groups[place];
  const link = group.weakest;
  const found = link && pairOf(link[0], link[1]);
  const ends = link && [named(link[0]), ' and ', named(link[1])];
  let page = 0;
  const count = Math.ceil(group.members.length / PAGE);
  const body = element('div');
  const draw = () => {
    const first = page * PAGE;
    const shown = group.members.slice(first, first + PAGE).map((_, at) => member(group, first + at));
    body.replaceChildren(element('ol', { class: 'members', start: first + 1 }, shown), ...pager(page, count, (by) => {
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
      ['Weakest link', ...(link ? [`${share(link[2])}, `, ...(found === undefined ? ends
        : [element('a', { href: `#pair/${found}` }, ...ends)])] : ['–'])],
      ['Chained', number(chained(group))], ['Words that would go', number(wordsThatGo(group))]),
    element('details', {}, element('summary', {}, 'What this shows'), element('p', {},
      'Each strip shows two texts at the same scale: above, the text of the representative, which is the first document; '
      + 'below, the document\u2019s own text. Blocks with the same number are a passage that both share. Bands that cross '
      + 'show passages that moved. A dashed strip is a document without a pair with the representative: pairs of other '
      + 'documents chain it to the group. It is compared with the document before it in the chain, or with the '
      + 'representative if the group itself was given. Density is the share of all possible pairs that exist; with '
      + '--against, of the pairs between its documents and the others. Without the weakest link, and all less similar '
      + 'pairs, the group would fall apart. The similarity of the link is Jaccard if none was given. If a group was given '
      + 'without its pairs, the weakest link is the document least like the representative. A dash means unknown.')),
    body);
}
