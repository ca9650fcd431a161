// Code in colours: comments, strings, numbers, words of the language. A reader of tokens would know
// more; this knows enough of the few languages that the pages have.

/** @param {string} text */
export const escapeHtml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const STRING = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`;
const WORDS =
  'as async await break case class const continue def default do else enum export extends false finally for from function if implements import in interface let new null of private public readonly return static switch this throw true try type typeof undefined var void while with yield None True False';
const SCRIPT = `(?<comment>//[^\\n]*|/\\*[\\s\\S]*?\\*/)|(?<string>${STRING}|\`(?:[^\`\\\\]|\\\\.)*\`)|(?<number>\\b\\d[\\d_.]*(?:e-?\\d+)?\\b)|(?<word>\\b(?:${WORDS.replaceAll(' ', '|')})\\b)`;
const SHELL = `(?<comment>(?<=^|\\s)#[^\\n]*)|(?<string>${STRING})|(?<word>(?<=^|\\s)--?[a-zA-Z][\\w-]*)`;
const DATA = `(?<comment>(?<=^|\\s)#[^\\n]*)|(?<word>"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:))|(?<string>${STRING})|(?<number>-?\\b\\d[\\d.]*(?:e-?\\d+)?\\b)`;
const PYTHON = SCRIPT.replace('//[^\\n]*|/\\*[\\s\\S]*?\\*/', '#[^\\n]*|"""[\\s\\S]*?"""');

/** @type {Record<string, string>} */
const LANGUAGES = {
  ...{ js: SCRIPT, mjs: SCRIPT, ts: SCRIPT, wgsl: SCRIPT, c: SCRIPT, h: SCRIPT },
  ...{ sh: SHELL, bash: SHELL },
  ...{ json: DATA, jsonl: DATA, yaml: DATA, yml: DATA },
  ...{ py: PYTHON, python: PYTHON },
};

/**
 * HTML of a piece of code.
 *
 * @param {string} code
 * @param {string} language as fences name it, or a file's ending
 */
export function highlight(code, language) {
  const pattern = LANGUAGES[language];
  if (pattern === undefined) return escapeHtml(code);
  let html = '';
  let at = 0;
  for (const match of code.matchAll(new RegExp(pattern, 'gm'))) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(at));
}
