// The data: JSON in script elements that the browser does not run. Each is parsed when it is first shown. Its contents
// become text nodes and attributes without code, never markup
const byId = (id) => document.getElementById(id);
const parsed = (id) => JSON.parse(byId(id)?.textContent ?? 'null');
const lists = parsed('lists');
const pairs = { count: lists.pairs.a?.length ?? 0, ...lists.pairs };
const groups = lists.groups;

const texts = new Map(); // the texts that were shown last
function textOf(document_) {
  if (!texts.has(document_)) {
    if (texts.size > 200) texts.clear();
    texts.set(document_, parsed(`d${document_}`) ?? '');
  }
  return texts.get(document_);
}

let between = null; // two documents -> the number of their pair; made when it is first needed
function pairOf(one, other) {
  const key = (a, b) => Math.min(a, b) * lists.names.length + Math.max(a, b);
  between ??= new Map(Array.from({ length: pairs.count }, (_, pair) => [key(pairs.a[pair], pairs.b[pair]), pair]));
  return between.get(key(one, other));
}

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

// The first letters of a text, or those around the first hit of a search
const FIRST = 120;
const BEFORE = 40; // letters before a hit
function extract(document_, query) {
  const text = textOf(document_);
  const letters = query && new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'i').exec(text);
  const hit = letters ? [letters.index, letters.index + letters[0].length] : [0, 0];
  const from = whole(text, Math.max(0, hit[0] - BEFORE));
  const to = whole(text, Math.max(hit[1], from + FIRST));
  return element('p', { class: 'extract' }, from ? '… ' : null, visible(text.slice(from, hit[0])),
    letters ? element('b', { class: 'hit' }, visible(letters[0])) : null, visible(text.slice(hit[1], to)),
    to < text.length ? ' …' : null);
}

const grouped = new Intl.NumberFormat('en');
const number = (value) => (value === null || value === undefined ? '–' : grouped.format(value));
const plural = (count, unit) => `${number(count)} ${unit}${count === 1 ? '' : 's'}`;
const share = (value) => (value === null || value === undefined ? '–' : value.toFixed(3));
const percent = (part, of) => (of ? `${Math.floor((100 * part) / of)}%` : '–'); // 100% is all

function say(message) {
  byId('status').textContent = message;
}

const facts = (...rows) =>
  element('dl', { class: 'facts' }, rows.map(([term, ...values]) =>
    element('div', {}, element('dt', {}, term), element('dd', {}, ...values))));

// A heading that gets the focus when the view changes, so that a screen reader begins there
const heading = (...content) => element('h2', { tabindex: -1, id: 'heading' }, ...content);
