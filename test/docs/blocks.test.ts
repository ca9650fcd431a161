/**
 * Blocks of code that no other test runs say at least what can be: commands name commands and options
 * that there are, JSON is JSON, and a file of a format of ours is valid by its schema.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Command, Option } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
const pages = ['README.md', 'SECURITY.md', ...inFolder('docs'), ...inFolder('examples')];

/** What stands between fences of these languages. */
const blocksOf = (page: string, languages: string): string[] =>
  [...textOf(page).matchAll(new RegExp(`^\`\`\`(?:${languages})\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, body]) => body);

/** The words behind every `gicollide` of a block, up to what belongs to the shell. */
function commandsOf(block: string): string[][] {
  const lines = block.replaceAll('\\\n', ' ').split('\n');
  return lines.flatMap((line) => {
    const command = line.replace(/(^|\s)#.*$/, '');
    return [...command.matchAll(/(?<![\w./-])gicollide ((?:"[^"]*"|'[^']*'|[^|;&>"'])*)/g)].map(([, words]) =>
      words.trim().split(/\s+/),
    );
  });
}

const HELP = [process.execPath, 'gicollide', '--help'];
let program: Command;

beforeAll(async () => {
  const names = (await createProgram(HELP)).commands.map((command) => command.name());
  program = await createProgram([...HELP, ...names]);
});

/** What is wrong with the words of a command line; undefined where nothing is. */
function faultOf(words: readonly string[]): string | undefined {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word);
    if (!next) break;
    command = next;
  }
  const isOption = (word: string) => /^--?[a-z]/.test(word);
  if (command === program && words.some((word) => !isOption(word) && word !== '')) return `no command ${words[0]}`;
  const known = [...command.options, ...program.options, new Option('-h, --help')];
  return words
    .filter(isOption)
    .map((word) => word.split('=')[0])
    .filter((word) => !known.some(({ short, long }) => word === short || word === long))
    .map((word) => `${command.name()} has no option ${word}`)[0];
}

test.each(pages)('%s: its commands and their options are those of the program', (page) => {
  const commands = blocksOf(page, 'sh|bash').flatMap(commandsOf);
  for (const words of commands) expect(faultOf(words), words.join(' ')).toBeUndefined();
});

test('commands are found', () => {
  expect(pages.flatMap((page) => blocksOf(page, 'sh')).flatMap(commandsOf).length).toBeGreaterThan(120);
});

test('what is no command, and no option, is found', () => {
  expect(faultOf(['chekc', 'a', 'b'])).toBe('no command chekc');
  expect(faultOf(['check', 'a', 'b', '--translate', '1,0,0'])).toBe('check has no option --translate');
  expect(commandsOf('npx --no-install gicollide check a b --all || exit 1 # not gicollide')).toEqual([
    ['check', 'a', 'b', '--all'],
  ]);
});

/** A block is a value, or records one below the other. */
function valuesOf(body: string): { gicollide?: string }[] {
  try {
    return [JSON.parse(body)];
  } catch {
    return body.split(/\n(?=\{)/).map((record) => JSON.parse(record));
  }
}

const ajv = new Ajv2020({ strict: false });

test.each(pages)('%s: its JSON is JSON, and files of our formats are valid', (page) => {
  for (const body of blocksOf(page, 'json')) {
    const values = valuesOf(body);
    for (const value of values) {
      const format = /^(\w+)\/1$/.exec(value.gicollide ?? '')?.[1];
      if (format === undefined) continue;
      const schema = JSON.parse(textOf(`docs/${format}.schema.json`));
      expect(ajv.validate(schema, value), `${page}: ${ajv.errorsText()}`).toBe(true);
    }
  }
});
