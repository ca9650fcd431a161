/**
 * Parses YAML as ROS writes it: plain data, without aliases, tags of languages, and merged keys.
 * The package is large, so only code that reads YAML imports this module.
 */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { FormatError } from './errors.ts';
import { quoted } from './printable.ts';

/** Characters of a document. */
const LONGEST = 2 ** 22;
/** Characters that may start a node; the parser needs about 1 KB for each. */
const MOST_MARKS = 2 ** 18;
/** Levels of lists and maps. */
const DEEPEST = 64;

/**
 * @param text one document
 * @param first the line where it begins, from 1
 * @throws FormatError, with the line, for invalid YAML, a repeated key, an alias, an unknown tag,
 *   and a document that is too long or nests too deeply
 * @example parseYaml('a: [1, 2]') // { a: [1, 2] }
 */
export function parseYaml(text: string, first = 1): unknown {
  if (text.length > LONGEST)
    throw new FormatError({ line: first }, `a YAML document of at most ${LONGEST} characters`, `${text.length}`);
  requireSmall(text, first);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false, version: '1.2' });
  const lineAt = (offset: number): number => first + Math.max(0, lines.linePos(offset).line - 1);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new FormatError({ line: lineAt(problem.pos[0]) }, 'YAML', problem.message.split('\n')[0]);
  return valueIn(document.contents, lineAt, 0);
}

const PLAIN = /[\w.+-]/;

/** The parser calls itself for each level, and reads on after an error. */
function requireSmall(text: string, first: number): void {
  let open = 0;
  let marks = 0;
  let line = first;
  /** Columns and dashes before the first word of the line. */
  let indent = 0;
  let isIndent = true;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '\n') {
      line++;
      [indent, isIndent] = [0, true];
    } else if (isIndent && ' -?:\t'.includes(character)) indent++;
    else isIndent = false;
    if (character !== ' ' && (isIndent || !PLAIN.test(character))) marks++;
    if (marks > MOST_MARKS)
      throw new FormatError(
        { line: first },
        `a YAML document of at most ${MOST_MARKS} marks and lines, or JSON`,
        'more',
      );
    if (character === '[' || character === '{') open++;
    else if (character === ']' || character === '}') open = Math.max(0, open - 1);
    if (open > DEEPEST || indent > 4 * DEEPEST)
      throw new FormatError({ line }, `at most ${DEEPEST} levels of lists and maps`, 'more');
  }
}

function valueIn(node: unknown, lineAt: (offset: number) => number, depth: number): unknown {
  const line = lineAt((node as Node | null)?.range?.[0] ?? 0);
  if (depth > DEEPEST) throw new FormatError({ line }, `at most ${DEEPEST} levels of lists and maps`, 'more');
  if (node === null || node === undefined) return null;
  if (isScalar(node)) return node.value;
  if (isSeq(node)) return node.items.map((item) => valueIn(item, lineAt, depth + 1));
  if (!isMap(node)) throw new FormatError({ line }, 'values without aliases', 'an alias');
  // A key may be __proto__.
  const entries = new Map<string, unknown>();
  for (const { key, value } of node.items) {
    const own = lineAt((key as Node | null)?.range?.[0] ?? 0);
    const name = isScalar(key) ? String(key.value) : null;
    if (name === null) throw new FormatError({ line: own }, 'a word as key', 'a list, a map or an alias');
    if (entries.has(name)) throw new FormatError({ line: own }, 'each key of a map once', `${quoted(name)} again`);
    entries.set(name, valueIn(value, lineAt, depth + 1));
  }
  return Object.fromEntries(entries);
}
