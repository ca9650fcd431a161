/**
 * The guides, the first five minutes and the list of formats say what is so: every line of a block `sh` runs, in a folder
 * that holds assets/ and examples/, and ends with the exit code that stands beside it, 0 unless one
 * does. A block `text` right below is what its last line prints, but for times. A block `json` or
 * `xml` whose paragraph names a file is that file.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { assets, makeFolder, run } from '../support/cli.ts';
import { some } from '../support/long.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guides = [
  'docs/try.md',
  'docs/formats.md',
  ...readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`),
];

interface Block {
  /** The paragraph before; empty where the block follows another one. */
  before: string;
  language: string;
  body: string;
}

function blocksOf(page: string): Block[] {
  const parts = readFileSync(join(root, page), 'utf8').split(/^```(.*)\n([\s\S]*?)^```\n/gm);
  const blocks: Block[] = [];
  for (let i = 1; i < parts.length; i += 3)
    blocks.push({ before: parts[i - 1].trim().split('\n\n').at(-1)!, language: parts[i], body: parts[i + 1] });
  return blocks;
}

const withoutTimes = (text: string) => text.replaceAll(/\d+(?:\.\d+)? (ms|s)\b/g, '# $1');

/** What the line prints. */
async function runLine(line: string, cwd: string): Promise<string> {
  const [command, comment = ''] = line.split(/ # /);
  const [npx, local, program, ...args] = command.trim().split(/ +/);
  expect([npx, local, program], line).toEqual(['npx', '--no-install', 'gicollide']);
  const { code, stdout, stderr } = await run(args, { cwd });
  expect(code, `${line}\n${stdout}${stderr}`).toBe(Number(/exit code (\d)/.exec(comment)?.[1] ?? 0));
  return stdout;
}

// Walls are built for one of them, which takes as long as all the others.
const dear = guides.filter((page) => page.endsWith('buildings.md'));
const others = guides.filter((page) => !dear.includes(page));

test.each(some(others.length, [...others, ...dear]))(
  '%s: every command does what stands beside it',
  { tags: ['all', 'long'] },
  async (page) => {
    const cwd = makeFolder();
    cpSync(assets, join(cwd, 'assets'), { recursive: true });
    cpSync(join(root, 'examples'), join(cwd, 'examples'), { recursive: true });
    mkdirSync(join(cwd, 'out'));
    let printed = '';
    let count = 0;
    for (const { before, language, body } of blocksOf(page)) {
      const file = /`([\w.-]+\.(?:json|srdf))`[^`]*$/.exec(before)?.[1];
      if (['json', 'xml'].includes(language) && file) writeFileSync(join(cwd, file), body);
      if (language === 'text' && before === '') expect(withoutTimes(body), page).toBe(withoutTimes(printed));
      if (language !== 'sh' || body === 'npm install\n') continue;
      for (const line of body.replaceAll('\\\n', ' ').trim().split('\n')) {
        printed = await runLine(line, cwd);
        count++;
      }
    }
    expect(count).toBeGreaterThan(0);
  },
);
