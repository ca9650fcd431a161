/** Builds the command line that repeats the page's query. */

import { printable } from '../base/printable.ts';
import { identity, isIdentity } from '../math/pose.ts';
import type { Again } from './document.ts';

export interface Named {
  number: number;
  name: string;
  pose: ArrayLike<number>;
  /** True if the command line puts it there anyway. */
  isHome?: boolean;
}

/** Options of the query, and whether they have a value. */
const OWN = new Map([
  ...(['--clearance', '--solid', '--tolerance', '--touch-gap'] as const).map((word) => [word, true] as const),
  ...(['--distance', '--patches', '--all'] as const).map((word) => [word, false] as const),
]);
/** Options of scenes, which a finding has itself. */
const OF_SCENES = new Map([
  ...OWN,
  ...(['--units', '--srdf', '--state'] as const).map((word) => [word, true] as const),
]);

/**
 * Returns the line, quoted for a POSIX shell. Poses keep all their digits.
 *
 * @param words the query about the two objects
 * @param finding the id of a finding that is this query, if neither object has moved; or null
 */
export function commandLine(
  again: Again,
  [a, b]: readonly [Named, Named],
  words: readonly string[],
  finding: string | null = null,
): string {
  const { command, files, findings = '-' } = again;
  if (finding !== null && findings !== '-' && a.isHome && b.isHome) {
    const asked = words.filter((word) => OWN.get(word as never) === false);
    return lineOf(['--finding', `${findings}#${finding}`, ...others(again.options, OF_SCENES), ...asked]);
  }
  const isOfScene = command === 'scene';
  const operands = isOfScene ? [a.name, b.name] : [files[a.number], files[b.number]];
  const options = [
    ...(isOfScene ? files.flatMap((file) => ['--scene', file]) : []),
    ...poseWords('a', a, isOfScene),
    ...poseWords('b', b, isOfScene),
    ...others(again.options, OWN),
    ...words,
  ];
  const isPlain = operands.every((operand) => !operand.startsWith('-') || operand === '-');
  return lineOf(isPlain ? [...operands, ...options] : [...options, '--', ...operands]);
}

const lineOf = (words: readonly string[]): string => ['gicollide', 'check', ...words].map(shellWord).join(' ');

/** The default is the identity for a file, and the scene's pose for an object. */
function poseWords(side: 'a' | 'b', { pose, isHome = false }: Named, isOfScene: boolean): string[] {
  const numbers = Float64Array.from(pose);
  if (isOfScene ? isHome : isIdentity(numbers)) return [];
  const [x, y, z] = [numbers[3], numbers[7], numbers[11]];
  if (numbers.every((number, k) => k % 4 === 3 || number === IDENTITY[k]))
    return [`--translate-${side}`, `${x},${y},${z}`];
  return [`--pose-${side}`, numbers.subarray(0, 12).join(',')];
}

const IDENTITY = identity();

/** Leaves out options of the second list, each with its value if it has one. */
function others(options: readonly string[], known: ReadonlyMap<string, boolean>): string[] {
  const left: string[] = [];
  for (let i = 0; i < options.length; i++) {
    const takesValue = known.get(options[i]);
    if (takesValue === undefined) left.push(options[i]);
    else if (takesValue) i++;
  }
  return left;
}

/**
 * Quotes a word for a shell. Invisible letters and terminal controls are written by their bytes,
 * since quotes do not keep them from a terminal that the line is pasted into.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (printable(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  const shown = Array.from(word, (letter) => {
    if (letter === '\\') return '\\\\';
    if (letter === "'") return "'\\''";
    return printable(letter) === letter ? letter : octal(letter);
  });
  return `"$(printf %b '${shown.join('')}')"`;
}

const octal = (letter: string): string =>
  Array.from(new TextEncoder().encode(letter), (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
