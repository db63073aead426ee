// A group: the text that is kept, and how each of the others differs from it
const WHOLE = { most: 3000, kept: 1200 }; // letters of the kept text, as in `stretch`
const FOLDED = { most: 800, kept: 400 }; // the same in a large group
const FOLD = 8; // other texts of a group, with more of which it is large

// Other documents with the same words
const identical = (copies) => (copies.length ? fold(`and ${number(copies.length)} identical`,
  copies.some((document_) => sought?.test(lists.names[document_])),
  element('ul', {}, copies.slice(0, 1000).map((document_) => element('li', {}, named(document_), ' ', fate(document_), fieldsOf(document_))))) : null);

const title = (document_) => element('h3', {}, named(document_), ' ', fate(document_));
const words = (document_) => (lists.words[document_] === null ? [] : [plural(lists.words[document_], 'word')]);

// The pair that ties a member to the group: with the first, or else the first one with another
function tieOf([first], document_) {
  const direct = pairOf(first, document_);
  const pair = direct ?? firstPairs.get(document_);
  const other = pair === undefined || pairs.a[pair] !== document_ ? pairs.a?.[pair] : pairs.b[pair];
  return { pair, other, far: pair !== undefined && direct === undefined };
}

// alone: whether it is the only one that is shown
function member(members, [document_, ...copies], alone) {
  const { pair, other, far } = tieOf(members, document_);
  const item = (...content) => element('li', { class: alone ? 'member' : 'member item', 'data-pair': pair },
    title(document_), ...content, identical(copies));
  if (pair === undefined) return item(element('p', {}, ['None of its pairs is on this page', ...words(document_)].join(', ')));
  const similarity = pairs.similarity[pair];
  const similar = similarity === null ? `Jaccard ${share(pairs.jaccard[pair])} (no similarity was given)` : `similarity ${share(similarity)}`;
  const base = pairs.a[pair] === other ? 0 : 1;
  return item(
    element('p', {}, far ? ['No pair with the first. Compared with ', named(other), ': '] : '',
      `${[similar, ...words(document_)].join(', ')}, ${number(pairs.shared[pair])} shared `
      + `(${percent(pairs.shared[pair], lists.words[document_])}). `,
      element('a', { href: `#pair/${pair}`, 'aria-label': `Compare ${nameOf(document_)} with ${nameOf(other)}` }, 'Compare')),
    decider(pair),
    fieldsOf(document_, other),
    sharesQuarters(pair, 1) ? element('div', { class: 'body', dir: 'auto' }, areCopies(pair) ? 'Identical.' : differences(pair, 1 - base))
      : extract(document_)); // nearly all would be coloured
}

// A large group shows one member at a time, beside a list of all
function beside(members, rows) {
  const chosen = element('ul', { class: 'members' });
  const choose = (row) => {
    list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    list.children[rows.indexOf(row)].setAttribute('aria-current', 'true');
    chosen.replaceChildren(member(members, row, true));
  };
  const list = element('ol', { class: 'beside', 'aria-label': 'Members' }, rows.map((row) => {
    const { pair } = tieOf(members, row[0]);
    const verdict = () => element('b', {}, VERDICTS[verdictOf(pair)] ?? '');
    return element('li', { class: 'item', 'data-pair': pair }, element('button', { type: 'button', focus: () => choose(row), click: () => choose(row) },
      named(row[0]), row.length > 1 ? ` and ${number(row.length - 1)} identical` : null,
      pair === undefined ? null : [element('span', { class: 'hint' }, ` ${share(alike(pair))} `), live(verdict)]));
  }));
  choose(rows.find(([document_]) => sought?.test(textOf(document_)) || sought?.test(lists.names[document_])) ?? rows[0]);
  return { list, chosen };
}

function showGroup(main, place) {
  const group = groups[place];
  const first = group.members.find((document_) => !goes(document_)) ?? group.members[0];
  const members = [first, ...group.members.filter((document_) => document_ !== first)];
  const inside = new Set(members);
  const every = pairsThat((pair) => inside.has(pairs.a[pair]) && inside.has(pairs.b[pair]));
  const texts_ = new Map(); // members with the same words
  members.forEach((each) => texts_.set(firstOf(each), [...(texts_.get(firstOf(each)) ?? []), each]));
  const [[, ...copies], ...others] = [...texts_.values()];
  let page = 0;
  const count = Math.ceil(others.length / PAGE);
  shown.body = element('div');
  shown.draw = () => {
    const rows = printing ? others : others.slice(page * PAGE, (page + 1) * PAGE);
    const large = others.length > FOLD && !printing;
    const { list, chosen } = large ? beside(members, rows) : {};
    const text = textOf(first);
    const top = element('li', { class: 'member first' }, title(first), element('p', {}, words(first)), fieldsOf(first),
      element('div', { class: 'body', dir: 'auto' }, stretch(text, 0, text.length, large ? FOLDED : WHOLE)), identical(copies));
    shown.body.replaceChildren(
      large ? element('div', { class: 'folded' }, list, element('div', {}, chosen, element('ul', { class: 'members' }, top)))
        : element('ul', { class: 'members' }, top, rows.map((row) => member(members, row))),
      ...pager(page, count, (by) => {
        page += by;
        shown.draw();
        say(`Page ${page + 1} of ${count}`);
        byId('heading').scrollIntoView();
      }));
  };
  main.append(
    heading('Group ', element('bdi', {}, visible(short(group.name)))),
    turns('group', place, groupList),
    facts(['Documents', number(members.length)],
      lists.removable && ['Words to remove', live(() => element('span', {}, number(wordsToRemove(place))))]),
    element('p', { class: 'turns' }, every.length ? ['same', 'different'].map((label, verdict) =>
      element('button', { type: 'button', click: () => decideAll(every, verdict) }, `All the ${label}`.replace('the d', 'd'))) : ''),
    element('p', { class: 'hint' }, 'After the first text, each is shown as it differs: ', element('ins', {}, 'only it has this'), ', ',
      element('del', {}, 'only the first has this'), '.'),
    shown.body);
  shown.draw();
}
