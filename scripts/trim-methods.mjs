// Leaves out of a bundle the methods of classes that nothing in it names, for
// scripts/bundle-viewer.mjs. Bundlers keep every method of a class. three's vectors have hundreds,
// and the page calls only a few. A name anywhere else keeps a method, even in a string.
import { build } from 'esbuild';
import { parseAst } from 'rolldown/parseAst';
import { walk } from './mark-pure.mjs';

/** Methods that the language calls implicitly. */
const CALLED_BY_THE_LANGUAGE = /^(constructor|toJSON|toString|valueOf|then)$/;

/** @typedef {{ name: string, start: number, end: number }} Method */

/** @param {string} text @param {Map<string, number>} counts @param {number} by */
function countWords(text, counts, by) {
  for (const [word] of text.matchAll(/[\w$]+/g)) counts.set(word, (counts.get(word) ?? 0) + by);
}

/** @param {string} text of a module @returns {Method[]} those that no text outside of them names */
export function unusedMethods(text) {
  /** @type {Map<string, Method[]>} */
  const methods = new Map();
  const program = /** @type {import('./mark-pure.mjs').Node} */ (/** @type {unknown} */ (parseAst(text)));
  walk(program, ({ type, computed, key, start, end }) => {
    if (type !== 'MethodDefinition' || computed || key.type !== 'Identifier') return;
    if (CALLED_BY_THE_LANGUAGE.test(key.name)) return;
    const all = methods.get(key.name) ?? [];
    methods.set(key.name, all);
    all.push({ name: key.name, start, end });
  });
  /** @type {Map<string, number>} */
  const counts = new Map();
  countWords(text, counts, 1);
  return [...methods].flatMap(([name, all]) => {
    /** @type {Map<string, number>} */
    const own = new Map();
    for (const { start, end } of all) countWords(text.slice(start, end), own, 1);
    return own.get(name) === counts.get(name) ? all : [];
  });
}

/**
 * The bundle without them, and without what only they need.
 *
 * @param {string} text a module of plain JavaScript
 * @param {import('esbuild').BuildOptions} options of how it is written at last
 */
export async function withoutUnusedMethods(text, options) {
  const again = async (/** @type {string} */ contents, /** @type {import('esbuild').BuildOptions} */ how) => {
    const { outputFiles } = await build({ ...how, stdin: { contents, loader: 'js' }, bundle: true, write: false });
    return outputFiles[0].text;
  };
  let rest = text;
  for (;;) {
    const unused = unusedMethods(rest).sort((p, q) => p.start - q.start);
    if (unused.length === 0) return again(rest, options);
    let [kept, at] = ['', 0];
    for (const { start, end } of unused) {
      if (start < at) continue;
      kept += rest.slice(at, start);
      at = end;
    }
    rest = await again(kept + rest.slice(at), { ...options, minify: false, format: 'esm', metafile: false });
  }
}
