/** docs/frep.md says what is so: its models are models, its commands do what stands beside them, its tables have every shape and every key. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compileFrep } from '../../src/representations/frep/make/compile.ts';
import { readFrep } from '../../src/representations/frep/make/model.ts';
import { assets, makeFolder, run } from '../support/cli.ts';
import { long } from '../support/long.ts';

const textOf = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const guide = textOf('docs/frep.md');

/** What stands between fences, its language and the paragraph before. */
const blocks = [...guide.matchAll(/([^\n]*(?:\n[^\n]+)*)\n\n```(\w+)\n([\s\S]*?)\n```/g)].map(
  ([, before, language, body]) => ({ before, language, body }),
);
const models = blocks.filter(({ language }) => language === 'json');

function refusalOf(text: string): string {
  try {
    compileFrep(readFrep(text));
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}

test('every model of the guide is one, and compiles', () => {
  expect(models.length).toBeGreaterThanOrEqual(9);
  for (const { body } of models) expect(compileFrep(readFrep(body)).program.ops.length).toBeGreaterThan(0);
});

interface Schema {
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
}

const keysOf = ({ properties = {}, anyOf = [] }: Schema): string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(keysOf),
];

test('the tables have a row for every shape, with every key of it', () => {
  const kinds = /one of (.*) at object/.exec(refusalOf('{"object": {}}'))?.[1].split(', ') ?? [];
  expect(kinds.length).toBeGreaterThanOrEqual(20);
  const shape = JSON.parse(textOf('docs/frep.schema.json')).$defs.shape as Schema;
  for (const kind of kinds) {
    const row = guide.split('\n').find((line) => line.startsWith(`| \`${kind}\` |`));
    expect(row, kind).toBeDefined();
    for (const key of keysOf(shape.properties?.[kind] ?? {})) expect(row, kind).toContain(`\`${key}\``);
  }
  for (const key of Object.keys(shape.properties ?? {})) expect(guide).toContain(`\`${key}\``);
});

test('refusals are those that the guide quotes', () => {
  const sphere = { sphere: { radius: 2 } };
  const objects = [
    { sphere: { raduis: 2 } },
    { ...sphere, box: { size: [1, 1, 1] } },
    { union: [sphere, { cylinder: { radius: 2 } }] },
    { ...sphere, perturbations: [{ by: { cylinder: { radius: 1 } } }] },
    { intersection: [sphere, { expression: '1- sin(8*x y)' }] },
    { intersection: [{ box: { size: [2, 2, 2] } }, { expression: '1 / x' }] },
    { intersection: [sphere, { sphere: { radius: 1, center: [9, 0, 0] } }] },
  ];
  const refusals = objects.map((object) => refusalOf(JSON.stringify({ object })));
  expect(refusals).toEqual([...guide.matchAll(/^\| `(expected [^|]*)` \|/gm)].map(([, message]) => message));
});

/** Verdict, if any, and exit code of a command, from the words beside it. */
function promised(comment: string): { verdict: string | undefined; code: number } {
  return {
    verdict: /\b(clear|contact|undecided)\b/.exec(comment)?.[1],
    code: Number(/exit code (\d)/.exec(comment)?.[1] ?? 0),
  };
}

test('every command of the guide does what stands beside it', { tags: ['long'] }, async () => {
  const cwd = makeFolder();
  cpSync(assets, join(cwd, 'assets'), { recursive: true });
  for (const { before, body } of models) {
    const name = [...before.matchAll(/`([\w-]+\.frep\.json)`/g)].at(-1)?.[1];
    if (name) writeFileSync(join(cwd, name), body);
  }
  let count = 0;
  let said = '';
  const runLine = async (line: string): Promise<void> => {
    const [command, comment = ''] = line.split('#');
    const [npx, local, program, ...words] = command.trim().split(/ +/);
    // A picture and a fine surface of the organ take seconds.
    if (!long && words.join(' ').startsWith('export out/organ.frep')) return;
    const args = long ? words : words.filter((word) => !/^--png$|\.png$/.test(word));
    expect([npx, local, program]).toEqual(['npx', '--no-install', 'gicollide']);
    const { code, stdout, stderr } = await run(args, { cwd });
    const { verdict, code: expected } = promised(comment);
    expect(code, `${line}\n${stderr}`).toBe(expected);
    expect(args[0] === 'check' ? stdout.split(' ')[0] : undefined, line).toBe(verdict);
    said += stdout;
    count++;
  };
  for (const { language, body } of blocks) {
    const lines = language === 'sh' ? body.split('\n') : [];
    // What is built first is there for all others, which are independent of each other.
    const isBuild = (line: string) => line.includes(' build ');
    await Promise.all(lines.filter(isBuild).map(runLine));
    await Promise.all(lines.filter((line) => !isBuild(line)).map(runLine));
    // What it quotes of the output, but for formulas.
    const quotes = language === 'text' && !body.includes('F(x)') ? body.split('\n') : [];
    for (const quote of quotes) expect(said).toContain(quote.trim());
  }
  expect(count).toBeGreaterThanOrEqual(15);
});
