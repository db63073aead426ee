// Shows the view that the address names, and handles keys
let shown = { kind: 'overview' };

// The next and previous item of a list, in its order
function neighbour(list, place, by) {
  const at = list.rows.indexOf(place);
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
  overview: (main) => showOverview(main),
  groups: (main) => groupList.show(main),
  pairs: (main) => pairList.show(main),
  group: (main, place) => showGroup(main, place),
  pair: (main, place) => {
    shown.pair = new Pair(place);
    shown.pair.show(main);
  },
};
const COUNTS = { group: groups.length, pair: pairs.count };

function route(first) {
  let [kind, place] = location.hash.slice(1).split('/');
  if (kind === 'main') return byId('main').focus();
  place = Number(place ?? NaN);
  if (!(kind in VIEWS) || (kind in COUNTS && !(Number.isInteger(place) && place >= 0 && place < COUNTS[kind]))) kind = 'overview';
  shown = { kind, place };
  say('');
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

function go(by) {
  const list = LISTS[shown.kind];
  if (!list) return;
  if (shown.kind.endsWith('s')) list.turn(by);
  else {
    const next = neighbour(list, shown.place, by);
    if (next === undefined) say(`No ${by > 0 ? 'next' : 'previous'} ${shown.kind}`);
    else location.hash = `#${shown.kind}/${next}`;
  }
}

const KEYS = {
  n: () => shown.pair?.step(1),
  p: () => shown.pair?.step(-1),
  j: () => go(1),
  k: () => go(-1),
  u: () => {
    location.hash = shown.kind in COUNTS ? `#${shown.kind}s` : '#overview';
  },
  '/': () => {
    if (!byId('search')) location.hash = '#pairs';
    setTimeout(() => byId('search').focus());
  },
};

// Escape hides an explanation until the next one is asked for
for (const type of ['focusin', 'pointerover']) document.addEventListener(type, () => document.body.classList.remove('hush'));

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') document.body.classList.add('hush');
  const busy = event.ctrlKey || event.altKey || event.metaKey || event.target.matches('input, textarea, select');
  if (busy || !byId('keys').checked || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});
addEventListener('hashchange', route);
route(true);
