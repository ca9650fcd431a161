/** `gicollide build --watch` by the program and real files: what it builds and checks again, what it says, how it ends. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { translation } from '../../src/math/pose.ts';
import { transformMesh } from '../../src/mesh/mesh.ts';
import { writeObj } from '../../src/readers/obj/obj.ts';
import {
  ended,
  expectFailure,
  makeFolder,
  type Outcome,
  type RunOptions,
  run,
  runAlone,
  start,
} from '../support/cli.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere } from '../support/shapes.ts';

interface Record {
  type?: string;
  [key: string]: unknown;
}

const children: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Milliseconds. */
const PATIENCE = 300_000;

/** A watch that talks JSON: its records, round by round. */
class Watch {
  readonly outcome: Promise<Outcome>;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;

  constructor(cwd: string, args: string[] = [], options: Partial<RunOptions> = {}) {
    this.child = start(['build', '--watch', '--no-cache', '--json', ...args], { cwd, ...options });
    children.push(this.child);
    this.outcome = ended(this.child);
    this.lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
  }

  /** All records up to one of a type. A watch that says nothing for minutes is taken for one that hangs. */
  async until(type: string): Promise<Record[]> {
    const records: Record[] = [];
    while (records.at(-1)?.type !== type) {
      const timer = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE);
      const { value, done } = await this.lines.next();
      clearTimeout(timer);
      if (done) throw new Error(`ended before a record ${type}: ${JSON.stringify(await this.outcome)}`);
      records.push(JSON.parse(value));
    }
    return records;
  }

  /** The next round: its record, and those before it. */
  async round(): Promise<{ round: Record; records: Record[] }> {
    const records = await this.until('round');
    return { round: records.at(-1)!, records };
  }

  async end(signal: NodeJS.Signals = 'SIGINT'): Promise<Outcome> {
    this.child.kill(signal);
    return this.outcome;
  }
}

const obj = (size: number, x = 0): Uint8Array =>
  writeObj(transformMesh(box(size), translation(x, 0, 0)), 'made by a test');

/**
 * Writes a file in one step, as many editors do. Between two steps a busy machine may stop the
 * test, and the watch would see half a file.
 */
function save(file: string, content: string | Uint8Array): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

/** Boxes of side 1 that stand in a row, as assets that are built of props. */
function makeProject({ count = 4, apart = 1.5, scene = {}, project = {} } = {}): string {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'props'));
  for (let i = 0; i < count; i++) writeFileSync(join(cwd, `props/p${i}.obj`), obj(1));
  const build = [{ include: 'props/**/*.obj', format: 'obb', out: 'out/' }];
  const all = { gicollide: 'project/1', build, scenes: ['room.scene.json'], ...project };
  writeFileSync(join(cwd, 'gicollide.json'), JSON.stringify(all));
  writeFileSync(join(cwd, 'room.scene.json'), JSON.stringify(roomOf(count, apart, scene)));
  return cwd;
}

const roomOf = (count: number, apart: number, more: object = {}) => ({
  gicollide: 'scene/1',
  assets: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, `out/p${i}.obb`])),
  instances: Array.from({ length: count }, (_, i) => ({ name: `o${i}`, asset: `p${i}`, translate: [apart * i, 0, 0] })),
  ...more,
});

/** The same at other places. */
function roomAt(x: readonly number[]) {
  const room = roomOf(x.length, 0);
  return { ...room, instances: room.instances.map((instance, i) => ({ ...instance, translate: [x[i], 0, 0] })) };
}

const told = (records: Record[], change: string): string[] =>
  records.filter((record) => record.change === change).map(({ id, class: found }) => `${id} ${found}`);

test('a changed prop is built, its pairs alone are asked again, and what is new and gone is told', async () => {
  const cwd = makeProject({ count: 6 });
  const watch = new Watch(cwd);
  const first = await watch.round();
  expect(first.round).toMatchObject({ number: 1, built: 6, failed: 0, code: 0 });
  expect(first.round.scenes).toEqual([
    { scene: 'room.scene.json', new: 0, gone: 0, still: 0, asked: 0, pairs: 15, code: 0 },
  ]);
  await watch.until('watching');
  save(join(cwd, 'props/p2.obj'), obj(2.5));
  const second = await watch.round();
  expect(second.round).toMatchObject({ number: 2, built: 1, code: 1 });
  expect(second.records.filter(({ status }) => status)).toMatchObject([
    { status: 'built', file: join('out', 'p2.obb') },
  ]);
  expect(second.round.scenes).toMatchObject([{ new: 2, gone: 0, still: 0, asked: 2 }]);
  expect(second.records.filter(({ type }) => type === 'finding')).toMatchObject([
    { change: 'new', scene: 'room.scene.json', class: 'overlap', a: { name: 'o1' }, b: { name: 'o2' } },
    { change: 'new', scene: 'room.scene.json', class: 'overlap', a: { name: 'o2' }, b: { name: 'o3' } },
  ]);
  // Only its poses are the scene file's.
  const room = roomOf(6, 1.5);
  room.instances[5].translate = [6.9, 0, 0];
  save(join(cwd, 'room.scene.json'), JSON.stringify(room));
  const third = await watch.round();
  expect(third.round).toMatchObject({ built: 0, code: 1 });
  expect(third.round.scenes).toMatchObject([{ new: 1, gone: 0, still: 2, asked: 1 }]);
  save(join(cwd, 'props/p2.obj'), obj(1));
  const fourth = await watch.round();
  expect(fourth.round.scenes).toMatchObject([{ new: 0, gone: 2, still: 1 }]);
  expect(told(fourth.records, 'gone').sort()).toEqual(told(second.records, 'new').sort());
  expect(await watch.end()).toMatchObject({ code: 1, signal: null, stderr: '' });
});

test('in words: when, what, new and gone lines, how the scene stands; green ends with 0', {
  tags: ['all'],
}, async () => {
  const cwd = makeProject();
  const child = start(['build', '--watch', '--no-cache'], { cwd });
  children.push(child);
  const outcome = ended(child);
  let text = '';
  const until = (end: RegExp): Promise<string> =>
    new Promise((done) => {
      const look = (): void => {
        if (!end.test(text)) return;
        child.stdout.off('data', look);
        done(text);
        text = '';
      };
      child.stdout.on('data', look);
      look();
    });
  child.stdout.on('data', (piece: string) => {
    text += piece;
  });
  expect(await until(/^watching.*\n/m)).toMatch(/^green: 4 built, 1 scene checked, \d+\.\d\d s$/m);
  // An editor's file that comes and goes is not named.
  writeFileSync(join(cwd, 'props/p9.obj'), '');
  await new Promise((done) => setTimeout(done, 30));
  save(join(cwd, 'props/p0.obj'), obj(2.5));
  rmSync(join(cwd, 'props/p9.obj'));
  const lines = (await until(/^(findings|green): .*\n/m)).split('\n');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}props.p0\.obj changed$/);
  expect(lines[1]).toMatch(
    /^out.p0\.obb {2}OBB tree \(40 bytes per node\) from props.p0\.obj, 12 triangles; [\d.]+ KB, [\d.]+ s$/,
  );
  expect(lines[2]).toMatch(/^new {3}overlap {2}o0 {2}o1 /);
  expect(lines[3]).toBe('room.scene.json: 1 new, 0 gone, 0 still; 1 of 6 pairs asked again');
  expect(lines[4]).toMatch(/^findings: 1 built, 1 scene checked, \d+\.\d\d s$/);
  save(join(cwd, 'props/p0.obj'), obj(1));
  expect(await until(/^(findings|green): .*\n/m)).toMatch(/^gone {2}overlap {2}o0 {2}o1 /m);
  child.kill('SIGTERM');
  expect(await outcome).toMatchObject({ code: 0, signal: null, stderr: '' });
});

const CHANGES = long ? 17 : 8;

test(`seed 1: after each of ${CHANGES} random changes, the findings are those of a fresh gicollide scene`, {
  tags: ['all', 'long'],
}, async () => {
  const random = seeded(1);
  const count = 6;
  const cwd = makeProject({ count });
  const watch = new Watch(cwd);
  const state = new Set<string>();
  let x = Array.from({ length: count }, (_, i) => 1.5 * i);
  const broken = new Set<number>();
  for (let n = 0; n <= CHANGES; n++) {
    const { round, records } = await watch.round();
    for (const key of told(records, 'gone')) expect(state.delete(key)).toBe(true);
    for (const key of told(records, 'new')) state.add(key);
    // The asset of a broken source is stale.
    const fresh = await run(['scene', 'room.scene.json', '--json', '--stale', 'ok'], { cwd });
    const found: Record[] = fresh.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const expected = found.filter(({ type }) => type === 'finding').map((finding) => `${finding.id} ${finding.class}`);
    expect([...state].sort()).toEqual(expected.sort());
    expect(round.code).toBe(broken.size > 0 ? 2 : fresh.code);
    if (n === 0) await watch.until('watching');
    const at = random.below(count);
    const file = join(cwd, `props/p${at}.obj`);
    switch (random.below(5)) {
      case 0:
        save(file, `f 1 2 ${n}\n`);
        broken.add(at);
        break;
      case 1:
        save(file, obj(random.between(0.5, 2.5)));
        broken.delete(at);
        break;
      case 2:
        x = x.map((before, i) => (i === at ? random.between(0, 9) : before));
        save(join(cwd, 'room.scene.json'), JSON.stringify(roomAt(x)));
        break;
      default:
        save(
          file,
          random.below(2) === 0
            ? writeObj(bumpySphere(n, 1), `${n}`)
            : obj(random.between(0.5, 2.5), random.between(-1, 1)),
        );
        broken.delete(at);
    }
  }
  await watch.end();
});

describe('no input ends it', { tags: ['all'] }, () => {
  test('a broken mesh, a broken project, a broken scene: a line each, once, and then they are good again', async () => {
    const cwd = makeProject();
    const watch = new Watch(cwd);
    await watch.round();
    await watch.until('watching');
    save(join(cwd, 'props/p0.obj'), 'f 1 2 3\n');
    const broken = await watch.round();
    // The scene is checked with the asset that there is, and says that it is stale.
    expect(broken.round).toMatchObject({ built: 0, failed: 1, code: 2, scenes: [{ pairs: 6, stale: 1, code: 2 }] });
    save(join(cwd, 'props/p1.obj'), obj(1.1));
    // Still broken, and told no more.
    expect((await watch.round()).round).toMatchObject({ built: 1, failed: 0, code: 2 });
    // Saved again, and no better.
    save(join(cwd, 'props/p0.obj'), 'f 1 2 4\n');
    expect((await watch.round()).round).toMatchObject({ built: 0, failed: 1, code: 2 });
    save(join(cwd, 'props/p0.obj'), obj(1));
    expect((await watch.round()).round).toMatchObject({ code: 0, scenes: [{ code: 0 }] });
    save(join(cwd, 'room.scene.json'), '{"gicollide": "scene/1"');
    expect((await watch.round()).round).toMatchObject({ code: 2, scenes: [{ scene: 'room.scene.json', code: 2 }] });
    save(join(cwd, 'room.scene.json'), JSON.stringify(roomOf(4, 0.9)));
    expect((await watch.round()).round).toMatchObject({ code: 1, scenes: [{ new: 3 }] });
    const { stderr } = await watch.end();
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/p0\.obj:1: /),
      expect.stringMatching(/p0\.obj:1: /),
      expect.stringMatching(/room\.scene\.json/),
      '',
    ]);
  });

  test('a project that is broken from the start is waited for; where there is none, there is nothing to watch', async () => {
    const cwd = makeProject();
    writeFileSync(join(cwd, 'gicollide.json'), '{');
    const watch = new Watch(cwd);
    await watch.until('watching');
    save(
      join(cwd, 'gicollide.json'),
      JSON.stringify({ gicollide: 'project/1', build: [{ include: 'props/', format: 'obb' }] }),
    );
    expect((await watch.round()).round).toMatchObject({ built: 4, code: 0, scenes: [] });
    expect((await watch.end()).stderr).toMatch(/^error: gicollide\.json:1: [^\n]+\n$/);
    expectFailure(await run(['build', '--watch'], { cwd: makeFolder() }), /^gicollide\.json: no such file/);
  });

  test('a source that goes leaves its output, which is told as stale; one that comes is built', async () => {
    const cwd = makeProject({ project: { scenes: [] } });
    const watch = new Watch(cwd);
    await watch.round();
    await watch.until('watching');
    rmSync(join(cwd, 'props/p3.obj'));
    expect((await watch.round()).round).toMatchObject({
      built: 0,
      stale: [{ file: join('out', 'p3.obb'), source: join('props', 'p3.obj') }],
      code: 0,
    });
    mkdirSync(join(cwd, 'more'));
    writeFileSync(join(cwd, 'more/q.obj'), obj(1));
    renameSync(join(cwd, 'more'), join(cwd, 'props/more'));
    expect((await watch.round()).round).toMatchObject({ built: 1, stale: [], code: 0 });
    await watch.end();
  });
});

test('meshes that are named are watched without a project; 300 files at once are built', {
  tags: ['long'],
}, async () => {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'props'));
  const target = join(cwd, 'target.obj');
  writeFileSync(target, obj(1));
  symlinkSync(target, join(cwd, 'props/link.obj'));
  const watch = new Watch(cwd, ['props', '-f', 'obb']);
  expect((await watch.round()).round).toMatchObject({ built: 1, code: 0, scenes: [] });
  await watch.until('watching');
  writeFileSync(target, obj(2));
  expect((await watch.round()).round).toMatchObject({ built: 1 });
  for (let i = 0; i < 300; i++) writeFileSync(join(cwd, `props/${i}.obj`), obj(1, i));
  for (let left = 300; left > 0; ) left -= (await watch.round()).round.built as number;
  expect((await watch.end()).code).toBe(0);
});

test('outputs among the sources, and another watch of the same project, make no round', {
  tags: ['long'],
}, async () => {
  const cwd = makeProject({
    project: { build: [{ include: '**/*.obj', format: 'obb', out: '.' }] },
    scene: { assets: Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`p${i}`, `props/p${i}.obb`])) },
  });
  const watches = [new Watch(cwd), new Watch(cwd)];
  for (const watch of watches) await watch.until('watching');
  for (let n = 2; n < 5; n++) {
    save(join(cwd, 'props/p1.obj'), obj(1 + n));
    for (const watch of watches) expect((await watch.round()).round).toMatchObject({ number: n, code: 1 });
  }
  for (const watch of watches) expect((await watch.end()).stderr).toBe('');
});

/** A system that has no watches to give. */
const NO_WATCHES = {
  preload: `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'; fs.watch = () => { throw Object.assign(new Error('ENOSPC: no watches'), { code: 'ENOSPC' }); }; syncBuiltinESMExports();`,
};

test.each([
  ['--poll', ['--poll'], {}],
  ['no watches left', [], NO_WATCHES],
])('%s: files are looked at again and again', { tags: ['all'] }, async (name, args, options) => {
  const cwd = makeProject();
  const watch = new Watch(cwd, args, options);
  await watch.until('watching');
  save(join(cwd, 'props/p1.obj'), obj(2.5));
  expect((await watch.round()).round).toMatchObject({ built: 1, code: 1, scenes: [{ new: 2 }] });
  const { stderr } = await watch.end();
  expect(stderr.split('\n').length).toBe(name === '--poll' ? 1 : 2);
});

test('an interrupt ends it, also as the next round begins', { tags: ['all'] }, async () => {
  const ends = Array.from({ length: 4 }, async () => {
    const cwd = makeProject();
    // Two looks see the change, so one round follows the other at once.
    const watch = new Watch(cwd, [], NO_WATCHES);
    await watch.until('watching');
    save(join(cwd, 'props/p1.obj'), obj(2.5));
    await watch.round();
    await watch.end();
  });
  await Promise.all(ends);
});

test('with a baseline, what is known is no failure', { tags: ['all'] }, async () => {
  const cwd = makeProject({ apart: 0.9, project: { scenes: [{ files: 'room.scene.json', baseline: 'known.json' }] } });
  await run(['build', '--no-cache'], { cwd });
  await run(['scene', 'room.scene.json', '--baseline', 'known.json', '--update-baseline'], { cwd });
  const watch = new Watch(cwd);
  expect((await watch.round()).round).toMatchObject({ code: 0, scenes: [{ new: 3 }] });
  await watch.until('watching');
  save(join(cwd, 'props/p1.obj'), obj(2.5));
  const { round, records } = await watch.round();
  expect(round.code).toBe(1);
  expect(records.filter(({ change, state }) => change === 'new' && state === 'worse').length).toBeGreaterThan(0);
  await watch.end();
});

test('what speaks of one run is refused', { tags: ['long'] }, async () => {
  const cwd = makeProject();
  for (const option of ['--check', '--dry-run', '--force', '--manifest=m.json', '--depfile=d', '--shard=1/2'])
    expectFailure(
      await runAlone(['build', '--watch', option], { cwd }),
      /^--[a-z-]+( <.*>)? applies to a single run; leave out this option or --watch$/,
    );
  expectFailure(await run(['build', '--poll'], { cwd }), /^--poll: expected --watch/);
  expectFailure(await run(['build', '-', '--watch'], { cwd }), /stdin, which cannot be watched/);
});
