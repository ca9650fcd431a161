// The frame of every page: the list of pages, the search, the link to the next page.
import { dirname, relative } from 'node:path/posix';
import { escapeHtml } from './highlight.mjs';
import { SECTIONS } from './navigation.mjs';

/**
 * @typedef {object} Page
 * @property {string} file in the repository
 * @property {string} path in the site
 * @property {string} title
 * @property {string} html
 * @property {import('./markdown.mjs').Heading[]} headings
 */

/** Pages in the order of the list. @param {ReadonlyMap<string, Page>} pages */
export const inOrder = (pages) => SECTIONS.flatMap((section) => section.pages.map(([file]) => pages.get(file)));

/** From one path of the site to another. @param {string} from @param {string} to */
export const hrefOf = (from, to) => relative(dirname(from), to) || to;

/** @param {Page} page @param {ReadonlyMap<string, Page>} pages */
function listOf(page, pages) {
  return SECTIONS.map(({ title, pages: own }) => {
    const points = own.map(([file, name]) => {
      const there = pages.get(file);
      const current = file === page.file ? ' aria-current="page"' : '';
      return there ? `<li><a href="${hrefOf(page.path, there.path)}"${current}>${escapeHtml(name)}</a></li>` : '';
    });
    return `<h2>${escapeHtml(title)}</h2>\n<ul>${points.join('')}</ul>`;
  }).join('\n');
}

/** @param {Page} page */
function contentsOf({ headings }) {
  const own = headings.filter(({ level }) => level === 2 || level === 3);
  if (own.length < 2) return '';
  const points = own.map(({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${text}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${points.join('')}</ul></nav>`;
}

/** @param {Page} page @param {ReadonlyMap<string, Page>} pages */
function neighboursOf(page, pages) {
  const order = inOrder(pages);
  const at = order.findIndex((other) => other?.file === page.file);
  if (at < 0) return '';
  const titles = SECTIONS.flatMap((section) => section.pages.map(([, title]) => title));
  const link = (/** @type {number} */ i, /** @type {string} */ word) => {
    const other = order[i];
    return other
      ? `<a class="${word.toLowerCase()}" href="${hrefOf(page.path, other.path)}"><small>${word}</small>${escapeHtml(titles[i])}</a>`
      : '<span></span>';
  };
  return `<nav class="neighbours" aria-label="Previous and next page">${link(at - 1, 'Previous')}${link(at + 1, 'Next')}</nav>`;
}

/** @param {Page} page @param {ReadonlyMap<string, Page>} pages @param {string} version */
export function documentOf(page, pages, version) {
  const root = hrefOf(page.path, 'index.html').replace(/index\.html$/, '');
  const title = page.path === 'index.html' ? 'gicollide' : `${page.title} · gicollide`;
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}site.css">
<script src="${root}site.js"></script>
</head>
<body>
<a class="skip" href="#site-main">Skip to content</a>
<header>
<button id="site-menu" type="button" aria-expanded="false" aria-controls="site-pages">Menu</button>
<a class="name" href="${root}index.html">gicollide <small>${escapeHtml(version)}</small></a>
<search><input id="site-search" type="search" placeholder="Search" aria-label="Search" autocomplete="off"><div id="site-found" hidden></div></search>
<button id="site-theme" type="button" aria-label="Switch between light and dark">◐</button>
</header>
<div class="columns">
<nav id="site-pages" aria-label="Pages">
${listOf(page, pages)}
</nav>
<main id="site-main">
${page.html}
${neighboursOf(page, pages)}
</main>
${contentsOf(page)}
</div>
</body>
</html>
`;
}
