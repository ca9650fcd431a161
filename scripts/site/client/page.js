// What a page of the site does: theme, menu, search, live pages in the place of pictures.
import MiniSearch from 'minisearch';
import { FIELDS } from '../search-fields.mjs';

/** Most results that are shown. */
const MOST_FOUND = 12;

const root = document.documentElement.dataset.root ?? '';

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

// Before the page is drawn, or it would flash.
try {
  const theme = localStorage.getItem('theme');
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // From disk some browsers keep nothing: the system's theme it is.
}

function changeTheme() {
  const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark';
  const theme = isDark ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // As above.
  }
}

/** @type {Promise<MiniSearch> | undefined} */
let index;

/** A script, for from disk a page may not fetch. @returns {Promise<MiniSearch>} */
function loadIndex() {
  index ??= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = `${root}search-index.js`;
    script.onload = () => done(MiniSearch.loadJSON(/** @type {any} */ (globalThis).searchIndex, FIELDS));
    script.onerror = failed;
    document.head.append(script);
  });
  return index;
}

/** @param {string} words */
async function search(words) {
  const found = byId('site-found');
  const results =
    words.trim() === ''
      ? []
      : (await loadIndex()).search(words, {
          boost: { title: 3, heading: 4 },
          prefix: true,
          fuzzy: (term) => (term.length > 5 ? 0.15 : false),
          combineWith: 'AND',
        });
  found.replaceChildren(...results.slice(0, MOST_FOUND).map(resultOf));
  if (words.trim() !== '' && results.length === 0) found.append(paragraph('No results.'));
  found.hidden = words.trim() === '';
}

/** @param {string} text */
function paragraph(text) {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

/** @param {import('minisearch').SearchResult} result */
function resultOf({ title, heading, path, start }) {
  const link = document.createElement('a');
  link.href = root + path;
  const name = document.createElement('strong');
  name.textContent = heading === title ? title : `${title}: ${heading}`;
  const text = document.createElement('span');
  text.textContent = start;
  link.append(name, text);
  return link;
}

/** Arrows walk through what was found. @param {KeyboardEvent} event */
function walk(event) {
  const links = [...byId('site-found').querySelectorAll('a')];
  const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape') byId('site-found').hidden = true;
  else if (step !== undefined && links.length > 0) {
    links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
    event.preventDefault();
  } else if (event.key === 'Enter' && at < 0) links[0]?.click();
}

/** The live page in the place of its picture. @param {MouseEvent} event */
function enliven(event) {
  const link = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  if (event.ctrlKey || event.metaKey || event.shiftKey || innerWidth < 700) return; // a page of its own
  event.preventDefault();
  const frame = document.createElement('iframe');
  frame.src = link.href;
  frame.title = link.closest('.live')?.querySelector('img')?.alt ?? '';
  link.closest('.live')?.replaceChildren(frame);
}

document.addEventListener('DOMContentLoaded', () => {
  byId('site-theme').addEventListener('click', changeTheme);
  byId('site-menu').addEventListener('click', () => {
    const isOpen = document.body.classList.toggle('with-pages');
    byId('site-menu').setAttribute('aria-expanded', String(isOpen));
  });
  const field = /** @type {HTMLInputElement} */ (byId('site-search'));
  field.addEventListener('input', () => search(field.value));
  field.addEventListener('focus', () => search(field.value));
  document.querySelector('search')?.addEventListener('keydown', (event) => walk(/** @type {KeyboardEvent} */ (event)));
  document.addEventListener('click', ({ target }) => {
    if (!(/** @type {Element} */ (target).closest('search'))) byId('site-found').hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /** @type {Element} */ (event.target).closest('input')) return;
    event.preventDefault();
    field.focus();
  });
  for (const link of document.querySelectorAll('.live-link'))
    link.addEventListener('click', (event) => enliven(/** @type {MouseEvent} */ (event)));
  document.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
});
