// A list that can be searched and sorted, shown page by page: a table of ten thousand rows would take seconds
const PAGE = 50;

class List {
  // columns: {title, value(row) to sort by, cell(row), from: the screens that have it, 'phone' if none is said, 'tablet' or
  // 'desk'}; the first names the row. extracts(row, found): the documents whose beginnings, or hits, are shown below it
  constructor({ title, unit, all, columns, documents, extracts, sorted, descending }) {
    Object.assign(this, { title, unit, all, count: all.length, columns, documents, extracts, sorted, descending, page: 0, query: '', found: [] });
    this.rows = this.all;
    this.sort();
  }

  sort() {
    const values = this.all.map((row) => this.columns[this.sorted].value(row));
    const sign = this.descending ? -1 : 1;
    const none = (value) => value === null || value === undefined;
    const compare = (a, b) => (a < b ? -sign : a > b ? sign : 0);
    this.rows = [...this.rows].sort((one, other) => {
      const [a, b] = [values[one], values[other]];
      return none(a) || none(b) ? none(a) - none(b) || one - other : compare(a, b) || one - other;
    });
    this.page = 0;
  }

  search(query) {
    this.query = query;
    this.rows = this.all;
    this.found = query ? documentsWith(query) : [];
    if (query) this.rows = this.all.filter((row) => this.documents(row).some((document_) => this.found[document_]));
    this.sort();
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
    const found = this.query ? ` of ${number(this.count)}` : '';
    const range = this.rows.length > PAGE ? `, ${number(first + 1)} to ${number(last)} are shown` : '';
    return `${plural(this.rows.length, this.unit)}${found}${range}`;
  }

  show(main) {
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
    main.append(
      heading(this.title), ...leftOut(),
      element('p', { role: 'search' }, element('label', { for: 'search' }, 'Search in ids and texts '), input),
      this.body,
    );
    this.draw();
  }

  head(column, place) {
    const sorted = place === this.sorted;
    const order = sorted ? (this.descending ? 'descending' : 'ascending') : false;
    const [id, why] = tip(column.title);
    return element('th', { scope: 'col', class: column.from, 'aria-sort': order }, element('button', {
      type: 'button', class: why && 'term', 'aria-describedby': id,
      click: () => {
        this.descending = sorted ? !this.descending : place > 0;
        this.sorted = place;
        this.sort();
        this.draw();
        this.body.querySelectorAll('th button')[place].focus();
        say(`Sorted by ${column.title}, ${this.descending ? 'descending' : 'ascending'}`);
      },
    }, column.title, element('span', { class: 'arrow', 'aria-hidden': 'true' }, sorted ? (this.descending ? '▼' : '▲') : '')), why);
  }

  // The texts have a row of their own: beside six figures they would be as narrow as a word
  row(row) {
    const extracts = this.extracts(row, this.found).map((document_) => extract(document_, this.query));
    return [
      element('tr', {}, this.columns.map((column, place) =>
        element(place ? 'td' : 'th', { scope: !place && 'row', class: column.from }, column.cell(row)))),
      element('tr', { class: 'extracts' }, element('td', { colspan: this.columns.length }, extracts)),
    ];
  }

  draw() {
    const shown = this.rows.slice(this.page * PAGE, (this.page + 1) * PAGE);
    const table = element('table', { class: 'list' },
      element('caption', {}, this.where()),
      element('thead', {}, element('tr', {}, this.columns.map((column, place) => this.head(column, place)))),
      element('tbody', {}, shown.flatMap((row) => this.row(row))));
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
    + `${number(lists.limit)} bytes of data that --limit allows. The figures of the overview count them.`)];
}

const pairList = new List({
  title: 'Pairs', unit: 'pair', all: lists.listed.flatMap((listed, pair) => (listed ? [pair] : [])), sorted: 1, descending: true,
  documents: (pair) => [pairs.a[pair], pairs.b[pair]],
  extracts: (pair) => {
    const [a, b] = [pairs.a[pair], pairs.b[pair]];
    return textOf(a) === textOf(b) ? [a] : [a, b];
  },
  columns: [
    { title: 'Pair', value: (pair) => lists.names[pairs.a[pair]],
      cell: (pair) => element('a', { href: `#pair/${pair}` }, named(pairs.a[pair]), ' and ', named(pairs.b[pair])) },
    { title: 'Similarity', value: (pair) => pairs.similarity[pair], cell: (pair) => share(pairs.similarity[pair]) },
    { title: 'Words shared', value: (pair) => pairs.shared[pair], cell: (pair) => number(pairs.shared[pair]) },
    { title: 'Longest run', from: 'tablet', value: (pair) => pairs.longest[pair], cell: (pair) => number(pairs.longest[pair]) },
    { title: 'Passages', from: 'desk', value: (pair) => pairs.passages[pair], cell: (pair) => number(pairs.passages[pair]) },
    { title: 'Jaccard', from: 'desk', value: (pair) => pairs.jaccard[pair], cell: (pair) => share(pairs.jaccard[pair]) },
    { title: 'Containment', from: 'desk', value: (pair) => pairs.containment[pair],
      cell: (pair) => share(pairs.containment[pair]) },
  ],
});

const wordsThatGo = (group) => group.members.reduce((sum, member) => sum + (lists.go[member] ? lists.words[member] ?? 0 : 0), 0);

// How many documents are more than one pair away from the first; null if that is unknown
const chained = (group) => group.ways?.filter(([steps]) => steps > 1).length ?? null;

const groupList = new List({
  title: 'Groups', unit: 'group', all: groups.map((_, group) => group), sorted: 1, descending: true,
  documents: (group) => groups[group].members,
  extracts: (group, found) => [groups[group].members.find((member_) => found[member_]) ?? groups[group].members[0]],
  columns: [
    { title: 'Group', value: (group) => groups[group].name,
      cell: (group) => element('a', { href: `#group/${group}` }, element('bdi', {}, visible(short(groups[group].name)))) },
    { title: 'Documents', value: (group) => groups[group].members.length,
      cell: (group) => number(groups[group].members.length) },
    { title: 'Density', value: (group) => groups[group].density, cell: (group) => share(groups[group].density) },
    { title: 'Chained', from: 'tablet', value: (group) => chained(groups[group]), cell: (group) => number(chained(groups[group])) },
    { title: 'Weakest link', from: 'tablet', value: (group) => groups[group].weakest?.[2],
      cell: (group) => share(groups[group].weakest?.[2]) },
    ...(lists.removable ? [{ title: 'Words to remove', from: 'desk', value: (group) => wordsThatGo(groups[group]),
      cell: (group) => number(wordsThatGo(groups[group])) }] : []),
  ],
});
