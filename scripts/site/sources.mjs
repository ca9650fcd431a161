// Files that pages link to, as pages: text with numbered lines, and folders as lists.
import { readdirSync } from 'node:fs';
import { escapeHtml, highlight } from './highlight.mjs';

/**
 * A text, a line each with an anchor L1, L2, ..., as forges have them.
 *
 * @param {string} file
 * @param {string} text
 */
export function sourcePage(file, text) {
  const language = /\.([a-z]+)$/.exec(file)?.[1] ?? '';
  // Marks that begin on one line and end on another are closed and opened again between the two.
  let open = '';
  const lines = highlight(text.trimEnd(), language)
    .split('\n')
    .map((line, i) => {
      const before = open;
      for (const [mark] of line.matchAll(/<span class="\w+">|<\/span>/g)) open = mark === '</span>' ? '' : mark;
      return `<span id="L${i + 1}" class="line">${before}${line}${open === '' ? '' : '</span>'}</span>`;
    });
  return `<h1>${escapeHtml(file)}</h1>\n<pre class="code numbered" tabindex="0"><code>${lines.join('\n')}</code></pre>`;
}

/**
 * The files of a folder that git would show: none that begins with a dot.
 *
 * @param {string} folder
 * @returns {string[]} with a slash behind folders
 */
export const filesOf = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') || name === '.github')
    .filter(({ name }) => name !== 'out' && name !== 'node_modules')
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();

/**
 * @param {string} folder
 * @param {readonly { name: string, href: string }[]} entries
 */
export function folderPage(folder, entries) {
  const points = entries.map(({ name, href }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(name)}</a></li>`);
  return `<h1>${escapeHtml(folder)}</h1>\n<ul>\n${points.join('\n')}\n</ul>`;
}
