// npm run docs -> out/site: README, docs/ and the formats as pages that work from disk and from any
// server, with a search and live pages. Nothing in it asks the network. A link that leads nowhere
// stops it.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { documentOf, hrefOf } from './site/frame.mjs';
import { renderMarkdown } from './site/markdown.mjs';
import { LIVE, SECTIONS } from './site/navigation.mjs';
import { searchIndex } from './site/search-index.mjs';
import { filesOf, folderPage, sourcePage } from './site/sources.mjs';

/** @typedef {import('./site/frame.mjs').Page} Page */
/** @typedef {{ from: string, href: string, path: string, anchor: string }} Link */

const root = fileURLToPath(new URL('..', import.meta.url));

/** Files that a browser shows itself, and the maximum size of a text that becomes a page. */
const COPIED = /\.(?:png|svg|schema\.json|pdf)$/;
const LONGEST_TEXT = 1_000_000;

/** The place of a repository's file in the site. @param {string} file */
function pathOf(file) {
  if (file === 'README.md') return 'index.html';
  if (file.endsWith('.md')) return file.replace(/\.md$/, '.html');
  const { size } = statSync(join(root, file));
  if (statSync(join(root, file)).isDirectory()) return join(file, 'index.html');
  return COPIED.test(file) || size > LONGEST_TEXT ? file : `${file}.html`;
}

/** A site in the making: what is in it, and what is still to be taken up. */
function createSite() {
  /** @type {Map<string, Page>} */
  const pages = new Map();
  /** @type {Set<string>} */
  const copies = new Set();
  /** @type {Set<string>} */
  const files = new Set(SECTIONS.flatMap((section) => section.pages.map(([file]) => file)));
  /** @type {Link[]} */
  const links = [];
  /** @type {string[]} */
  const dead = [];
  /** @param {string} from @param {string} href */
  const reach = (from, href) => {
    const [target, anchor = ''] = href.split('#');
    const file = target === '' ? from : normalize(join(dirname(from), target)).replace(/\/$/, '');
    if (file.startsWith('..') || !existsSync(join(root, file))) {
      dead.push(`${from}: ${href} leads nowhere`);
      return href;
    }
    files.add(file);
    const path = pathOf(file);
    links.push({ from, href, path, anchor });
    const hash = anchor === '' ? '' : `#${anchor}`;
    return target === '' ? hash : `${hrefOf(pathOf(from), path)}${hash}`;
  };
  return { pages, copies, files, links, dead, reach };
}

/** @param {string} file @param {ReturnType<typeof createSite>} site @returns {Page} */
function pageOf(file, { reach }) {
  const path = pathOf(file);
  const full = join(root, file);
  if (statSync(full).isDirectory()) {
    const entries = filesOf(full).map((name) => ({ name, href: reach(`${file}/.`, name) }));
    return { file, path, title: file, headings: [], html: folderPage(file, entries) };
  }
  const text = readFileSync(full, 'utf8');
  if (!file.endsWith('.md')) return { file, path, title: file, headings: [], html: sourcePage(file, text) };
  const isElsewhere = (/** @type {string} */ href) => /^[a-z]+:/.test(href);
  const { html, headings } = renderMarkdown(text, {
    link: (href) => (isElsewhere(href) ? href : reach(file, href)),
    picture: (href) => {
      const live = LIVE.find(({ picture }) => picture === join(dirname(file), href));
      return { source: reach(file, href), live: live && hrefOf(path, live.file) };
    },
  });
  return { file, path, title: headings[0]?.text ?? file, headings, html };
}

/** Anchors that pages have. @param {Page} page */
const idsOf = ({ html }) => new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));

/**
 * Throws an error that lists the links that lead nowhere, a line each.
 *
 * @param {ReturnType<typeof createSite>} site
 */
function requireLinks({ pages, links, dead }) {
  const ids = new Map([...pages.values()].map((page) => [page.path, idsOf(page)]));
  for (const { from, href, path, anchor } of links)
    if (anchor !== '' && !ids.get(path)?.has(anchor)) dead.push(`${from}: ${href} leads to no heading`);
  if (dead.length > 0) throw new Error(dead.join('\n'));
}

/** The script of the pages, one file. */
async function clientScript() {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'scripts/site/client/page.js')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

/** Pages that answer: what `gicollide view --html` writes. @param {string} folder */
function writeLivePages(folder) {
  for (const { file, words } of LIVE) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    const args = ['bin/gicollide.js', ...words.split(' '), '--html', join(folder, file), '--quiet'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`gicollide ${words}: ${stderr.trim()}`);
  }
}

/**
 * Writes the site.
 *
 * @param {string} folder
 * @param {{ live?: boolean }} [options] `live`: with the live pages, for which dist must be built
 * @returns {Promise<{ pages: number, words: number }>}
 */
export async function makeSite(folder, { live = true } = {}) {
  const site = createSite();
  for (const file of site.files) {
    if (COPIED.test(file) || pathOf(file) === file) site.copies.add(file);
    else site.pages.set(file, pageOf(file, site));
  }
  requireLinks(site);
  rmSync(folder, { recursive: true, force: true });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const write = (/** @type {string} */ path, /** @type {string} */ text) => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const page of site.pages.values()) write(page.path, documentOf(page, site.pages, version));
  for (const file of site.copies) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  const texts = [...site.pages.values()].filter(({ file }) => file.endsWith('.md'));
  write('search-index.js', searchIndex(texts));
  write('site.js', await clientScript());
  copyFileSync(join(root, 'scripts/site/client/site.css'), join(folder, 'site.css'));
  if (live) writeLivePages(folder);
  return { pages: site.pages.size, words: texts.length };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const { pages, words } = await makeSite(join(root, 'out/site'));
    console.log(`out/site/index.html: ${words} pages, and ${pages - words} pages of linked files`);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
