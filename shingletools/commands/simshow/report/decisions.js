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

const VERDICTS = ['Same', 'Different', 'Unsure'];
const LABELS = ['same', 'different', 'unsure']; // what files say of these
const KEPT = `shingletools ${lists.key}`;
let decisions = {}; // the place of a verdict, or -1, by the first of its folded pairs
let storing = true; // until the browser refuses: from then on, decisions last as long as the page
function load() {
  try {
    if (storing) decisions = { ...JSON.parse(localStorage.getItem(KEPT)) };
  } catch {
    // No storage, or what no page wrote
  }
}
load();
const cameAs = (pair) => LABELS.findIndex((label) => pairs.label[pair] === `,"label":"${label}"`);
function verdictOf(pair) { // a place in VERDICTS, or -1
  const [first] = folded(pair);
  return [-1, 0, 1, 2].includes(decisions[first]) ? decisions[first] : cameAs(first);
}

const preference = []; // by document: the less, the more it is preferred
lists.order.forEach((document_, place) => { preference[document_] = place; });
// Which documents of a pair may go: 1 is a, 2 is b, 3 either. Of one that removed nothing, and is the same, one may
function sidesOf(pair) {
  if (verdictOf(pair) !== 0 || pairs.removes[pair]) return pairs.removes[pair];
  return lists.apart || preference[pairs.a[pair]] > preference[pairs.b[pair]] ? 1 : 2;
}

// The documents that dedup removes by some pairs: as decide_by_cover, for originals, whose copies have no other pairs
function removedBy(taken) {
  if (lists.apart) return new Set(taken.filter((pair) => sidesOf(pair) & 1).map((pair) => pairs.a[pair]));
  const original = lists.names.map((_, document_) => document_);
  const isCopy = (pair) => said[pair].copy === true && sidesOf(pair) === 3;
  for (const pair of taken) if (isCopy(pair)) original[pairs.b[pair]] = pairs.a[pair];
  const first = new Map(); // of an original and its copies, the preferred one
  for (const each of lists.order) if (!first.has(original[each])) first.set(original[each], each);
  const covered = new Map([...first.keys()].map((each) => [each, []])); // what may go for a document
  const waiting = lists.names.map(() => 0); // for how many that have not gone it may go
  for (const pair of taken.filter((each) => !isCopy(each))) {
    const [a, b] = [original[pairs.a[pair]], original[pairs.b[pair]]];
    const sides = sidesOf(pair) === 3 ? (preference[first.get(a)] < preference[first.get(b)] ? 2 : 1) : sidesOf(pair);
    for (const [goes, stays] of [...(sides & 1 ? [[a, b]] : []), ...(sides & 2 ? [[b, a]] : [])]) {
      covered.get(stays).push(goes);
      waiting[goes] += 1;
    }
  }
  const stays = new Map();
  const open = [...first.keys()].filter((each) => !waiting[each]);
  for (const each of open) stays.set(each, true);
  for (const next of [open[0], ...first.keys()]) {
    if (!stays.has(next)) open.push(stays.set(next, true) && next);
    while (open.length) {
      const each = open.pop();
      for (const other of covered.get(each) ?? []) {
        if (!stays.get(each)) waiting[other] -= 1;
        if (!stays.has(other) && (stays.get(each) || !waiting[other])) {
          stays.set(other, !stays.get(each));
          open.push(other);
        }
      }
    }
  }
  return new Set(lists.order.filter((each) => first.get(original[each]) !== each || !stays.get(original[each])));
}

const isSame = (pair) => verdictOf(pair) === 0;
const remains = (pair) => isSame(pair) || (verdictOf(pair) < 0 && lists.listed[pair]);
const pairsThat = (wanted) => lists.listed.flatMap((_, pair) => (wanted(pair) ? [pair] : []));
let gone = null; // what goes if undecided pairs stay as they are
function goes(document_) {
  gone ??= removedBy(pairsThat(remains));
  return gone.has(document_);
}
const fate = (document_) => live(() => element('span', { class: 'fate' }, !lists.removable ? '' : goes(document_) ? 'removed' : 'kept'));

const undos = []; // of each change: a pair, and the decisions that it replaced
// Changes decisions, stores them, and shows what follows from them
function change(pair, how) {
  load();
  const before = { ...decisions };
  how();
  undos.push([pair, Object.keys(decisions).filter((key) => before[key] !== decisions[key]).map((key) => [key, before[key]])]);
  keep();
}
function keep() {
  try {
    if (storing) localStorage.setItem(KEPT, JSON.stringify(decisions));
  } catch {
    storing = false;
  }
  gone = null;
  for (const each of document.querySelectorAll('.decide')) press(each, verdictOf(Number(each.getAttribute('data-of'))));
  for (const each of document.querySelectorAll('.live')) each.again();
  byId('undo').hidden = !undos.length;
}
const bothOf = (pair) => `${nameOf(pairs.a[pair])} and ${nameOf(pairs.b[pair])}`;

// Decides about a pair, or takes the same decision back
function decide(pair, verdict) {
  const taken = verdictOf(pair) !== verdict; // by what is shown, whatever another window decided
  change(pair, () => { decisions[folded(pair)[0]] = taken ? verdict : -1; });
  say(`${taken ? VERDICTS[verdict] : 'Not decided'}: ${bothOf(pair)}${storing ? '' : '. This browser does not keep it'}`);
  return taken;
}
function decideAll(some, verdict) {
  change(some[0], () => some.forEach((pair) => { decisions[folded(pair)[0]] = verdict; }));
  say(`${VERDICTS[verdict]}: ${plural(new Set(some.map(textsOf)).size, 'pair')}`);
}
function undo() {
  if (!undos.length) return say('Nothing to undo');
  const [pair, before] = undos.pop();
  load();
  for (const [key, verdict] of before) decisions[key] = verdict ?? -1;
  keep();
  say(`Undone: ${bothOf(pair)}`);
  if (shown.pair && shown.place !== pair) {
    notice = byId('status').textContent;
    location.hash = `#pair/${pair}`;
  }
  return null;
}

function decider(pair) {
  const made = choice(`Decision on ${bothOf(pair)}`, VERDICTS, verdictOf(pair), (verdict) => decide(pair, verdict));
  made.classList.add('decide');
  made.setAttribute('data-of', pair);
  return made;
}

// The id of a document as JSON. Names are bare, or JSON if they would look alike
const OTHERS = ' (--against)';
function idOf(document_, other) {
  const name = other ? lists.names[document_].slice(0, -OTHERS.length) : lists.names[document_];
  return lists.integer[document_] || name.startsWith('"') ? name : JSON.stringify(name);
}

// The pair with all that came with it, and how dedup may follow what was decided
function lineOf(pair, label) {
  const [similarity, more] = [pairs.similarity[pair], pairs.more[pair]];
  const covers = isSame(pair) && !pairs.removes[pair] ? `,"covers":"${' ab'[sidesOf(pair)]}"` : pairs.covers[pair];
  return `{"a":${idOf(pairs.a[pair], false)},"b":${idOf(pairs.b[pair], lists.apart)}${lists.apart ? ',"against":true' : ''}`
    + `${similarity === null ? '' : `,"similarity":${similarity}`}${more && `,${more}`}${covers}${label}}\n`;
}
const labelled = (pair) => lineOf(pair, `,"label":"${LABELS[verdictOf(pair)]}"`);
const FILES = [ // name, use, which pairs are in it, the line of one, and whether dedup takes it
  ...(lists.left.pairs ? [] : [['remaining.jsonl', 'all pairs but those that are different or unsure', remains,
    (pair) => lineOf(pair, cameAs(pair) === 2 ? '' : pairs.label[pair]), true]]),
  ['labels.jsonl', 'what is the same or different, to be loaded again, or for the --truth of simscore and simtune',
    (pair) => [0, 1].includes(verdictOf(pair)), labelled, true],
  ['unsure.jsonl', 'what is unsure, to be loaded again', (pair) => verdictOf(pair) === 2, labelled],
];

function save(name, lines) {
  const link = element('a', { download: name, href: URL.createObjectURL(new Blob(lines)) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// What dedup does with a file, and the command, ready to copy
function command(name, wanted) {
  const removed = removedBy(pairsThat((pair) => wanted(pair) && verdictOf(pair) !== 1));
  const code = element('code', {}, `dedup ${lists.apart ? '--known' : '--pairs'} ${name} ${visible(lists.dedup)}`);
  return [` With it, dedup removes ${plural(removed.size, 'document')}, ${plural(wordsOf([...removed]), 'word')}: `, code, ' ',
    element('button', { type: 'button', click: async () => {
      getSelection().selectAllChildren(code);
      await navigator.clipboard?.writeText(code.textContent).then(() => say('Copied'), () => say('Selected'));
    } }, 'Copy')];
}
const wordsOf = (documents) => documents.reduce((sum, each) => sum + (lists.words[each] ?? 0), 0);

// Takes the decisions in a file of labels that this page saved, or another one with some of these pairs
const LABELLED = /^\{"a": ?("(?:[^"\\]|\\.)*"|-?\d+), ?"b": ?("(?:[^"\\]|\\.)*"|-?\d+),.*"label": ?"(same|different|unsure)"\}$/;
async function loadLabels(file) {
  const lines = (await file.text()).split(/\r?\n/).filter(Boolean);
  const known = new Map(); // the ids of a pair -> what its decision is kept by
  for (let pair = 0; pair < pairs.count; pair += 1) {
    known.set(`${idOf(pairs.a[pair], false)} ${idOf(pairs.b[pair], lists.apart)}`, folded(pair)[0]);
  }
  const found = lines.map((line) => LABELLED.exec(line) ?? []).filter(([, a, b]) => known.has(`${a} ${b}`));
  change(0, () => found.forEach(([, a, b, label]) => { decisions[known.get(`${a} ${b}`)] = LABELS.indexOf(label); }));
  say(`Loaded: ${number(found.length)} of ${number(lines.length)} lines are labels of pairs on this page`);
}

// How much is decided, and the files
const saves = () => live(() => {
  const rows = [...folds.values()];
  const decided = rows.filter(([pair]) => verdictOf(pair) >= 0).length;
  return element('div', { class: 'saves' },
    element('p', {}, decided ? `Decided: ${number(decided)} of ${number(rows.length)}. `
      + (storing ? 'This browser keeps it. To use it, save:' : 'This browser does not keep it. Before you close the page, save:')
      : `Nothing is decided yet. Say of each pair whether both are the same; this browser ${storing ? 'keeps it, and ' : ''}`
      + 'sends it nowhere.'),
    decided ? FILES.map(([name, why, wanted, line, dedup]) => element('p', {}, element('button', { type: 'button',
      click: () => save(name, pairsThat(wanted).map(line)) }, name), ` ${why}.`,
    dedup && lists.dedup ? command(name, wanted) : null)) : null,
    element('p', {}, element('label', {}, 'Load saved labels: ',
      element('input', { type: 'file', change: ({ target }) => target.files[0] && loadLabels(target.files[0]) }))));
});
