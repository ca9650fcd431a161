/**
 * The style and the script of every HTML report. The page's policy names their hashes, so nothing
 * else runs in it, whatever names findings have.
 */

export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2128; --paper: #fff; --quiet: #59636e; --line: #d5dae0;
  --raised: #f5f7f9; --accent: #0b62c4; --error: #b4232b; --warning: #8a5a00; --note: #4a5563; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --paper: #14181d; --quiet: #9aa5b1; --line: #333b45;
    --raised: #1d232a; --accent: #6cb0ff; --error: #ff8b85; --warning: #e8b451; --note: #a9b4c0; }
}
*, ::before { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 15px/1.45 system-ui, sans-serif; }
header, main, footer { max-width: 1280px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 24px; }
h1 { font-size: 22px; margin: 0 0 4px; }
p { margin: 0 0 8px; }
.quiet { color: var(--quiet); }
.problems { border-left: 4px solid var(--error); background: var(--raised); margin: 16px 0; padding: 10px 16px; }
.problems h2 { font-size: 15px; margin: 0 0 4px; }
.problems ul { margin: 0; padding-left: 18px; overflow-wrap: anywhere; }
form { display: flex; flex-wrap: wrap; gap: 10px; align-items: end; position: sticky; top: 0; z-index: 1;
  background: var(--paper); padding: 12px 0; border-bottom: 1px solid var(--line); }
label { display: flex; flex-direction: column; gap: 2px; font-size: 12px; color: var(--quiet); }
label.text { flex: 1 1 220px; }
input, select { font: inherit; font-size: 15px; color: var(--ink); background: var(--paper); min-height: 36px;
  border: 1px solid var(--line); border-radius: 6px; padding: 4px 8px; width: 100%; max-width: 100%; }
select { min-width: 110px; max-width: 220px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
output { flex-basis: 100%; font-size: 13px; color: var(--quiet); font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; margin: 8px 0 24px; }
th { text-align: left; font-size: 12px; font-weight: 600; color: var(--quiet); padding: 8px 10px 8px 0; }
td { vertical-align: top; padding: 8px 10px 8px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
td { min-width: 6.5em; }
th:last-child, td:last-child { padding-right: 0; width: 42%; }
tr { scroll-margin-top: 130px; }
tr:target td { background: var(--raised); }
tr[hidden], .waits tbody { display: none; }
button { font: inherit; color: var(--accent); background: none; border: 1px solid var(--line); border-radius: 6px;
  padding: 8px 14px; margin-bottom: 24px; cursor: pointer; }
button[hidden] { display: none; }
.level { font-weight: 600; white-space: nowrap; }
.level::before { content: ''; display: inline-block; width: 9px; height: 9px; margin-right: 7px; border-radius: 50%;
  background: currentColor; }
.error { color: var(--error); } .warning { color: var(--warning); } .note { color: var(--note); }
.warning::before { border-radius: 2px; } .note::before { background: none; border: 2px solid currentColor; }
summary { cursor: pointer; }
details p { white-space: pre-wrap; margin: 6px 0 0; font: 13px/1.5 ui-monospace, monospace; color: var(--quiet); }
details img { display: block; max-width: 100%; height: auto; margin-top: 8px; border: 1px solid var(--line); }
footer { padding-bottom: 32px; font-size: 13px; color: var(--quiet); }
@media (max-width: 700px) {
  header, main, footer { padding-left: 12px; padding-right: 12px; }
  form { position: static; }
  label { flex: 1 1 45%; }
  label.text { flex-basis: 100%; }
  select { max-width: none; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table, tbody { display: block; }
  tr { display: flex; flex-wrap: wrap; gap: 2px 12px; padding: 10px 0; border-top: 1px solid var(--line); }
  td, td:last-child { display: block; border: 0; padding: 0; width: auto; min-width: 0; }
  tr:first-child { border-top: 0; }
  td.wide, td:last-child { flex-basis: 100%; }
}
@media print { form { display: none; } tr { break-inside: avoid; } }
`;

/** Runs before the rows, so that browsers don't lay out rows that the script hides. */
export const EARLY_SCRIPT = `document.documentElement.className = 'waits';`;

/** Shows only some of the matching rows, since a browser needs seconds for 20,000. */
export const SCRIPT = `
'use strict';
{
  const form = document.querySelector('form');
  const text = form.elements.namedItem('text');
  const selects = [...form.querySelectorAll('select')];
  const output = form.querySelector('output');
  const total = output.textContent;
  const more = document.querySelector('button');
  const rows = [...document.querySelectorAll('tbody tr')].map((row) => ({ row, words: null }));
  const wordsOf = (one) => (one.words ??= one.row.textContent.toLowerCase());
  let most = 500;
  const filter = () => {
    const wanted = text.value.trim().toLowerCase().split(/\\s+/).filter(Boolean);
    const chosen = selects.filter((select) => select.selectedIndex > 0);
    let fitting = 0;
    for (const one of rows) {
      const fits = chosen.every((select) => one.row.dataset[select.name] === select.value) &&
        wanted.every((word) => wordsOf(one).includes(word));
      if (fits) fitting++;
      const hides = !fits || fitting > most;
      if (one.row.hidden !== hides) one.row.hidden = hides;
    }
    output.textContent = fitting === rows.length ? total : fitting + ' of ' + total;
    more.hidden = fitting <= most;
    more.textContent = 'Show more: ' + Math.min(most, fitting) + ' of ' + fitting + ' are here';
  };
  more.addEventListener('click', () => {
    most += 500;
    filter();
  });
  let waiting = 0;
  form.addEventListener('input', () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(filter);
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  const step = (by) => {
    const open = rows.filter(({ row }) => !row.hidden).map(({ row }) => row.querySelector('summary'));
    const at = open.indexOf(document.activeElement);
    const next = open[at < 0 ? (by > 0 ? 0 : open.length - 1) : at + by];
    if (next) next.focus();
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches('input, select');
    if (event.key === 'Escape') {
      form.reset();
      filter();
    } else if (typing) return;
    else if (event.key === '/') text.focus();
    else if (event.key === 'j') step(1);
    else if (event.key === 'k') step(-1);
    else return;
    event.preventDefault();
  });
  const openTarget = () => {
    const row = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const details = row && row.querySelector('details');
    if (!details) return;
    row.hidden = false;
    details.open = true;
    row.scrollIntoView();
  };
  addEventListener('hashchange', openTarget);
  filter();
  document.documentElement.className = '';
  openTarget();
}
`;
