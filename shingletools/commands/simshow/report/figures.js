// The overview: figures, and histograms, which are tables with a bar in each row; it leads to what it counts
function histogram(id, title, unit, bars, range) {
  if (!bars.length) return null;
  const most = Math.max(...bars.map((bar) => bar[2]));
  const row = ([from, to, count], place) => element('tr', {},
    element('th', { scope: 'row' }, count ? element('a', { href: `#${unit.toLowerCase()}/${place}` }, range(from, to)) : range(from, to)),
    element('td', { class: 'bar' }, element('svg', { width: '100%', height: 14, 'aria-hidden': 'true' },
      element('rect', { width: `${(100 * count) / most}%`, height: 14 }))),
    element('td', { class: 'count' }, number(count)));
  return element('section', { 'aria-labelledby': id },
    element('h3', { id }, title),
    element('table', { class: 'histogram' },
      element('thead', { class: 'unseen' }, element('tr', {}, element('th', { scope: 'col' }, 'From and to'),
        element('th', { scope: 'col' }, 'Bar'), element('th', { scope: 'col' }, unit))),
      element('tbody', {}, bars.map(row))));
}

const shareOf = (part, of) => (of ? `${number(part)} (${percent(part, of)})` : number(part));

function lead({ read, documents, groups: allGroups, copies }) {
  if (!documents) return 'No documents are alike enough.';
  const all = read ? `Of ${plural(read, 'document')}, ${number(documents)} (${percent(documents, read)})` : plural(documents, 'document');
  const exact = copies ? ` ${plural(copies, 'pair')} ${copies === 1 ? 'is an exact copy' : 'are exact copies'}.` : '';
  return `${all} ${lists.removable ? 'have near-copies' : 'share passages with others'}. They make ${plural(allGroups, 'group')}.${exact}`;
}

function showOverview(main) {
  const { figures, origin, removable } = lists;
  main.append(
    heading('Overview'), ...leftOut(), element('p', { class: 'lead' }, lead(figures)),
    element('div', { class: 'figures' }, facts(
      figures.read && ['Documents read', number(figures.read)],
      figures.others && ['Documents of b (--against)', number(figures.others)],
      ['In groups', shareOf(figures.documents, figures.read)], ['Pairs', number(figures.pairs)],
      ['Exact copies', number(figures.copies)], ['Groups', number(figures.groups)],
      removable && ['Documents to remove', shareOf(figures.go, figures.read)],
      removable && figures.letters && ['Text to remove', percent(figures.lettersThatGo, figures.letters)])),
    ...(removable ? [element('p', { class: 'hint' }, known
      ? 'Documents that have a pair with one of --against would be removed, as with ‘dedup --known’; those of --against are kept.'
      : lists.given ? 'Of each group the first document is kept, and the others would be removed, as with ‘dedup --groups’.'
        : 'Documents that have a pair with one that is kept before them would be removed, as with ‘dedup --pairs’.')] : []),
    element('div', { class: 'histograms' },
      histogram('similarities', `Similarities of pairs${pairs.similarity?.includes(null) ? ' (Jaccard where none was given)' : ''}`, 'Pairs', lists.bars.similarity, rangeOf),
      histogram('sizes', 'Sizes of groups', 'Groups', lists.bars.size, sizesOf)),
    pairs.count ? saves() : '',
    element('div', { class: 'origin' }, facts(
      origin.command && ['Command', element('code', {}, visible(origin.command))],
      origin.recipe && ['Recipe', element('code', {}, visible(origin.recipe))],
      origin.threshold && ['Threshold', origin.threshold], origin.date && ['Date', visible(origin.date)])));
}
