/** What a README of examples/ says: its commands, what each prints, and what a reader changes between them. */

export type Step =
  | { kind: 'run'; words: string[]; code: number; printed: string }
  | { kind: 'edit'; file: string; from: string; to: string };

/** A fenced block: its language and its text. */
const BLOCK = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** The steps in their order: a block of `sh` has one command, and the next block what it prints. */
export function stepsOf(readme: string): Step[] {
  const steps: Step[] = [];
  for (const [, language, text] of readme.matchAll(BLOCK)) {
    const last = steps.at(-1);
    if (language === 'sh') steps.push(commandOf(text));
    else if (language === 'diff') steps.push(editOf(text));
    else if (language === '' && last?.kind === 'run' && last.printed === '') last.printed = text;
    else throw new Error(`a block that is no step: ${text}`);
  }
  return steps;
}

function commandOf(text: string): Step {
  const match = /^gicollide (.*?)(?: # exit code (\d))?\n$/.exec(text);
  if (!match) throw new Error(`no command of gicollide: ${text}`);
  return { kind: 'run', words: match[1].split(' '), code: Number(match[2] ?? 0), printed: '' };
}

function editOf(text: string): Step {
  const match = /^--- (\S+)\n-(.*\n)\+(.*\n)$/.exec(text);
  if (!match) throw new Error(`no change of one line: ${text}`);
  const [, file, from, to] = match;
  return { kind: 'edit', file, from, to };
}

/** Text without what differs from run to run: how long it took. */
export const withoutTimes = (text: string): string => text.replaceAll(/\b\d+\.\d+ (s|ms)\b/g, '0.0 $1');
