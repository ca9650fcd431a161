/** GitHub's annotations: how many, of what, and that no text becomes a command. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { github } from '../../src/report/github.ts';
import {
  asWritten,
  findingOf,
  manyFindings,
  oneOfEach,
  report,
  reportOf,
  subjectOf,
  written,
} from '../support/findings.ts';
import { long } from '../support/long.ts';

interface Annotation {
  command: string;
  properties: Record<string, string>;
  message: string;
}

/** As a runner reads a step's output. */
function annotationsOf(output: string): Annotation[] {
  const lines = output.split(/\r\n|\n|\r/);
  expect(lines.pop()).toBe('');
  return lines.map((line) => {
    const [, command, list, message] = /^::(\w+)(?: ([^:]*))?::(.*)$/s.exec(line)!;
    const properties = (list ?? '').split(',').filter(Boolean);
    return {
      command,
      properties: Object.fromEntries(properties.map((one) => /^(\w+)=(.*)$/s.exec(one)!.slice(1).map(decoded))),
      message: decoded(message),
    };
  });
}

/** Of the escapes those alone that a runner knows. */
const decoded = (text: string): string =>
  text.replaceAll(/%(25|0D|0A|3A|2C)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

test('what is new and fails is annotated by its level, at its file and line, with its id', async () => {
  const [first, ...others] = annotationsOf(await written(github, reportOf(oneOfEach)));
  expect(first).toEqual({
    command: 'error',
    properties: { file: 'plan/house.obj', line: '12', title: 'mep' },
    message: 'pipe-3 and wall-2: overlap, 20 thick (00c0ffee)',
  });
  expect(others.map(({ command, properties }) => `${command} ${properties.title}`)).toEqual([
    ...['warning mep', 'error pipes', 'error pipes (worse)', 'error open-edge (new)'],
  ]);
});

test('ten errors and ten warnings, and a notice says how many more', async () => {
  const failures = Array.from({ length: 3 }, (_, k) => ({ subject: `f${k}.obj`, message: 'broken' }));
  const one = { ...reportOf([], { failures, incomplete: ['cut'] }), findings: () => manyFindings(300) };
  const annotations = annotationsOf(await written(github, one));
  const count = (command: string) => annotations.filter((annotation) => annotation.command === command).length;
  expect([count('error'), count('warning'), count('notice')]).toEqual([10, 10, 1]);
  expect(annotations.slice(0, 4).map(({ message }) => message)).toEqual([
    ...['f0.obj: broken', 'f1.obj: broken', 'f2.obj: broken', 'cut'],
  ]);
  // 104 errors, 100 warnings.
  expect(annotations.at(-1)!.message).toBe(
    '94 more errors, 90 more warnings: GitHub shows 10 of each level for a step',
  );
});

test('a name that looks like a command, or like properties, is text', async () => {
  const name = 'a\n::error file=x::b%0A';
  const subjects = [{ ...subjectOf(name), file: 'x,line=9:y' }];
  const annotations = annotationsOf(await written(github, reportOf([findingOf({ subjects, message: '', rule: 'r' })])));
  expect(annotations).toEqual([
    { command: 'error', properties: { file: 'x,line=9:y', title: 'r' }, message: `${name}:  (00c0ffee)` },
  ]);
});

test('any text comes back, a line each, seed 10', { tags: ['quick', 'long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      const { failures, incomplete } = one.summary;
      const annotations = annotationsOf(await written(github, one));
      expect(annotations.slice(0, failures.length + incomplete.length).map(({ message }) => message)).toEqual(
        [...failures.map(({ subject, message }) => `${subject}: ${message}`), ...incomplete].map(asWritten),
      );
    }),
    { seed: 10, numRuns: long ? 1000 : 200 },
  );
});
