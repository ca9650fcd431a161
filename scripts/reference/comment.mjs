// Documentation comments as Markdown: the text, then the tags.

/**
 * @typedef {object} Comment
 * @property {string} text
 * @property {{ tag: string, text: string }[]} tags in their order
 */

/** @param {string} comment with its marks @returns {Comment} */
export function parseComment(comment) {
  const lines = comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n');
  const [text, ...tags] = lines
    .map((line) => line.replace(/^ *\* ?/, ''))
    .join('\n')
    .split(/^@(?=[a-z])/m);
  return {
    text: text.trim(),
    tags: tags.map((part) => {
      const [, tag, rest] = /^(\w+)([\s\S]*)$/.exec(part) ?? ['', '', part];
      return { tag, text: rest.trim() };
    }),
  };
}

/** Escapes the marks of Markdown in a comment. @param {string} text */
export const prose = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(/[<*]|\](?=\()/g, '\\$&')))
    .join('');

/** The first sentence, on one line. @param {string} comment */
export function firstSentence(comment) {
  const text = prose(parseComment(comment).text.split('\n\n')[0].replaceAll(/\s+/g, ' '));
  return /^.*?[.:](?= [A-Z`]|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
}

/** An example without the comment's indentation. @param {string} text */
export const exampleOf = (text) => text.replaceAll(/^ {9}/gm, '');
