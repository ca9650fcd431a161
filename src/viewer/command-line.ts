/** Builds the command line that repeats the page's query. */

import { printable } from '../base/printable.ts';
import { isIdentity } from '../math/pose.ts';
import type { Again } from './document.ts';

export interface Named {
  number: number;
  name: string;
  pose: ArrayLike<number>;
}

const OWN = new Map([
  ...(['--clearance', '--solid', '--tolerance', '--touch-gap'] as const).map((word) => [word, true] as const),
  ...(['--distance', '--patches', '--all'] as const).map((word) => [word, false] as const),
]);

/**
 * Returns the line, quoted for a POSIX shell. Poses keep all their digits.
 *
 * @param words the query about the two objects
 */
export function commandLine(again: Again, a: Named, b: Named, words: readonly string[]): string {
  const isOfScene = again.command === 'scene';
  const operands = isOfScene ? [a.name, b.name] : [again.files[a.number], again.files[b.number]];
  const options = [
    ...(isOfScene ? again.files.flatMap((file) => ['--scene', file]) : []),
    ...poseWords('--pose-a', a.pose, isOfScene),
    ...poseWords('--pose-b', b.pose, isOfScene),
    ...others(again.options),
    ...words,
  ];
  const isPlain = operands.every((operand) => !operand.startsWith('-') || operand === '-');
  const all = isPlain ? [...operands, ...options] : [...options, '--', ...operands];
  return ['gicollide', 'check', ...all].map(quoted).join(' ');
}

/** The default is the identity for a file, and the scene's pose for an object. */
function poseWords(word: string, pose: ArrayLike<number>, isOfScene: boolean): string[] {
  const numbers = Float64Array.from(pose);
  return isIdentity(numbers) && !isOfScene ? [] : [word, numbers.join(',')];
}

function others(options: readonly string[]): string[] {
  const left: string[] = [];
  for (let i = 0; i < options.length; i++) {
    const takesValue = OWN.get(options[i] as never);
    if (takesValue === undefined) left.push(options[i]);
    else if (takesValue) i++;
  }
  return left;
}

/**
 * Quotes a word for a shell. Invisible letters and terminal controls are written by their bytes,
 * since quotes do not keep them from a terminal that the line is pasted into.
 */
function quoted(word: string): string {
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
