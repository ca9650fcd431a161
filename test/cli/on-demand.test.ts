/** `check` of large geometry images reads the tiles that it enters. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readDirectories } from '../../src/containers/tiff-directory.ts';
import type { Report } from '../../src/engine/records.ts';
import { makeFolder, run } from '../support/cli.ts';
import { long } from '../support/long.ts';
import { ballImage, tiledFile } from '../support/tiles.ts';

const cwd = makeFolder();
const NEAR = ['--translate-b', '1.55,0.2,0.1'];
const POSES = long ? 8 : 4;
let file: Uint8Array;

beforeAll(async () => {
  file = await tiledFile(ballImage(9, 5), 32);
  writeFileSync(join(cwd, 'a.tiff'), file);
  writeFileSync(join(cwd, 'b.tiff'), await tiledFile(ballImage(9, 4), 32));
});

const reportOf = (stdout: string): Report => JSON.parse(stdout);

test.concurrent('a small part of both files is read, and the report is that of the whole', {
  tags: ['all'],
}, async () => {
  const { code, stdout, stderr } = await run(['check', 'a.tiff', 'b.tiff', ...NEAR, '--json', '--verbose'], { cwd });
  expect(code).toBe(1);
  const read = [...stderr.matchAll(/([ab])\.tiff: (\d+) of (\d+) bytes in \d+ reads/g)];
  expect(read.map(([, name]) => name)).toEqual(['a', 'b']);
  for (const [, name, bytes, size] of read) {
    expect(Number(size)).toBe(statSync(join(cwd, `${name}.tiff`)).size);
    expect(Number(bytes)).toBeLessThan(Number(size) / 3);
  }
  const whole = await run(['check', 'a.tiff', 'b.tiff', ...NEAR, '--json', '--verbose', '--contact-points'], { cwd });
  expect(whole.stderr).not.toMatch(/bytes in \d+ reads/);
  const [found, known] = [reportOf(stdout), reportOf(whole.stdout)];
  expect(Object.keys(found)).toEqual(Object.keys(known));
  // Two engines, which say so, may meet another first contact, and count otherwise.
  expect([found.engine, known.engine]).toEqual(['tiles', 'search']);
  const same = { contacts: 0, tests: 0, ms: 0, engine: '', run: 0 };
  expect({ ...found, ...same }).toEqual({ ...known, ...same });
  expect(found.ms.load).toBeGreaterThan(0);
});

test.concurrent('the list of all contacts is that of the whole, also over many poses', { tags: ['long'] }, async () => {
  const many = ['--all', '--max-contacts', '1000000', '--json'];
  const lines = Array.from(
    { length: POSES },
    (_, i) => `[1,0,0,${1.4 + (0.6 / POSES) * i},0,1,0,0.1,0,0,1,0.2,0,0,0,1]`,
  ).join('\n');
  const input = `${lines}\n`;
  const [found, known] = await Promise.all(
    [[], ['--contact-points']].map(async (more) => {
      const args = ['check', 'a.tiff', 'b.tiff', '--poses', '-', ...many, ...more];
      const { code, stdout } = await run(args, { cwd, input });
      const reports = stdout.trim().split('\n').map(reportOf);
      return { code, answers: reports.map(({ verdict, contacts: { pairs } }) => ({ verdict, pairs })) };
    }),
  );
  expect(found).toEqual(known);
  expect(found.answers).toHaveLength(POSES);
  expect(new Set(found.answers.map(({ verdict }) => verdict)).size).toBe(2);
});

test.concurrent('a damaged tile is refused where it is entered, by name', async () => {
  const [geometry, spheres] = readDirectories(file);
  const damaged = file.slice();
  for (const page of [geometry, spheres]) {
    for (const [i, offset] of page.offsets.entries()) damaged[offset + (page.byteCounts[i] >> 1)] ^= 64;
  }
  // The top is sound.
  const root = spheres.offsets.length - 1 - (Math.ceil(spheres.width / 32) - 512 / 32 - 1);
  damaged.set(
    file.subarray(spheres.offsets[root], spheres.offsets[root] + spheres.byteCounts[root]),
    spheres.offsets[root],
  );
  writeFileSync(join(cwd, 'damaged.tiff'), damaged);
  const far = await run(['check', 'damaged.tiff', 'b.tiff', '--translate-b', '3,0,0'], { cwd });
  expect(far.code).toBe(0);
  const near = await run(['check', 'damaged.tiff', 'b.tiff', ...NEAR], { cwd });
  expect(near.code).toBe(2);
  expect(near.stderr).toMatch(
    /^error: damaged\.tiff: byte \d+: expected deflate data of \d+ bytes in tile \d+, found corrupt data.*\n$/,
  );
  const whole = await run(['check', 'damaged.tiff', 'b.tiff', '--translate-b', '3,0,0', '--distance'], { cwd });
  expect(whole.code).toBe(2);
});

test.concurrent('a file that is cut short is refused, and one with itself is one', async () => {
  writeFileSync(join(cwd, 'short.tiff'), file.subarray(0, file.length - 20));
  const short = await run(['check', 'b.tiff', 'short.tiff', '--translate-b', '3,0,0'], { cwd });
  expect(short.code).toBe(2);
  expect(short.stderr).toMatch(/^error: short\.tiff: byte \d+: expected tile \d+ within bytes/);
  const self = await run(['check', 'a.tiff', 'a.tiff', '--verbose', '--json', '--expect', 'contact'], { cwd });
  expect(self.code).toBe(0);
  expect([...self.stderr.matchAll(/bytes in \d+ reads/g)]).toHaveLength(1);
});
