/** What a build writes beside its outputs, and shards of it: --manifest, --depfile, --shard. */
// @module-tag all
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeSchema } from '../../scripts/make-schema.mjs';
import { schemaNotes } from '../../src/base/schema-notes.ts';
import {
  type Manifest,
  manifestSchema,
  mergeManifests,
  readManifest,
  writeManifest,
} from '../../src/project/manifest.ts';
import { expectFailure, listFiles, makeFolder, run, writeMesh } from '../support/cli.ts';
import { refusal } from '../support/refusal.ts';
import { box } from '../support/shapes.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

function meshes(...names: string[]): string {
  const cwd = makeFolder();
  for (const name of names) {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeMesh(join(cwd, name), box());
  }
  return cwd;
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const manifestIn = (cwd: string, file = 'm.json'): Manifest => readManifest(readFileSync(join(cwd, file)));

test('docs/manifest.schema.json is what the reader uses', () => {
  const text = readFileSync(new URL('../../docs/manifest.schema.json', import.meta.url), 'utf8');
  expect(text).toBe(makeSchema(manifestSchema, schemaNotes));
});

test('a manifest of version 1 stays readable', () => {
  const golden = readFileSync(new URL('../golden/manifest-v1.json', import.meta.url), 'utf8');
  expect(writeManifest(readManifest(golden))).toBe(golden);
});

describe.concurrent('--manifest', () => {
  test('all outputs, sorted, by digests; the same when all is fresh, and from elsewhere', async () => {
    const cwd = meshes('b.obj', 'a.obj');
    const args = ['build', 'b.obj', 'a.obj', '-f', 'obb,kdop', '--manifest', 'm.json'];
    expect((await run(args, { cwd })).code).toBe(0);
    const text = readFileSync(join(cwd, 'm.json'), 'utf8');
    const { outputs, failed, tool } = manifestIn(cwd);
    expect(outputs.map(({ file }) => file)).toEqual(['out/a.kdop', 'out/a.obb', 'out/b.kdop', 'out/b.obb']);
    expect([failed, tool]).toEqual([[], expect.stringMatching(/^gicollide \d/)]);
    for (const { file, source, sha256, sourceSha256, bytes, format } of outputs) {
      const content = readFileSync(join(cwd, file));
      expect([sha256, bytes]).toEqual([digest(content), content.length]);
      expect(sourceSha256).toBe(digest(readFileSync(join(cwd, source))));
      expect(file.endsWith(`.${format}`)).toBe(true);
    }
    await run(args, { cwd });
    expect(readFileSync(join(cwd, 'm.json'), 'utf8')).toBe(text);
    const other = meshes('b.obj', 'a.obj');
    await run(args, { cwd: other });
    expect(readFileSync(join(other, 'm.json'), 'utf8')).toBe(text);
  });

  test('what failed is in it; where it may not be', async () => {
    const cwd = meshes('a.obj');
    writeFileSync(join(cwd, 'x.obj'), 'v 0 0\n');
    const args = ['build', 'a.obj', 'x.obj', '-f', 'obb'];
    expect((await run([...args, '--manifest', 'm.json'], { cwd })).code).toBe(2);
    expect(manifestIn(cwd).failed).toEqual([
      { source: 'x.obj', message: expect.stringMatching(/^x\.obj:1: expected/) },
    ]);
    expectFailure(await run([...args, '--manifest', 'a.obj'], { cwd }), 'a.obj: would overwrite an input');
    expectFailure(
      await run([...args, '--manifest', 'out/a.obb'], { cwd }),
      'out/a.obb: two things would be written there',
    );
    expectFailure(
      await run([...args, '--manifest', 'm', '--depfile', 'm'], { cwd }),
      'm: two things would be written there',
    );
  });
});

describe.concurrent('--depfile', () => {
  const odd = 'odd $name #1 (2).obj';

  test('a rule an output, with the files that its source names', async () => {
    const cwd = meshes('a.obj', odd);
    expect((await run(['build', 'a.obj', odd, '-f', 'obb', '--depfile', 'out.d'], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, 'out.d'), 'utf8')).toBe(
      'out/a.obb: a.obj\nout/odd\\ $$name\\ \\#1\\ (2).obb: odd\\ $$name\\ \\#1\\ (2).obj\n',
    );
  });

  test.runIf(spawnSync('make', ['--version']).status === 0)('make reads it', async () => {
    const cwd = meshes('a.obj', odd);
    await run(['build', 'a.obj', odd, '-f', 'obb', '--depfile', 'out.d'], { cwd });
    writeFileSync(
      join(cwd, 'Makefile'),
      'all: out/a.obb out/odd\\ $$name\\ \\#1\\ (2).obb\n%.obb:\n\t@echo "again $@"\ninclude out.d\n',
    );
    const make = (): string => execFileSync('make', ['-s'], { cwd, encoding: 'utf8' });
    expect(make()).toBe('');
    // Newer and the same: make asks once, and is content.
    execFileSync('touch', ['-d', '2001-01-01', join('out', odd.replace('.obj', '.obb'))], { cwd });
    expect(make()).toMatch(/^again out\/odd .*#1 \(2\)\.obb\n$/);
    expect((await run(['build', 'a.obj', odd, '-f', 'obb', '--depfile', 'out.d'], { cwd })).stdout).toMatch(
      /^2 fresh/m,
    );
    expect(make()).toBe('');
  });

  test('a source of the future is not asked for again and again', async () => {
    const cwd = meshes('a.obj');
    const args = ['build', 'a.obj', '-f', 'obb', '--depfile', 'out.d'];
    await run(args, { cwd });
    const later = Math.ceil(Date.now() / 1000) + 1e6;
    utimesSync(join(cwd, 'a.obj'), later, later);
    expect((await run(args, { cwd })).stdout).toMatch(/fresh/);
    expect(statSync(join(cwd, 'out/a.obb')).mtimeMs).toBeGreaterThanOrEqual(statSync(join(cwd, 'a.obj')).mtimeMs);
  });

  const hasMake = spawnSync('make', ['--version']).status === 0 && process.platform !== 'win32';
  test.runIf(hasMake)('make takes a colon for a part of a name', async () => {
    const cwd = meshes('a:b.obj');
    await run(['build', 'a:b.obj', '-f', 'obb', '--depfile', 'out.d'], { cwd });
    expect(readFileSync(join(cwd, 'out.d'), 'utf8')).toBe('out/a\\:b.obb: a\\:b.obj\n');
    writeFileSync(join(cwd, 'Makefile'), 'all: out/a\\:b.obb\n%.obb:\n\t@echo "again $@"\ninclude out.d\n');
    const make = (): string => execFileSync('make', ['-s'], { cwd, encoding: 'utf8' });
    expect(make()).toBe('');
    execFileSync('touch', ['-d', '2001-01-01', 'out/a:b.obb'], { cwd });
    expect(make()).toBe('again out/a:b.obb\n');
  });
});

describe.concurrent('--shard', () => {
  test("every output is one shard's; merged, the manifests are that of the whole", async () => {
    const cwd = meshes(...NAMES.map((name) => `${name}.obj`));
    const args = ['build', ...NAMES.map((name) => `${name}.obj`), '-f', 'obb,kdop'];
    await run([...args, '--manifest', 'whole.json'], { cwd });
    const whole = readFileSync(join(cwd, 'whole.json'), 'utf8');
    renameSync(join(cwd, 'out'), join(cwd, 'before'));
    const parts: [string, Manifest][] = [];
    for (const index of [2, 3, 1]) {
      const { code } = await run([...args, '--shard', `${index}/3`, '--manifest', `${index}.json`], { cwd });
      expect(code).toBe(0);
      parts.push([`${index}.json`, manifestIn(cwd, `${index}.json`)]);
    }
    expect(parts.map(([, { outputs }]) => outputs.length).sort()).toEqual([2, 4, 4]);
    expect(listFiles(join(cwd, 'out'))).toEqual(listFiles(join(cwd, 'before')));
    expect(writeManifest(mergeManifests(parts))).toBe(whole);
    const names = parts.map(([name]) => name);
    expect(await run(['merge', ...names, '--manifest', 'merged.json'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(cwd, 'merged.json'), 'utf8')).toBe(whole);
    expectFailure(await run(['merge', '1.json', '--manifest', 'x.json'], { cwd }), 'shard 2/3 is missing');
    expectFailure(await run(['merge', 'a.obj', '--manifest', 'x.json'], { cwd }), /^a\.obj:/);
    expectFailure(
      await run(['merge', ...names, '--manifest', 'x.json', '--report', 'junit=x.xml'], { cwd }),
      '--report applies to findings, but --manifest merges the manifests of builds; leave it out',
    );

    const [[, second], [, third], [, first]] = parts;
    const merge = (...list: Manifest[]) => refusalOf(() => mergeManifests(list.map((part, i) => [`${i}.json`, part])));
    expect(merge(first, third)).toBe('shard 2/3 is missing');
    expect(merge(first, second, second, third)).toBe('2.json: shard 2/3 comes twice: it is also in 1.json');
    expect(merge(first, { ...second, plan: digest(Buffer.from('x')) }, third)).toBe(
      '1.json: expected the build of 0.json, found another one',
    );
    expect(merge(first, { ...second, tool: 'gicollide 9' }, third)).toMatch(/^1\.json: expected "gicollide /);
    expect(merge(readManifest(whole))).toBe('0.json: expected the manifest of a shard, found that of a whole build');
    expect(merge({ ...first, shard: { index: 1, count: 2 } }, second)).toMatch(/^1\.json: expected one of 2 shards/);
    expect(merge(first, second, { ...third, outputs: first.outputs })).toMatch(/is an output of two shards$/);
    expect(merge()).toBe('expected the manifests of shards, found none');
  });

  test('what is no shard', async () => {
    const cwd = meshes('a.obj');
    expectFailure(
      await run(['build', 'a.obj', '--shard', '3/2'], { cwd }),
      /^option '--shard <i\/n>' argument '3\/2' is invalid/,
    );
  });
});

/** The line of an InputError. */
function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was taken');
}

test.each<[text: string, line: RegExp]>([
  ['{"gicollide":"manifest/2"}', /expected "manifest\/1" at gicollide, found "manifest\/2"/],
  [
    '{"gicollide":"manifest/1","tool":"t","plan":"x","outputs":[],"failed":[]}',
    /a digest: 64 hexadecimal digits at plan/,
  ],
  [
    `{"gicollide":"manifest/1","tool":"t","plan":"${'0'.repeat(64)}","shard":{"index":3,"count":2},"outputs":[],"failed":[]}`,
    /at shard\.index, found 3/,
  ],
  [
    `{"gicollide":"manifest/1","tool":"t","plan":"${'0'.repeat(64)}","outputs":[{}],"failed":[]}`,
    /at outputs\[0\]\.file, found nothing/,
  ],
  ['{"gicollide":', /^line 1/],
])('what is no manifest: %s', (text, line) => {
  expect(refusal(() => readManifest(text)).message).toMatch(line);
});
