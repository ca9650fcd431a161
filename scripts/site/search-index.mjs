// The search index of the site: a record for each heading, with the words below it.
import MiniSearch from 'minisearch';
import { FIELDS } from './search-fields.mjs';

/** Letters of the text that a result shows. */
const SHOWN = 140;

/** @param {string} html */
const wordsOf = (html) =>
  html
    .replaceAll(/<a class="anchor".*?<\/a>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();

/**
 * The index as a script, which works from disk, where a page may not fetch.
 *
 * @param {Iterable<import('./frame.mjs').Page>} pages
 */
export function searchIndex(pages) {
  const index = new MiniSearch(FIELDS);
  let id = 0;
  for (const { path, title, html } of pages) {
    const parts = html.split(/(?=<h[1-4] id=")/);
    for (const part of parts) {
      const [, anchor, heading] = /^<h[1-4] id="([^"]*)">([\s\S]*?)<\/h/.exec(part) ?? ['', '', title];
      const text = wordsOf(part.replace(/^<h[1-4][\s\S]*?<\/h\d>/, ''));
      if (text === '' && anchor === '') continue;
      const place = anchor === '' ? path : `${path}#${anchor}`;
      index.add({ id: id++, title, heading: wordsOf(heading), path: place, text, start: text.slice(0, SHOWN) });
    }
  }
  return `globalThis.searchIndex = ${JSON.stringify(JSON.stringify(index))};\n`;
}
