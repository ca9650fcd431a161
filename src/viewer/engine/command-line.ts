/** The line that asks the command line what the page has been asked. */
import { isIdentity } from '../../math/pose.ts';
import { printable } from '../../math/printable.ts';
import type { Again } from '../document.ts';

/** An object as the line names it. */
export interface Named {
  /** Its number among the objects. */
  number: number;
  name: string;
  pose: ArrayLike<number>;
}

/** Options that what is asked says anew, and whether a value follows. */
const OWN = new Map([
  ...(['--clearance', '--solid', '--tolerance', '--touch-gap'] as const).map((word) => [word, true] as const),
  ...(['--distance', '--patches', '--all'] as const).map((word) => [word, false] as const),
]);

/**
 * The line, quoted for a POSIX shell. Poses have all their digits.
 *
 * @param words what is asked of the two
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
  // What begins as an option does is none behind two hyphens.
  const isPlain = operands.every((operand) => !operand.startsWith('-') || operand === '-');
  const all = isPlain ? [...operands, ...options] : [...options, '--', ...operands];
  return ['gicollide', 'check', ...all].map(quoted).join(' ');
}

/**
 * A file stands at its own coordinates unless somebody says; an object of a scene where that has
 * it.
 */
function poseWords(word: string, pose: ArrayLike<number>, isOfScene: boolean): string[] {
  const numbers = Float64Array.from(pose);
  return isIdentity(numbers) && !isOfScene ? [] : [word, numbers.join(',')];
}

/** The words that are not asked anew. */
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
 * A word as a shell reads it. What would not be seen, or would speak to the terminal that the line
 * is pasted into, is written by its bytes: quotes do not keep it from a terminal.
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

/** The bytes of a letter, as `printf %b` writes them. */
const octal = (letter: string): string =>
  Array.from(new TextEncoder().encode(letter), (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
