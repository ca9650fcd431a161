// A page of Markdown as HTML, with the anchors that forges give to headings.
import { Marked } from 'marked';
import { escapeHtml, highlight } from './highlight.mjs';

/**
 * @typedef {{ level: number, id: string, text: string }} Heading
 *
 * @typedef {object} Rendered
 * @property {string} html
 * @property {Heading[]} headings
 *
 * @typedef {object} Places where the page's links and pictures lead to in the site
 * @property {(href: string) => string} link
 * @property {(href: string) => { source: string, live?: string | undefined }} picture
 */

/** @param {string} text of a heading, as it is written */
function slugOf(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** @param {string} html */
const textOf = (html) => html.replaceAll(/<[^>]*>/g, '');

/**
 * @param {string} text
 * @param {Places} places
 * @returns {Rendered}
 */
export function renderMarkdown(text, places) {
  /** @type {Heading[]} */
  const headings = [];
  /** @type {Map<string, number>} */
  const counts = new Map();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        const slug = slugOf(textOf(inner).replaceAll(/&\w+;|&#\d+;/g, ''));
        const count = counts.get(slug) ?? 0;
        counts.set(slug, count + 1);
        const id = count === 0 ? slug : `${slug}-${count}`;
        headings.push({ level: depth, id, text: textOf(inner) });
        return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to this heading">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(places.link(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text: words }) {
        const { source, live } = places.picture(href);
        const picture = `<img src="${escapeHtml(source)}" alt="${escapeHtml(words)}" loading="lazy">`;
        if (live === undefined) return picture;
        return `<span class="live">${picture}<a class="live-link" href="${escapeHtml(live)}">Open the interactive page</a></span>`;
      },
      code({ text: code, lang = '' }) {
        return `<pre class="code" tabindex="0"><code>${highlight(code, lang.split(' ')[0])}</code></pre>\n`;
      },
    },
  });
  const html = /** @type {string} */ (marked.parse(text, { async: false }))
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th></th>', '<td></td>'); // a header without words heads nothing
  return { html, headings };
}
