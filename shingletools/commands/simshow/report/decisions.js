// What people decide about pairs: this browser keeps it, and files take it away. Nothing is sent

// Documents with the same words stand for each other: the first of them for all. So pairs of the same two texts are one
// row of a list, and one decision
const same = lists.names.map((_, document_) => document_);
function firstOf(document_) {
  let at = document_;
  while (same[at] !== at) at = same[at] = same[same[at]];
  return at;
}
for (let pair = 0; pair < pairs.count; pair += 1) {
  const [one, other] = [firstOf(pairs.a[pair]), firstOf(pairs.b[pair])];
  if (areCopies(pair)) same[Math.max(one, other)] = Math.min(one, other);
}
const textsOf = (pair) => keyOf(firstOf(pairs.a[pair]), firstOf(pairs.b[pair]));
const folds = new Map(); // the two texts -> their pairs; those of the list come first
const folded = (pair) => folds.get(textsOf(pair));
for (const inList of [true, false]) {
  for (let pair = 0; pair < pairs.count; pair += 1) {
    if (!folds.has(textsOf(pair))) folds.set(textsOf(pair), []);
    if (lists.listed[pair] === inList) folded(pair).push(pair);
  }
}

const VERDICTS = ['Accept', 'Reject', 'Unsure'];
const DECIDED = ['Accepted', 'Rejected', 'Unsure'];
const SIGNS = ['✓', '✗', '?'];
const KEPT = `shingletools ${lists.key}`;
let decisions = {}; // the place of a verdict, by the first of its folded pairs
let storing = true; // until the browser refuses: from then on, decisions last as long as the page
function load() {
  try {
    if (storing) decisions = { ...JSON.parse(localStorage.getItem(KEPT)) };
  } catch {
    // No storage, or what no page wrote
  }
}
load();
const verdictOf = (pair) => [0, 1, 2].indexOf(decisions[folded(pair)[0]]); // a place in VERDICTS, or -1

// Stores the decisions, and shows those that differ from what they were before
function keep(before) {
  try {
    if (storing) localStorage.setItem(KEPT, JSON.stringify(decisions));
  } catch {
    storing = false;
  }
  for (const each of document.querySelectorAll('.decide, .sign')) {
    const at = Number(each.getAttribute('data-of'));
    if (before[at] === decisions[at]) continue;
    if (each.matches('.decide')) press(each, verdictOf(at));
    else each.replaceWith(sign(at));
  }
  for (const each of document.querySelectorAll('.saves')) each.replaceWith(saves());
}

// Decides about a pair, or takes the same decision back
function decide(pair, verdict) {
  const [key] = folded(pair);
  const taken = verdictOf(pair) !== verdict; // by what is shown, whatever another window decided
  const before = { ...decisions };
  load();
  if (taken) decisions[key] = verdict;
  else delete decisions[key];
  keep(before);
  say(`${taken ? DECIDED[verdict] : 'Not decided'}: ${nameOf(pairs.a[pair])} and ${nameOf(pairs.b[pair])}`
    + (storing ? '' : '. This browser does not keep it'));
  return taken;
}

const sign = (pair) => element('span', { class: 'sign', 'data-of': folded(pair)[0] },
  verdictOf(pair) < 0 ? null : element('span', { role: 'img', 'aria-label': DECIDED[verdictOf(pair)] }, SIGNS[verdictOf(pair)]));

function decider(pair) {
  const names = VERDICTS.map((verdict, place) => [element('span', { 'aria-hidden': 'true' }, SIGNS[place]),
    element('span', { class: 'word' }, ` ${verdict}`)]);
  const made = choice(`Decision on ${nameOf(pairs.a[pair])} and ${nameOf(pairs.b[pair])}`, names, verdictOf(pair),
    (verdict) => decide(pair, verdict));
  made.classList.add('decide');
  made.setAttribute('data-of', folded(pair)[0]);
  return made;
}

// The id of a document as JSON. Names are bare, or JSON if they would look alike
const OTHERS = ' (--against)';
function idOf(document_, other) {
  const name = other ? lists.names[document_].slice(0, -OTHERS.length) : lists.names[document_];
  return lists.integer[document_] || name.startsWith('"') ? name : JSON.stringify(name);
}

// The pair with all that came with it. If it is accepted, dedup may remove one of its documents
function lineOf(pair, label) {
  const [similarity, more] = [pairs.similarity[pair], pairs.more[pair]];
  const covers = verdictOf(pair) === 0 && !pairs.removes[pair] ? ',"covers":"both"' : pairs.covers[pair];
  return `{"a":${idOf(pairs.a[pair], false)},"b":${idOf(pairs.b[pair], lists.apart)}${lists.apart ? ',"against":true' : ''}`
    + `${similarity === null ? '' : `,"similarity":${similarity}`}${more && `,${more}`}${covers}${label}}\n`;
}

const LABELS = ['same', 'different', 'unsure']; // by the places of VERDICTS
const labelled = (pair) => lineOf(pair, `,"label":"${LABELS[verdictOf(pair)]}"`);
const unlabelled = (pair) => lineOf(pair, verdictOf(pair) === 0 ? '' : pairs.label[pair]);
const forDedup = lists.removable ? `, for dedup ${lists.apart ? '--known' : '--pairs'}` : '';
const FILES = [ // name, use, whether pairs of the same texts are in it, a pair's line
  ['labels.jsonl', 'what was accepted and rejected, for the --truth of simscore and simtune',
    ([pair]) => [0, 1].includes(verdictOf(pair)), labelled],
  ['accepted.jsonl', `the accepted pairs${forDedup}`, ([pair]) => verdictOf(pair) === 0, unlabelled],
  ...(lists.left.pairs ? [] : [['remaining.jsonl', `all pairs but the rejected and the unsure ones${forDedup}`,
    ([pair]) => verdictOf(pair) === 0 || (verdictOf(pair) < 0 && lists.listed[pair]), unlabelled]]),
  ['unsure.jsonl', 'what was marked as unsure, to be loaded again', ([pair]) => verdictOf(pair) === 2, labelled],
];

function save(name, lines) {
  const link = element('a', { download: name, href: URL.createObjectURL(new Blob(lines)) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// Takes the decisions in a file of labels that this page saved, or another one with some of these pairs
const LABELLED = /^\{"a": ?("(?:[^"\\]|\\.)*"|-?\d+), ?"b": ?("(?:[^"\\]|\\.)*"|-?\d+),.*"label": ?"(same|different|unsure)"\}$/;
async function loadLabels(file) {
  const lines = (await file.text()).split(/\r?\n/).filter(Boolean);
  const known = new Map(); // the ids of a pair -> what its decision is kept by
  for (let pair = 0; pair < pairs.count; pair += 1) {
    known.set(`${idOf(pairs.a[pair], false)} ${idOf(pairs.b[pair], lists.apart)}`, folded(pair)[0]);
  }
  const before = { ...decisions };
  load();
  let found = 0;
  for (const line of lines) {
    const [, a, b, label] = LABELLED.exec(line) ?? [];
    const key = known.get(`${a} ${b}`);
    if (key === undefined) continue;
    decisions[key] = LABELS.indexOf(label);
    found += 1;
  }
  keep(before);
  say(`Loaded: ${number(found)} of ${number(lines.length)} lines are labels of pairs on this page`);
}

// How much is decided, and the files
function saves() {
  const rows = [...folds.values()];
  const decided = rows.filter(([pair]) => verdictOf(pair) >= 0).length;
  return element('div', { class: 'saves' },
    element('p', {}, decided ? `Decided: ${number(decided)} of ${number(rows.length)}. `
      + (storing ? 'This browser keeps it. To use it, save:' : 'This browser does not keep it. Before you close the page, save:')
      : `Nothing is decided yet. Open a pair, and say whether you accept it; this browser ${storing ? 'keeps it, and ' : ''}`
      + 'sends it nowhere.'),
    decided ? FILES.map(([name, why, wanted, line]) => element('p', {}, element('button', { type: 'button',
      click: () => save(name, rows.filter(wanted).flat().map(line)) }, name), ` ${why}`)) : null,
    element('p', {}, element('label', {}, 'Load saved labels: ',
      element('input', { type: 'file', change: ({ target }) => target.files[0] && loadLabels(target.files[0]) }))));
}
