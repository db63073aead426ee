// The data: JSON in script elements that the browser does not run. Each is parsed when it is first shown. Its contents
// become text nodes and attributes without code, never markup
const byId = (id) => document.getElementById(id);
const parsed = (id) => JSON.parse(byId(id)?.textContent ?? 'null');
const lists = parsed('lists');
const pairs = { count: lists.pairs.a?.length ?? 0, ...lists.pairs };
const groups = lists.groups;

// What came with a pair beside its ids, and the answer of simcheck
const said = (pairs.more ?? []).map((more) => JSON.parse(`{${more}}`));
const answerOf = (pair) => (typeof said[pair].answer === 'string' ? said[pair].answer : '');
const answers = ['copy', 'doubtful', 'different'].filter((each) => said.some(({ answer }) => answer === each));
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

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return made;
}

// An element that is made anew whenever something is decided
function live(make) {
  const made = make();
  made.classList.add('live');
  made.again = () => made.replaceWith(live(make));
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

// The next blank on one side of a place, or the place itself if none is near
function blank(text, place, by) {
  for (let at = place; Math.abs(at - place) < 20; at += by) if (/\s/.test(text[at])) return at;
  return whole(text, place);
}

let sought = null; // what the last search was for, as a pattern
const seek = (letters) => {
  sought = letters ? new RegExp(`(${letters.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')})`, 'i') : null;
};

// A text whose hits are marked
const marked = (text) => (!sought ? [visible(text)] : text.split(sought).map((part, at) =>
  (at % 2 ? element('b', { class: 'hit' }, visible(part)) : visible(part))));

// A stretch of a text; of a long one, the middle is folded, unless it has a hit
const INNER = { most: 100000, kept: 50000 };
function stretch(text, from, to, { most, kept }) {
  if (to - from <= most) return marked(text.slice(from, to));
  const [first, last] = [blank(text, from + kept, -1), blank(text, to - kept, 1)];
  return [marked(text.slice(from, first)), fold(`${plural(last - first, 'character')} more`,
    sought?.test(text.slice(first, last)), stretch(text, first, last, INNER)), marked(text.slice(last, to))].flat();
}
const fold = (title, open, ...content) =>
  element('details', { open }, element('summary', {}, title), element('div', {}, ...content));

// The fields of a document, in bold where another one differs; and the first letters of its text, or those around a hit,
// or where it begins to differ
const FIRST = 120;
const BEFORE = 40; // letters before a hit
function fieldsOf(document_, other = document_) {
  const found = lists.said[document_].flatMap((value, at) => (value ? [[' · ', `${visible(lists.fields[at])}: `,
    element(value === (lists.said[other][at] ?? '') ? 'span' : 'b', {}, marked(value))]] : []));
  return found.length ? element('p', { class: 'fields' }, found.flat().slice(1)) : null;
}
function extract(document_, differs = 0, other = document_) {
  const text = textOf(document_);
  const hit = sought?.exec(text)?.index ?? (differs > FIRST - BEFORE ? differs : 0);
  const from = hit > BEFORE ? blank(text, hit - BEFORE, 1) : 0;
  const to = whole(text, from + FIRST);
  return [fieldsOf(document_, other), element('p', { class: 'extract', dir: 'auto' }, from ? '… ' : null,
    marked(text.slice(from, to)), to < text.length ? ' …' : null)];
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

const facts = (...rows) => element('dl', { class: 'facts' }, rows.filter(Boolean).map(([title, ...values]) =>
  element('div', {}, element('dt', {}, title), element('dd', {}, ...values))));

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

// Whether passages have so many quarters of the longer text's words
const sharesQuarters = (pair, least) => [pairs.a[pair], pairs.b[pair]].every((document_) =>
  4 * pairs.shared[pair] >= least * (lists.words[document_] ?? 0));

// A heading that gets the focus when the view changes, so that a screen reader begins there
const heading = (...content) => element('h2', { tabindex: -1, id: 'heading' }, ...content);
