// The overview: figures, and histograms, which are tables with a bar in each row
function histogram(id, title, unit, bars, range) {
  if (!bars.length) return null;
  const most = Math.max(...bars.map((bar) => bar[2]));
  const row = ([from, to, count]) => element('tr', {},
    element('th', { scope: 'row' }, range(from, to)),
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

function showOverview(main) {
  const { documents, pairs: allPairs, groups: allGroups, go, words, wordsThatGo: wordsGo } = lists.figures;
  main.append(
    heading('Overview'), ...leftOut(),
    facts(['Documents', number(documents)], ['Pairs', number(allPairs)], ['Groups', number(allGroups)],
      ['Documents that would go', number(go)], ['Words that would go', `${number(wordsGo)} (${percent(wordsGo, words)})`]),
    element('p', { class: 'hint' }, `${lists.known
      ? 'Documents that have a pair with one of --against would go, as with ‘dedup --known’; those of --against stay. '
      : 'Of each group the first document stays, the others would go. '}Documents that no pair or group names are not counted.`),
    element('div', { class: 'histograms' },
      histogram('similarities', 'Similarities of pairs (Jaccard where none was given)', 'Pairs', lists.bars.similarity,
        (from, to) => `${from.toFixed(2)} to ${to.toFixed(2)}`),
      histogram('sizes', 'Sizes of groups', 'Groups', lists.bars.size,
        (from, to) => (from === to ? `${number(to)}` : `${number(from)} to ${number(to)}`))));
}
