// Shows the view that the address names, and handles keys
const FIRST_VIEW = pairs.count === 1 ? 'pair' : groups.length ? 'groups' : 'pairs';
let shown = { kind: FIRST_VIEW };
let notice = ''; // what the next view says

// The next and previous item of a list, in its order; pairs of the same two texts are one
function neighbour(list, place, by) {
  const at = list.rows.indexOf(list === pairList ? folded(place)[0] : place);
  return list.rows[at + by];
}

function turns(kind, place, list, more) {
  const link = (label, by) => {
    const next = neighbour(list, place, by);
    return next === undefined ? element('span', { class: 'off' }, label) : element('a', { href: `#${kind}/${next}` }, label);
  };
  return element('p', { class: 'turns' }, link(`Previous ${kind}`, -1), ' ', link(`Next ${kind}`, 1), ' ',
    element('a', { href: `#${kind}s` }, `All ${kind}s`), ' ', more);
}

const VIEWS = {
  groups: (main) => groupList.show(main),
  pairs: (main) => pairList.show(main),
  group: showGroup,
  pair: (main, place) => {
    shown.pair = new Pair(place);
    shown.pair.show(main);
  },
};
const COUNTS = { group: groups.length, pair: pairs.count }; // views of one thing

function route(first) {
  let [kind, place] = location.hash.slice(1).split('/');
  if (kind === 'main') return byId('main').focus();
  place = Number(place ?? NaN);
  if (!(kind in VIEWS) || (kind in COUNTS && !(Number.isInteger(place) && place >= 0 && place < COUNTS[kind]))) [kind, place] = [FIRST_VIEW, 0];
  shown = { kind, place };
  say(notice);
  notice = '';
  byId('main').replaceChildren();
  VIEWS[kind](byId('main'), place);
  for (const link of document.querySelectorAll('nav a')) {
    const here = link.hash.slice(1).startsWith(kind.replace(/s$/, ''));
    if (here) link.setAttribute('aria-current', link.hash === `#${kind}` ? 'page' : 'true');
    else link.removeAttribute('aria-current');
  }
  document.title = `${byId('heading').textContent} – ${byId('title').textContent}`;
  if (first !== true) {
    scrollTo(0, 0);
    byId('heading').focus({ preventScroll: true });
  }
}

const LISTS = { group: groupList, groups: groupList, pair: pairList, pairs: pairList };

// message: what the next view says
function go(by, message = '') {
  const list = LISTS[shown.kind];
  if (!list) return;
  if (shown.kind.endsWith('s')) list.turn(by);
  else {
    const next = neighbour(list, shown.place, by);
    if (next === undefined) say(`No ${by > 0 ? 'next' : 'previous'} ${shown.kind}`);
    else {
      notice = message;
      location.hash = `#${shown.kind}/${next}`;
    }
  }
}

// The rows of a list that have a pair, or the members of a group, and the one of these that has the focus
const items = () => [...document.querySelectorAll('.item')];
const current = () => document.activeElement.closest('.item') ?? document.querySelector('.item[aria-current]');

function step(by) {
  if (shown.pair) return shown.pair.step(by);
  const next = items()[current() ? items().indexOf(current()) + by : 0];
  return next?.querySelector('a, button').focus();
}

// Decides on the pair, or the row or member that has the focus, and goes on to the next one
function judge(verdict) {
  const pair = shown.pair?.place ?? current()?.getAttribute('data-pair') ?? null;
  if (pair === null) return items().length ? say('Which pair? The key n goes to the first') : null;
  if (decide(Number(pair), verdict)) (shown.pair ? go : step)(1, byId('status').textContent);
  return null;
}

const KEYS = {
  n: () => step(1),
  p: () => step(-1),
  s: () => judge(0),
  d: () => judge(1),
  u: () => judge(2),
  z: undo,
  j: () => go(1),
  k: () => go(-1),
  l: () => {
    if (shown.kind in COUNTS) location.hash = `#${shown.kind}s`;
  },
  '/': () => {
    if (!byId('search')) location.hash = '#pairs';
    setTimeout(() => byId('search').focus());
  },
};

document.addEventListener('keydown', (event) => {
  const busy = event.ctrlKey || event.altKey || event.metaKey || event.target.matches('input, textarea, select');
  if (busy || !byId('keys').checked || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});
byId('undo').addEventListener('click', undo);
for (const [type, paper] of [['beforeprint', true], ['afterprint', false]]) {
  addEventListener(type, () => {
    printing = paper;
    (LISTS[shown.kind] === undefined || shown.pair ? shown.pair : shown.draw ? shown : LISTS[shown.kind]).draw();
  });
}
addEventListener('hashchange', route);
route(true);
