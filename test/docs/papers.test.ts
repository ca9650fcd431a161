/** docs/papers.md has a row for every numbered part of the papers, and names what exists. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as browserLibrary from '../../src/browser.ts';
import * as nodeLibrary from '../../src/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}/docs/papers.md`, 'utf8');
const commands = readFileSync(`${root}/docs/reference/cli.md`, 'utf8');
const sections = page.split(/^## /m).slice(1);

interface Row {
  part: string;
  place: string;
  state: string;
}

const rowsOf = (section: string): Row[] =>
  [...section.matchAll(/^\| (.*) \|(.*)\| (.*) \|$/gm)]
    .map(([, part, place, state]) => ({ part, place: place.trim(), state }))
    .filter(({ part }) => part !== 'part of the paper' && !part.startsWith('-'));
const rows = sections.flatMap(rowsOf);

/** The parts that a paper numbers, by the head of its section. */
const NUMBERED: [head: string, word: string, numbers: readonly string[]][] = [
  ['GI-COLLIDE', 'figure', upTo(13)],
  ['Hardware', 'figure', upTo(8)],
  ['Hardware', 'equation', upTo(22)],
  ['RAPID', 'step', upTo(3)],
  ['RAPID', 'byte', ['412', '264', '132', '72', '68', '64', '44', '40']],
  ['Functionally', 'figure', upTo(8)],
  ['Functionally', 'equation', upTo(18)],
  ['Data', 'algorithm', upTo(5)],
  ['Data', 'equation', upTo(12)],
  ['Data', 'table', ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X']],
  ['Data', 'figure', upTo(1)],
];

function upTo(n: number): string[] {
  return Array.from({ length: n }, (_, i) => `${i + 1}`);
}

/** Numbers after a word: "figures 1, 8 and 9" has three, "tables IV to VII" four. */
function numbersAfter(word: string, text: string, all: readonly string[]): Set<string> {
  const found = new Set<string>();
  const list = new RegExp(`\\b${word}s? ((?:[0-9]+|[IVX]+)\\b(?:'?(?:, | and | to )(?:[0-9]+|[IVX]+)\\b)*)`, 'gi');
  for (const [, numbers] of text.matchAll(list)) {
    for (const part of numbers.split(/, | and /)) {
      const [first, last = first] = part.split(' to ').map((each) => all.indexOf(each.replace("'", '')));
      for (let i = first; i >= 0 && i <= last; i++) found.add(all[i]);
    }
  }
  return found;
}

test.each(NUMBERED)('%s: every %s has a row', (head, word, numbers) => {
  const section = sections.find((each) => each.startsWith(head))!;
  const parts = rowsOf(section)
    .map(({ part }) => part)
    .join('\n');
  const found =
    word === 'byte'
      ? new Set([...parts.matchAll(/([0-9]+) bytes/g)].map(([, n]) => n))
      : numbersAfter(word, parts, numbers);
  expect(numbers.filter((number) => !found.has(number))).toEqual([]);
});

test('a row is whole and says where, or says why it is not', () => {
  expect(rows.length).toBeGreaterThanOrEqual(120);
  for (const { part, place, state } of rows) {
    expect(state, part).toMatch(/^(whole$|whole: .|partly: .|other: .|missing: .)/);
    if (state.startsWith('whole') || state.startsWith('partly')) expect(place, part).toMatch(/\]\(|`/);
  }
});

test('the counts at the top are those of the rows', () => {
  const count = (state: string): number => rows.filter((row) => row.state.startsWith(state)).length;
  const [, ...counts] = /^(\d+) parts: (\d+) whole, (\d+) partly, (\d+) other, (\d+) missing\.$/m.exec(page)!;
  expect(counts.map(Number)).toEqual([rows.length, ...['whole', 'partly', 'other', 'missing'].map(count)]);
});

describe('what a row names exists', () => {
  const names = [...new Set(rows.flatMap(({ place }) => [...place.matchAll(/`([^`]+)`/g)].map(([, code]) => code)))];

  test.each(names)('%s', (name) => {
    const [first, ...rest] = name.split(' ');
    if (rest.length === 0 && first in { ...browserLibrary, ...nodeLibrary }) return;
    const section = new RegExp(`^## ${first}$[\\s\\S]*?(?=^## |$(?![\\s\\S]))`, 'm').exec(commands)?.[0];
    expect(section, `the command ${first}`).toBeDefined();
    for (const [i, option] of rest.entries()) {
      if (!option.startsWith('-')) continue;
      const line = section!
        .split('\n')
        .find((each) => new RegExp(`^\\| \`(?:-\\w, )?${option}[ \`]|^\\| \`${option}, `).test(each));
      expect(line, option).toBeDefined();
      const value = rest[i + 1];
      // A value that is a word must be one of those that the option names.
      if (value !== undefined && /^[a-z]+$/.test(value)) expect(line, `${option} ${value}`).toContain(value);
    }
  });
});
