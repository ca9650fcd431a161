/** Shards with anything in them: merge tells them, or refuses them in one line; and those of version 1 stay readable. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runOf } from '../../src/cli/shards/shard-file.ts';
import { expectFailure, makeFolder, run } from '../support/cli.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';

const golden = (name: string): string => fileURLToPath(new URL(`../golden/${name}-shard-v1.ndjson`, import.meta.url));

test('version 1 of a scene', async () => {
  const cwd = makeFolder();
  copyFileSync(golden('scene'), join(cwd, 'a.ndjson'));
  const { code, stdout, stderr } = await run(['merge', 'a.ndjson'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toMatch(/lost\.obj: no such file; unchecked: lost\n$/);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(
      /^overlap {2}g\/a {2}g\/b {2}0\.316987 m thick {2}at \(0\.625 0\.375 0\) {2}3 patches of area 0\.5625, length 1\.06066 {2}near {2}\w{8}$/,
    ),
    '',
    '1 near, 1 touch; --verbose lists them',
    '3 objects: 1 object unchecked, 1 without units taken in m',
    expect.stringMatching(/^3 pairs: 0 apart by their boxes, 3 checked, 2 in contact \(1 overlap, 1 touch\), 1 near/),
    expect.stringMatching(/^hint: --baseline/),
    '2 problems (2 errors, 0 warnings), 1 near, 1 touching',
    '',
  ]);
  // Findings of 0.1 that are near have no distance.
  const all = await run(['merge', 'a.ndjson', '--verbose'], { cwd });
  expect(all.stdout).toMatch(/^near {5}g\/a {2}g\/c {2}within \S+ m +at \(1\.125 0 0\) +near {2}\w{8}$/m);
});

test('version 1 of cubes', async () => {
  const cwd = makeFolder();
  copyFileSync(golden('cubes'), join(cwd, 'a.ndjson'));
  expect(await run(['merge', 'a.ndjson'], { cwd })).toEqual({
    ...{ code: 1, signal: null, stderr: '' },
    stdout:
      'a  b  20 common cubes, from (0.25 0 0) to (1.25 1 1)\nb  c  1 common cube, from (1.25 0 0) to (1.5 0.25 0.25)\n' +
      '2 of 3 pairs of 3 models collide, in 21 cubes of 0.25\n',
  });
});

const STRANGE = [null, true, [], {}, '', -1, 0.5, 1e308, '__proto__', '\u0000\n\u001b[31m', 'x'.repeat(300), [[[]]]];

/** Some value in a record is another, or gone; the first line's digest is made good again. */
function changed(line: string, random: Random): string {
  const record = JSON.parse(line);
  let at = record;
  for (let depth = 0; depth < 6; depth++) {
    const keys = Object.keys(at);
    if (keys.length === 0) break;
    const key = random.pick(keys);
    if (typeof at[key] === 'object' && at[key] !== null && random.below(3) > 0) {
      at = at[key];
      continue;
    }
    if (random.below(4) === 0) delete at[key];
    else at[key] = random.pick(STRANGE);
    break;
  }
  if (record.type === 'shard') record.run = runOf(record);
  return JSON.stringify(record);
}

function mutantOf(text: string, random: Random): string {
  const lines = text.trimEnd().split('\n');
  const n = random.below(lines.length);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, random.below(text.length));
    case 1:
      return lines.filter((_, i) => i !== n).join('\n');
    case 2:
      return [...lines.slice(0, n), lines[random.below(lines.length)], ...lines.slice(n)].join('\n');
    case 3: {
      const at = random.below(text.length);
      return `${text.slice(0, at)}${String.fromCharCode(random.below(256))}${text.slice(at + 1)}`;
    }
    default:
      return lines.map((line, i) => (i === n ? changed(line, random) : line)).join('\n');
  }
}

test.each(['scene', 'cubes'])(
  '%s: whatever is changed is told, or refused in a line; seed 1',
  { tags: ['quick', 'long'] },
  async (name) => {
    const cwd = makeFolder();
    const random = seeded(1);
    const text = readFileSync(golden(name), 'utf8');
    let refused = 0;
    const count = long ? 340 : 60;
    for (let number = 0; number < count; number++) {
      const mutant = mutantOf(text, random);
      writeFileSync(join(cwd, 'a.ndjson'), mutant);
      const outcome = await run(['merge', 'a.ndjson', ...(number % 2 ? ['--json'] : [])], { cwd });
      const where = `mutant ${number}: ${JSON.stringify(outcome)}`;
      expect(outcome.stderr, where).not.toMatch(/internal fault/);
      expect([0, 1, 2, 3], where).toContain(outcome.code);
      if (outcome.code !== 2 || /unchecked: /.test(outcome.stderr)) continue;
      expectFailure(outcome, /^a\.ndjson/);
      refused++;
    }
    expect(refused).toBeGreaterThan(count / 3);
  },
);
