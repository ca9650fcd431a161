/** `gicollide build` leaves what is fresh as it is: told by headers, the sources' bytes and those of the files they name. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatsWithOption } from '../../src/cli/make/build-key.ts';
import { lookAt } from '../../src/cli/make/fresh.ts';
import { BUILD_DEFAULTS, type BuildJob } from '../../src/cli/make/job.ts';
import { kilobytes, obbBytes } from '../../src/cli/make/lines.ts';
import type { Session } from '../../src/cli/session.ts';
import { writeBlob } from '../../src/containers/blob.ts';
import { build, read, readObj, updateGeometry, write } from '../../src/index.ts';
import { KINDS } from '../../src/representations/kinds.ts';
import { TOOL } from '../../src/version.ts';
import { listFiles, makeFolder, run, writeMesh } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, drilledPlate, icosphere, openCylinder, torus } from '../support/shapes.ts';

const named = (...names: string[]): string =>
  names.map((name, i) => `o ${name}\nv ${i} 0 0\nv ${i} 1 0\nv ${i} 0 1\nf -3 -2 -1\n`).join('');

/** Status and file of each line, by a run with --json. */
async function statuses(cwd: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await run(['build', ...args, '--json'], { cwd });
  const lines = stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return lines.map(({ status, file, reason }) => [status, file, reason].filter(Boolean).join(' '));
}

function meshes(...names: string[]): string {
  const cwd = makeFolder();
  for (const [i, name] of names.entries()) writeFileSync(join(cwd, name), `# ${i}\n${named('a')}`);
  return cwd;
}

test('the options of requests are those of the builders', async () => {
  for (const { name: kind, builder } of KINDS) {
    if (!builder) continue;
    const { options, encodeOptions } = await builder();
    const own = Object.keys({ ...options, ...encodeOptions }).filter((name) => name !== 'onLosses');
    expect(own.length).toBeGreaterThan(0);
    for (const name of own) expect([name, formatsWithOption(name)]).toEqual([name, [kind]]);
  }
});

describe.concurrent('fresh', () => {
  test('whatever parses OBJ, since the bytes are the same', { tags: ['all'] }, async () => {
    const cwd = meshes('a.obj');
    const args = ['a.obj', '-f', 'obb', '--parser'];
    expect(await statuses(cwd, ...args, 'scanner')).toEqual(['built out/a.obb']);
    const bytes = readFileSync(join(cwd, 'out/a.obb'));
    expect(await statuses(cwd, ...args, 'obj-file-parser')).toEqual(['fresh out/a.obb']);
    expect(await statuses(cwd, ...args, 'obj-file-parser', '--force')).toEqual(['built out/a.obb']);
    expect(readFileSync(join(cwd, 'out/a.obb'))).toEqual(bytes);
    const { code, stderr } = await run(['build', ...args, 'own'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--parser <name>')]);
  });

  test('of every format, and what is not is built again', { tags: ['all'] }, async () => {
    const cwd = meshes('a.obj', 'b.obj');
    writeMesh(join(cwd, 'a.obj'), box());
    writeFileSync(join(cwd, 'c.frep.json'), '{"object": {"sphere": {"radius": 0.5}}}');
    const all = ['a.obj', 'b.obj', 'c.frep.json', '-f', 'obb,kdop,voxel,gi', '--size', '17'];
    const first = await statuses(cwd, ...all);
    expect(first).toHaveLength(9);
    expect(first.every((line) => line.startsWith('built '))).toBe(true);
    const times = listFiles(join(cwd, 'out')).map((file) => statSync(join(cwd, 'out', file)).mtimeMs);
    expect(await statuses(cwd, ...all)).toEqual(first.map((line) => line.replace('built', 'fresh')));
    expect(listFiles(join(cwd, 'out')).map((file) => statSync(join(cwd, 'out', file)).mtimeMs)).toEqual(times);
    expect((await run(['build', ...all], { cwd })).stdout).toMatch(/^9 fresh, [\d.]+ s\n$/);
    const { stdout } = await run(['build', ...all, '--verbose'], { cwd });
    expect(stdout).toMatch(/^out\/c\.frep {2}fresh\nout\/a\.obb {2}fresh\n(?:.*\n)*9 fresh, [\d.]+ s\n$/);
    const others = await statuses(cwd, ...all, '--k', '6', '--compression', 'none');
    expect(others.filter((line) => line.startsWith('built')).map((line) => line.slice(6))).toEqual(
      ['a.kdop', 'a.tiff', 'b.kdop', 'b.tiff'].map((file) => `out/${file}`),
    );
    expect(
      (await statuses(cwd, ...all, '--k', '6', '--compression', 'none', '--force')).every((line) =>
        line.startsWith('built'),
      ),
    ).toBe(true);
  });

  test('the bytes of a source count, not its time; and its name, which its asset has', async () => {
    const cwd = meshes('a.obj', 'b.obj');
    await statuses(cwd, 'a.obj', 'b.obj', '-f', 'obb');
    utimesSync(join(cwd, 'a.obj'), new Date(0), new Date(0));
    writeFileSync(join(cwd, 'b.obj'), `${readFileSync(join(cwd, 'b.obj'), 'utf8')}# another\n`);
    const args = ['a.obj', 'b.obj', '-f', 'obb'];
    expect(await statuses(cwd, ...args, '--check')).toEqual(['fresh out/a.obb', 'stale out/b.obb another source']);
    expect(await statuses(cwd, ...args)).toEqual(['fresh out/a.obb', 'built out/b.obb']);
    writeFileSync(join(cwd, 'b.obj'), readFileSync(join(cwd, 'a.obj')));
    expect(await statuses(cwd, 'b.obj', '-f', 'obb', '-o', 'out/a.obb', '--check')).toEqual([
      'stale out/a.obb other options',
    ]);
  });

  test.each(['obb', 'kdop', 'voxel', 'frep'])(
    '%s: a bit that is another makes it stale, wherever it is',
    { tags: ['all', 'long'] },
    async (kind) => {
      const cwd = meshes('a.obj');
      writeFileSync(join(cwd, 'c.frep.json'), '{"object": {"sphere": {"radius": 0.5}}}');
      const args = kind === 'frep' ? ['c.frep.json'] : ['a.obj', '-f', kind];
      const output = `out/${kind === 'frep' ? 'c' : 'a'}.${kind}`;
      expect(await statuses(cwd, ...args)).toEqual([`built ${output}`]);
      const bytes = readFileSync(join(cwd, output));
      const random = seeded(27);
      for (let round = 0; round < (long ? 4 : 2); round++) {
        const damaged = Buffer.from(bytes);
        // The last third: of the sections, behind the header.
        damaged[bytes.length - 1 - random.below(Math.floor(bytes.length / 3))] ^= 1 << (round % 8);
        writeFileSync(join(cwd, output), damaged);
        expect(await statuses(cwd, ...args, '--check')).toEqual([`stale ${output} no whole asset`]);
      }
      expect(await statuses(cwd, ...args)).toEqual([`built ${output}`]);
      expect(readFileSync(join(cwd, output)).equals(bytes)).toBe(true);
    },
  );

  test('the same as what was built by itself, byte for byte', async () => {
    const cwd = meshes('a.obj');
    await run(['build', 'a.obj', '-f', 'obb'], { cwd });
    const bytes = readFileSync(join(cwd, 'out/a.obb'));
    await run(['build', 'a.obj', '-f', 'obb', '--force'], { cwd });
    expect(readFileSync(join(cwd, 'out/a.obb')).equals(bytes)).toBe(true);
  });

  describe('what a header does not vouch for is stale', () => {
    test.each<[what: string, reason: string, change: (file: string) => Promise<void> | void]>([
      [
        'a library',
        'no record of how it was built',
        async (file) =>
          writeFileSync(file, await write(build(readObj(readFileSync(join(file, '../../a.obj'))), { format: 'obb' }))),
      ],
      [
        'an update',
        'no record of how it was built',
        async (file) => {
          const { asset } = await read(readFileSync(file));
          writeFileSync(file, await write(updateGeometry(asset, Float64Array.of(0, 0, 0, 0, 2, 0, 0, 0, 2))));
        },
      ],
      [
        'another tool',
        'another tool',
        (file) => {
          const bytes = readFileSync(file);
          bytes.write('gicollide 9', bytes.indexOf('gicollide 0'), 'latin1');
          writeFileSync(file, bytes);
        },
      ],
      ['a file that was cut', 'no whole asset', (file) => truncateSync(file, statSync(file).size - 8)],
      [
        'a file that grew',
        'no whole asset',
        (file) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(4)])),
      ],
      ['other bytes', 'no whole asset', (file) => writeFileSync(file, 'other bytes')],
      ['nothing', 'no whole asset', (file) => writeFileSync(file, '')],
      ['no file', 'there is none', (file) => rmSync(file)],
    ])('%s', async (_, reason, change) => {
      const cwd = meshes('a.obj');
      await statuses(cwd, 'a.obj', '-f', 'obb');
      const [file, bytes] = [join(cwd, 'out/a.obb'), readFileSync(join(cwd, 'out/a.obb'))];
      await change(file);
      const [told] = await statuses(cwd, 'a.obj', '-f', 'obb', '--check');
      expect(told).toBe(`${reason === 'there is none' ? 'missing' : 'stale'} out/a.obb ${reason}`);
      expect(await statuses(cwd, 'a.obj', '-f', 'obb')).toEqual(['built out/a.obb']);
      expect(readFileSync(file).equals(bytes)).toBe(true);
    });

    test('an image whose pixels were cut, and one of another program', { tags: ['all'] }, async () => {
      const cwd = meshes('a.obj');
      writeMesh(join(cwd, 'a.obj'), box());
      const args = ['a.obj', '--size', '17'];
      await statuses(cwd, ...args);
      const file = join(cwd, 'out/a.tiff');
      expect(await statuses(cwd, ...args, '--check')).toEqual(['fresh out/a.tiff']);
      const bytes = readFileSync(file);
      truncateSync(file, bytes.length - 8);
      expect(await statuses(cwd, ...args, '--check')).toEqual(['stale out/a.tiff no whole asset']);
      const described = bytes.indexOf('{"format"');
      bytes.write('[', described, 'latin1');
      writeFileSync(file, bytes);
      expect(await statuses(cwd, ...args, '--check')).toEqual(['stale out/a.tiff no asset of this program']);
    });
  });

  test('the files that a glTF names are its source, too', async () => {
    const cwd = makeFolder();
    const positions = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
    writeFileSync(join(cwd, 'tri.bin'), positions);
    const gltf = {
      asset: { version: '2.0' },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      buffers: [{ uri: 'tri.bin', byteLength: positions.length }],
      bufferViews: [{ buffer: 0, byteLength: positions.length }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
    };
    writeFileSync(join(cwd, 'tri.gltf'), JSON.stringify(gltf));
    const args = ['tri.gltf', '-f', 'obb,kdop'];
    expect(await statuses(cwd, ...args)).toEqual(['built out/tri.obb', 'built out/tri.kdop']);
    expect(await statuses(cwd, ...args)).toEqual(['fresh out/tri.obb', 'fresh out/tri.kdop']);
    positions.writeFloatLE(2, 12);
    writeFileSync(join(cwd, 'tri.bin'), positions);
    const reason = 'other options or files beside';
    expect(await statuses(cwd, ...args, '--check')).toEqual([
      `stale out/tri.obb ${reason}`,
      `stale out/tri.kdop ${reason}`,
    ]);
    expect(await statuses(cwd, ...args)).toEqual(['built out/tri.obb', 'built out/tri.kdop']);
    rmSync(join(cwd, 'tri.bin'));
    const { code, stderr } = await run(['build', ...args], { cwd });
    expect([code, stderr]).toEqual([2, 'error: tri.gltf: tri.bin: no such file\n']);
  });

  test('elements are fresh one by one', async () => {
    const cwd = makeFolder();
    const file = join(cwd, 'house.obj');
    writeFileSync(file, named('a', 'b', 'A'));
    const args = ['house.obj', '--split', 'groups', '-f', 'obb'];
    const all = ['out/house.a.obb', 'out/house.b.obb', 'out/house.A~2.obb'];
    expect(await statuses(cwd, ...args)).toEqual(all.map((path) => `built ${path}`));
    rmSync(join(cwd, all[1]));
    expect(await statuses(cwd, ...args, '--check')).toEqual([
      `fresh ${all[0]}`,
      `missing ${all[1]} there is none`,
      `fresh ${all[2]}`,
    ]);
    expect(await statuses(cwd, ...args)).toEqual([`fresh ${all[0]}`, `built ${all[1]}`, `fresh ${all[2]}`]);
  });
});

describe.concurrent('headers that say anything', () => {
  const session: Session = { global: {}, log: { info: () => {}, warn: () => {}, error: () => {} } };
  const job = (file: string, output: string, format: string): BuildJob => ({
    ...{
      kind: 'mesh',
      inputs: [{ file, outputs: [output] }],
      formats: [format],
      flags: { ...BUILD_DEFAULTS, size: 17 },
    },
  });

  test.each(some(2, [1, 2, 3, 4, 5, 6]))(
    'a status, whatever stands there: seed %i',
    { tags: ['long'] },
    async (seed) => {
      const cwd = makeFolder();
      writeMesh(join(cwd, 'a.obj'), box());
      const random = seeded(seed);
      const seen = new Set<string>();
      for (const format of ['obb', 'gi']) {
        await run(
          [
            'build',
            join(cwd, 'a.obj'),
            '-f',
            format,
            ...(format === 'gi' ? ['--size', '17'] : []),
            '-o',
            join(cwd, 'out/'),
          ],
          { cwd },
        );
        const output = join(cwd, 'out', format === 'gi' ? 'a.tiff' : 'a.obb');
        const bytes = readFileSync(output);
        const json = bytes.indexOf('{"');
        for (let n = 0; n < 150; n++) {
          const mutant = Buffer.from(bytes);
          for (let times = random.below(3); times >= 0; times--)
            mutant[random.below(2) === 0 ? random.below(200) : json + random.below(500)] = random.below(256);
          writeFileSync(output, mutant);
          const records = await lookAt(job(join(cwd, 'a.obj'), output, format), new Map(), session);
          expect(records).toHaveLength(1);
          seen.add(records![0].status);
        }
      }
      expect([...seen].filter((status) => status !== 'fresh' && status !== 'stale')).toEqual([]);
      expect(seen).toContain('stale');
    },
  );

  test.each<[options: object]>([
    [{ files: 5 }],
    [{ files: '5' }],
    [{ files: '["../../../../../../etc/passwd", "/dev/zero", "pipe", ".", "\\u0000", ""]' }],
    [{ files: JSON.stringify(Array.from({ length: 1000 }, (_, i) => `${i}.bin`)) }],
    [{ build: {} }],
    [{ build: 'x'.repeat(100_000) }],
  ])('options %j', async (options) => {
    const cwd = makeFolder();
    writeMesh(join(cwd, 'a.obj'), box());
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const header = { tool: TOOL, source: null, units: null, options: { build: '0'.repeat(16), ...options } };
    const output = join(cwd, 'a.obb');
    writeFileSync(output, await writeBlob('obb', 1, header, []));
    const records = await lookAt(job(join(cwd, 'a.obj'), output, 'obb'), new Map(), session);
    expect(records).toMatchObject([{ status: 'stale' }]);
  });
});

test.each([
  ['a coarse ball', icosphere(2)],
  ['a ball', icosphere(3)],
  ['a tube', openCylinder()],
  ['a torus', torus(40, 24)],
  ['a drilled plate', drilledPlate(2, 0.2, 2)],
])('%s: the bytes of an OBB tree told beside its image are nearly those of one', async (_, mesh) => {
  const { length } = await write(build(mesh, { format: 'obb' }));
  expect(Math.abs(obbBytes(mesh) - length)).toBeLessThan(0.1 * length);
});

test.each([
  [1032, '1.0 KB'],
  [7056, '7.1 KB'],
  [9949, '9.9 KB'],
  [9950, '10 KB'],
  [382_588, '383 KB'],
  [1_813_400, '1,813 KB'],
])('%i bytes are %s', (bytes, text) => expect(kilobytes(bytes)).toBe(text));

describe.concurrent('--check and --dry-run write nothing', () => {
  test('an image of a chosen size is fresh', { tags: ['all'] }, async () => {
    const cwd = makeFolder();
    writeMesh(join(cwd, 'a.obj'), torus());
    await run(['build', 'a.obj'], { cwd });
    expect((await run(['build', 'a.obj', '--check'], { cwd })).code).toBe(0);
    expect((await run(['build', 'a.obj', '--size', '65', '--check'], { cwd })).code).toBe(1);
  });

  test('exit codes: 0 all is fresh, 1 something is not, 2 something cannot be told', async () => {
    const cwd = meshes('a.obj', 'b.obj');
    const args = ['build', 'a.obj', 'b.obj', '-f', 'obb'];
    const before = await run([...args, '--check'], { cwd });
    expect(before).toMatchObject({ code: 1, stderr: '' });
    expect(before.stdout).toMatch(/^out\/a\.obb {2}missing\nout\/b\.obb {2}missing\n2 missing, [\d.]+ s\n$/);
    const dry = await run([...args, '--dry-run'], { cwd });
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toMatch(/^out\/a\.obb {2}to build: missing\n/);
    expect(listFiles(cwd)).toEqual(['a.obj', 'b.obj']);
    await run(args, { cwd });
    expect((await run([...args, '--check', '--quiet'], { cwd })).code).toBe(0);
    const forced = await run([...args, '--dry-run', '--force'], { cwd });
    expect(forced.stdout).toMatch(
      /^out\/a\.obb {2}to build: up to date, but --force builds all\nout\/b\.obb .*\n2 stale, [\d.]+ s\n$/,
    );
    const other = await run([...args, '--node-bytes', '20', '--dry-run'], { cwd });
    expect(other.stdout).toMatch(/^out\/a\.obb {2}to build: other options\n/);
    rmSync(join(cwd, 'b.obj'));
    expect(await run([...args, '--check'], { cwd })).toMatchObject({
      code: 2,
      stderr: 'error: b.obj: no such file\n',
    });
  });

  test.each([
    [['--check', '--dry-run'], '--check, --dry-run: expected only one of them'],
    [['--check', '--force'], '--force: builds up-to-date outputs again, and --check builds nothing'],
    [['--dry-run', '--manifest', 'm.json'], '--manifest: lists the outputs of a build, and --dry-run builds nothing'],
    [['--check', '--depfile', 'm.d'], '--depfile: lists the outputs of a build, and --check builds nothing'],
  ])('%j: refused', async (more, line) => {
    const cwd = meshes('a.obj');
    expect(await run(['build', 'a.obj', ...more], { cwd })).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: `error: ${line}\n`,
    });
  });
});
