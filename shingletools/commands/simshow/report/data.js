// The data: JSON in script elements that the browser does not run. Each is parsed when it is first shown. Its contents
// become text nodes and attributes without code, never markup
const byId = (id) => document.getElementById(id);
const parsed = (id) => JSON.parse(byId(id)?.textContent ?? 'null');
const lists = parsed('lists');
const pairs = { count: lists.pairs.a?.length ?? 0, ...lists.pairs };
const groups = lists.groups;

// What came with a pair beside its ids; the answer of simcheck, or that dedup removes a document of a pair without one
const said = (pairs.more ?? []).map((more) => JSON.parse(`{${more}}`));
const answerOf = (pair) => (typeof said[pair].answer === 'string' ? said[pair].answer
  : lists.go[pairs.a[pair]] || lists.go[pairs.b[pair]] ? 'removed' : '');
const answers = said.some(({ answer }) => typeof answer === 'string')
  ? ['copy', 'doubtful', 'different', 'removed'].filter((each) => said.some((_, pair) => answerOf(pair) === each)) : [];
const ownOf = (pair, side) => { // the first words that only this side has
  const own = said[pair].own?.['ab'[side]];
  return typeof own?.first === 'string' ? visible(`${number(own.words)} of its own${own.first && ': '}${own.first}`) : '';
};

const texts = new Map(); // the texts that were shown last
function textOf(document_) {
  if (!texts.has(document_)) {
    if (texts.size > 200) texts.clear();
    texts.set(document_, parsed(`d${document_}`) ?? '');
  }
  return texts.get(document_);
}

const keyOf = (one, other) => Math.min(one, other) * lists.names.length + Math.max(one, other); // of two documents
const between = new Map(); // two documents -> the number of their pair
const firstPairs = new Map(); // a document -> the number of its first pair
for (let pair = pairs.count - 1; pair >= 0; pair -= 1) {
  between.set(keyOf(pairs.a[pair], pairs.b[pair]), pair);
  firstPairs.set(pairs.a[pair], pair).set(pairs.b[pair], pair);
}
const pairOf = (one, other) => between.get(keyOf(one, other));
const firstPairOf = (document_) => firstPairs.get(document_);

// Which documents have these letters in their id or text, in any case: an array of 0 and 1. Texts are first searched as
// JSON, so that only those with a match are parsed
function documentsWith(letters) {
  const wanted = letters.toLowerCase();
  const quoted = JSON.stringify(wanted).slice(1, -1).replaceAll('<', '\\u003c');
  return Uint8Array.from(lists.names, (name, document_) => {
    if (name.toLowerCase().includes(wanted)) return 1;
    const text = byId(`d${document_}`)?.textContent ?? '';
    return text.toLowerCase().includes(quoted) && JSON.parse(text).toLowerCase().includes(wanted) ? 1 : 0;
  });
}

const SVG = new Set(['svg', 'rect', 'polygon', 'text']);
function element(name, attributes = {}, ...children) {
  const made = SVG.has(name)
    ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// Characters that are invisible, or reorder the text around them, are shown by their numbers. Joiners and non-joiners,
// U+200C and U+200D, are not: Persian, the scripts of India, and emoji need them
const CONTROLS = new RegExp('[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f'
  + '\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff]', 'g');
const visible = (text) =>
  text.replace(CONTROLS, (each) => `⟦U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟧`);

// The nearest place that does not cut a character beyond U+FFFF in two
const whole = (text, place) => ((text.charCodeAt(place) & 0xfc00) === 0xdc00 ? place + 1 : place);

const LONGEST_NAME = 100;
const short = (name) => (name.length > LONGEST_NAME ? `${name.slice(0, whole(name, LONGEST_NAME))}…` : name);
const nameOf = (document_) => visible(short(lists.names[document_]));
const named = (document_) => element('bdi', {}, nameOf(document_));

// The first letters of a text, or those around the first hit of a search, or where it begins to differ from another
const FIRST = 120;
const BEFORE = 40; // letters before a hit
function extract(document_, query, differs = 0) {
  const text = textOf(document_);
  const letters = query && new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'i').exec(text);
  const hit = letters ? [letters.index, letters.index + letters[0].length]
    : differs > FIRST - BEFORE ? [differs, differs] : [0, 0];
  const from = hit[0] > BEFORE ? blank(text, hit[0] - BEFORE, 1) : 0;
  const to = whole(text, Math.max(hit[1], from + FIRST));
  const fields = lists.said[document_].filter(Boolean);
  return element('p', { class: 'extract' }, fields.length ? element('span', { class: 'fields' }, visible(fields.join(' · '))) : null,
    fields.length ? ' ' : null, from ? '… ' : null, visible(text.slice(from, hit[0])),
    letters ? element('b', { class: 'hit' }, visible(letters[0])) : null, visible(text.slice(hit[1], to)),
    to < text.length ? ' …' : null);
}

const grouped = new Intl.NumberFormat('en');
const number = (value) => (value === null || value === undefined ? '–' : grouped.format(value));
const plural = (count, unit) => `${number(count)} ${unit}${count === 1 ? '' : 's'}`;
const share = (value) => (value === null || value === undefined ? '–' : value.toFixed(3));
function percent(part, of) { // 100% is all
  if (!of) return '–';
  return part > 0 && 100 * part < of ? 'under 1%' : `${Math.floor((100 * part) / of)}%`;
}

function say(message) {
  byId('status').textContent = message;
}

// What the figures mean: shown while the pointer is on a name, or it has the focus
const WHY = {
  'Words to remove': 'The words of those documents of the group that dedup would remove.',
  Threshold: 'What the pairs reach at least.',
  Recipe: 'How the texts became what was compared.',
  Similarity: 'What the record of the pair says: 1 is all alike.',
  Jaccard: 'Of the shingles of both texts: the share that both have. A shingle is K words in a row; K is '
    + `${lists.k}.`,
  Answer: 'What simcheck says of the pair, or that dedup removes one of its documents.',
  Containment: 'The share of the smaller text\u2019s shingles that the other has.',
  'Words shared': 'Words in passages that both texts have, and their share of each text.',
  '% of a, % of b': 'The share of each text\u2019s words that are in passages of both.',
  'Longest run': 'The most words in a row that both texts have.',
  Passages: 'Stretches that both texts have, with few words between them.',
};
let tips = 0;
function tip(title) {
  if (!WHY[title]) return [null, null];
  tips += 1;
  return [`tip${tips}`, element('span', { class: 'tip', role: 'tooltip', id: `tip${tips}` }, WHY[title])];
}

function term(title) {
  const [id, why] = tip(title);
  return why ? [element('button', { type: 'button', class: 'term', 'aria-describedby': id }, title), why] : title;
}

const facts = (...rows) =>
  element('dl', { class: 'facts' }, rows.filter(Boolean).map(([title, ...values]) =>
    element('div', {}, element('dt', {}, term(title)), element('dd', {}, ...values))));

// Buttons of which one is pressed
function choice(label, names, chosen, change) {
  const buttons = names.map((name, place) => element('button', {
    type: 'button', 'aria-pressed': String(place === chosen), click: () => change(place),
  }, name));
  return element('div', { class: 'choice', role: 'group', 'aria-label': label }, buttons);
}
const press = (group, place) =>
  [...group.children].forEach((button, at) => button.setAttribute('aria-pressed', String(at === place)));

// Both texts have the same words in the same order, so one run is as long as either
const areCopies = (pair) => [pairs.a[pair], pairs.b[pair]].every((document_) => lists.words[document_] === pairs.longest[pair]);

const known = lists.apart && !lists.given; // all documents of a would go

// Whether passages have so many quarters of the longer text's words
const sharesQuarters = (pair, least) => [pairs.a[pair], pairs.b[pair]].every((document_) =>
  4 * pairs.shared[pair] >= least * (lists.words[document_] ?? 0));

function fieldsOf(document_) {
  const said = lists.said[document_].flatMap((value, at) => (value ? [`${visible(lists.fields[at])}: ${visible(value)}`] : []));
  return said.length ? element('p', { class: 'fields' }, said.join(' · ')) : null;
}

// A heading that gets the focus when the view changes, so that a screen reader begins there
const heading = (...content) => element('h2', { tabindex: -1, id: 'heading' }, ...content);
