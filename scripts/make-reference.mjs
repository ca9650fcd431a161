// npm run reference -> docs/reference: the command line and the library, as the program and the
// types describe themselves. With --check it writes nothing, and exits with 1 where a page is stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiReference } from './reference/api.mjs';
import { cliReference } from './reference/cli.mjs';

const folder = fileURLToPath(new URL('../docs/reference/', import.meta.url));

/** Pages by their paths in the folder. */
const pages = new Map([['cli.md', await cliReference()], ...apiReference()]);

const isCheck = process.argv.includes('--check');
/** @param {string} page */
const isFresh = (page) => existsSync(folder + page) && readFileSync(folder + page, 'utf8') === pages.get(page);
const there = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
const left = there.map((page) => page.replaceAll('\\', '/')).filter((page) => page.endsWith('.md') && !pages.has(page));
const stale = [...pages.keys()].filter((page) => !isFresh(page)).concat(left);
for (const page of isCheck ? [] : stale) {
  const text = pages.get(page);
  mkdirSync(dirname(folder + page), { recursive: true });
  if (text === undefined) rmSync(folder + page);
  else writeFileSync(folder + page, text);
}
for (const page of stale)
  console.log(`docs/reference/${page}: ${isCheck ? 'stale; npm run reference updates it' : 'written'}`);
process.exitCode = isCheck && stale.length > 0 ? 1 : 0;
