// A list that can be searched and sorted, shown page by page: a table of ten thousand rows would take seconds
const PAGE = 50;
let printing = false;

class List {
  // columns: {title, value(row) to sort by, cell(row)}; the first names the row. extracts(row, found): the documents whose
  // beginnings, or hits, are shown above it. differs(row): how many letters of these are the same. pairOf(row): the pair
  // on which a key decides; more(row): how many have the same texts; note(row): what is shown below the beginnings.
  // The tab keeps what was chosen, and so it is there again when the page is loaded again
  constructor(settings) {
    Object.assign(this, { pairOf: () => undefined, only: 0, answer: 0, page: 0, query: '', found: [] }, settings);
    try {
      Object.assign(this, JSON.parse(sessionStorage.getItem(`${KEPT} ${this.title}`)));
    } catch {
      // No storage
    }
    const { page } = this;
    this.search(this.query);
    this.page = Math.min(page, this.pages() - 1);
  }

  remember() {
    const { sorted, descending, only, answer, page, query } = this;
    try {
      sessionStorage.setItem(`${KEPT} ${this.title}`, JSON.stringify({ sorted, descending, only, answer, page, query }));
    } catch {
      // No storage
    }
  }

  sort() {
    const values = new Map(this.all.map((row) => [row, this.columns[this.sorted].value(row)]));
    const sign = this.descending ? -1 : 1;
    const none = (value) => value === null || value === undefined;
    const compare = (a, b) => (a < b ? -sign : a > b ? sign : 0);
    this.rows = [...this.rows].sort((one, other) => {
      const [a, b] = [values.get(one), values.get(other)];
      return none(a) || none(b) ? none(a) - none(b) || one - other : compare(a, b) || one - other;
    });
    this.page = 0;
  }

  search(query) {
    this.query = query;
    this.found = query ? documentsWith(query) : [];
    seek(query);
    this.select();
  }

  // Shows the rows that match the search, were decided as `only` says: 0 all, 1 not yet, 2 same, ..., and have the answer
  select() {
    this.rows = this.all.filter((row) => (!this.query || this.documents(row).some((document_) => this.found[document_]))
      && (!this.only || verdictOf(this.pairOf(row)) === this.only - 2)
      && (!this.answer || answerOf(this.pairOf(row)) === answers[this.answer - 1]));
    this.sort();
  }

  // Changes what `select` looks at
  filter(change) {
    Object.assign(this, change);
    this.select();
    this.draw();
    say(this.where());
  }

  pages() {
    return Math.max(1, Math.ceil(this.rows.length / PAGE));
  }

  turn(by) {
    this.page = Math.min(Math.max(this.page + by, 0), this.pages() - 1);
    this.draw();
    say(this.where());
  }

  where() {
    const first = this.page * PAGE;
    const last = Math.min(first + PAGE, this.rows.length);
    const found = this.rows.length < this.all.length || this.query ? ` of ${number(this.all.length)}` : '';
    const range = this.rows.length > PAGE ? `, ${number(first + 1)} to ${number(last)} are shown` : '';
    const more = this.more ? this.rows.reduce((sum, row) => sum + this.more(row), 0) : 0;
    return `${plural(this.rows.length, this.unit)}${found}${range}${more ? `, and ${number(more)} more of the same texts` : ''}`;
  }

  show(main) {
    seek(this.query);
    let waiting;
    const input = element('input', {
      type: 'search', id: 'search', value: this.query, autocomplete: 'off', spellcheck: 'false',
      input: () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
          this.search(input.value);
          this.draw();
          say(this.where());
        }, 150);
      },
    });
    this.body = element('div');
    const buttons = (label, names, key) => {
      const made = choice(label, names, this[key], (place) => {
        press(made, place);
        this.filter({ [key]: place });
      });
      return made;
    };
    main.append(
      heading(this.title), ...leftOut(),
      element('div', { class: 'turns', role: 'search' }, element('label', { for: 'search' }, 'Search in ids and texts '), input,
        this.more && buttons('Which pairs', ['All', 'Undecided', ...VERDICTS], 'only'),
        this.more && answers.length ? buttons('Which answers', ['Any answer', ...answers], 'answer') : null),
      this.body, pairs.count ? saves() : '', origin(),
    );
    this.draw();
  }

  head(column, place) {
    const sorted = place === this.sorted;
    const order = sorted ? (this.descending ? 'descending' : 'ascending') : false;
    return element('th', { scope: 'col', 'aria-sort': order }, element('button', {
      type: 'button',
      click: () => {
        this.descending = sorted ? !this.descending : place > 0;
        this.sorted = place;
        this.sort();
        this.draw();
        this.body.querySelectorAll('th button')[place].focus();
        say(`Sorted by ${column.title}, ${this.descending ? 'descending' : 'ascending'}`);
      },
    }, column.title, element('span', { class: 'arrow', 'aria-hidden': 'true' }, sorted ? (this.descending ? '▼' : '▲') : '')));
  }

  // The texts have a row of their own: beside the figures they would be as narrow as a word
  row(row) {
    const documents = this.extracts(row, this.found);
    const extracts = documents.map((document_) => extract(document_, this.differs?.(row), documents[0]));
    const figures = element('tr', { class: 'item', 'data-pair': this.pairOf(row) }, this.columns.map((column, place) =>
      element(place ? 'td' : 'th', { scope: !place && 'row' }, column.cell(row))));
    const open = () => figures.querySelector('a').click();
    return [element('tr', { class: 'extracts', click: open },
      element('td', { colspan: this.columns.length }, extracts, this.note?.(row))), figures];
  }

  // On paper all rows
  draw() {
    this.remember();
    const shown_ = printing ? this.rows : this.rows.slice(this.page * PAGE, (this.page + 1) * PAGE);
    const table = element('table', { class: 'list' },
      element('caption', {}, this.where()),
      element('thead', {}, element('tr', {}, this.columns.map((column, place) => this.head(column, place)))),
      element('tbody', {}, shown_.flatMap((row) => this.row(row))));
    this.body.replaceChildren(table, ...pager(this.page, this.pages(), (by) => this.turn(by)));
  }
}

function pager(page, count, turn) {
  if (count < 2) return [];
  const button = (label, by, off) => element('button', { type: 'button', disabled: off, click: () => turn(by) }, label);
  return [element('p', { class: 'pager' }, button('Previous page', -1, page === 0),
    ` Page ${number(page + 1)} of ${number(count)} `, button('Next page', 1, page === count - 1))];
}

function leftOut() {
  const { pairs: without, groups: others } = lists.left;
  if (!without && !others) return [];
  const what = [without && plural(without, 'pair'), others && plural(others, 'group')].filter(Boolean).join(' and ');
  return [element('p', { class: 'left', role: 'note' }, `Left out: ${what}. With them, the page would have more than the `
    + `${number(lists.limit)} bytes of data that --limit allows.`)];
}

const origin = () => element('div', { class: 'origin' }, facts(
  lists.origin.command && ['Command', element('code', {}, visible(lists.origin.command))],
  lists.origin.recipe && ['Recipe', element('code', {}, visible(lists.origin.recipe))],
  lists.origin.threshold && ['Threshold', lists.origin.threshold], lists.origin.date && ['Date', visible(lists.origin.date)]));

const alike = (pair) => pairs.similarity[pair] ?? pairs.jaccard[pair];
const sharesOf = (pair) => [pairs.a[pair], pairs.b[pair]].map((document_) => pairs.shared[pair] / lists.words[document_]);
const percents = (pair) => [pairs.a[pair], pairs.b[pair]].map((document_) => percent(pairs.shared[pair], lists.words[document_]));

const pairList = new List({
  title: 'Pairs', unit: 'pair', sorted: 1, descending: true,
  all: [...folds.values()].map(([pair]) => pair).filter((pair) => lists.listed[pair]).sort((one, other) => one - other),
  pairOf: (pair) => pair,
  more: (pair) => folded(pair).filter((each) => lists.listed[each]).length - 1,
  documents: (pair) => folded(pair).flatMap((each) => [pairs.a[each], pairs.b[each]]),
  note: (pair) => (ownOf(pair, 0) && !areCopies(pair) ? element('span', { class: 'hint' }, `${ownOf(pair, 0)} | ${ownOf(pair, 1)}`) : null),
  extracts: (pair) => (areCopies(pair) && !lists.fields.length ? [pairs.a[pair]] : [pairs.a[pair], pairs.b[pair]]),
  differs: (pair) => {
    const [a, b] = [textOf(pairs.a[pair]), textOf(pairs.b[pair])];
    let at = 0;
    while (at < a.length && a[at] === b[at]) at += 1;
    return areCopies(pair) ? 0 : at;
  },
  columns: [
    { title: 'Pair', value: (pair) => lists.names[pairs.a[pair]],
      cell: (pair) => [element('a', { href: `#pair/${pair}` }, named(pairs.a[pair]), ' and ', named(pairs.b[pair])),
        lists.removable ? live(() => element('span', { class: 'hint' }, keeps(pair))) : null,
        pairList.more(pair) ? element('span', { class: 'hint' }, ` and ${number(pairList.more(pair))} more of the same texts`) : null] },
    { title: 'Similarity', value: (pair) => pairs.similarity[pair], cell: (pair) => share(pairs.similarity[pair]) },
    ...(answers.length ? [{ title: 'Answer', value: answerOf, cell: (pair) => visible(short(answerOf(pair))) }] : []),
    { title: 'Shared', value: (pair) => Math.min(...sharesOf(pair)), cell: (pair) => percents(pair).join(',\u00a0') },
    { title: 'Decision', value: (pair) => verdictOf(pair), cell: (pair) => decider(pair) },
  ],
});

// Which text of a pair is kept
function keeps(pair) {
  const stay = [pairs.a[pair], pairs.b[pair]].filter((each) => !goes(each));
  return ` keeps ${stay.length === 1 ? nameOf(stay[0]) : stay.length ? 'both' : 'another text'}`;
}

const wordsToRemove = (group) => wordsOf(groups[group].members.filter(goes));

const groupList = new List({
  title: 'Groups', unit: 'group', all: groups.map((_, group) => group), sorted: 1, descending: true,
  documents: (group) => groups[group].members,
  extracts: (group, found) => [groups[group].members.find((member_) => found[member_]) ?? groups[group].members[0]],
  columns: [
    { title: 'Group', value: (group) => groups[group].name,
      cell: (group) => element('a', { href: `#group/${group}` }, element('bdi', {}, visible(short(groups[group].name)))) },
    { title: 'Documents', value: (group) => groups[group].members.length,
      cell: (group) => number(groups[group].members.length) },
    ...(lists.removable ? [{ title: 'Words to remove', value: wordsToRemove,
      cell: (group) => live(() => element('span', {}, number(wordsToRemove(group)))) }] : []),
  ],
});
