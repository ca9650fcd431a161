/** The cache of builds: what was put comes back whole or not at all, and no trouble of its own stops anybody. */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCache, placeOf } from '../../src/cli/cache/cache.ts';
import { entryOf, keyOf, listening, opened, runScript } from '../support/cache.ts';
import { listFiles, makeFolder } from '../support/cli.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';

const key = keyOf('a');
const other = keyOf('b');
const facts = { excess: 0.25, name: 'Stuhl \u2713' };
const payload = (length: number, seed = 1): Uint8Array => {
  const random = seeded(seed);
  return Uint8Array.from({ length }, () => random.below(256));
};
const MISS = null;
const noPosix = process.platform === 'win32';

describe('what is put', () => {
  test.each([0, 1, 63, 100_000])('%i bytes come back as they were, with their facts', async (length) => {
    const { cache, folder, lines } = await opened();
    expect(await cache.get(key)).toBe(MISS);
    const bytes = payload(length);
    await cache.put(key, bytes, facts);
    const found = await cache.get(key);
    expect(found?.facts).toEqual(facts);
    expect(Buffer.compare(found!.bytes, bytes)).toBe(0);
    // Typed arrays upon them are aligned.
    expect(found!.bytes.byteOffset).toBe(0);
    expect(await cache.get(other)).toBe(MISS);
    expect(listFiles(folder)).toEqual([`${key.slice(0, 2)}/${key.slice(2)}.entry`, 'gicollide-cache.json'].sort());
    expect(lines).toEqual([]);
  });

  test('is what was put last, and the same file for the same content', async () => {
    const { cache, folder } = await opened();
    await cache.put(key, payload(100, 1), facts);
    const first = readFileSync(entryOf(folder, key));
    await cache.put(key, payload(100, 2), {});
    expect((await cache.get(key))?.bytes).toEqual(Buffer.from(payload(100, 2)));
    await cache.put(key, payload(100, 1), facts);
    expect(readFileSync(entryOf(folder, key))).toEqual(first);
  });

  test('by another cache object of the same folder is found', async () => {
    const { cache, folder } = await opened();
    await cache.put(key, payload(9), facts);
    expect((await (await opened(folder)).cache.get(key))?.facts).toEqual(facts);
  });

  test('fifty at once', async () => {
    const { cache, lines } = await opened();
    const keys = Array.from({ length: 50 }, (_, n) => keyOf(`${n % 40}`));
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    await Promise.all(keys.map((each) => cache.put(each, Buffer.from(each), {})));
    for (const each of keys) expect(String((await cache.get(each))?.bytes)).toBe(each);
    process.off('warning', note);
    expect([lines, warnings]).toEqual([[], []]);
  });

  test.each(['', 'a', `${key}0`, key.toUpperCase(), '../../../etc/passwd'])(
    'under no key is a fault: %j',
    async (bad) => {
      const { cache } = await opened();
      await expect(cache.get(bad)).rejects.toThrow('expected 64 hexadecimal digits');
      await expect(cache.put(bad, payload(1), {})).rejects.toThrow('expected 64 hexadecimal digits');
    },
  );
});

describe('an entry that is not what was put: one warning, removed, and built again', () => {
  async function withEntry() {
    const made = await opened();
    await made.cache.put(key, payload(40), facts);
    const path = entryOf(made.folder, key);
    return { ...made, path, bytes: readFileSync(path) };
  }

  async function expectRefused({ cache, lines, path }: Awaited<ReturnType<typeof withEntry>>, line: RegExp) {
    expect(await cache.get(key)).toBe(MISS);
    expect(lines).toHaveLength(1);
    expect(lines[0].slice(0, `warn: ${path}: `.length)).toBe(`warn: ${path}: `);
    expect(lines[0]).toMatch(line);
    expect(lines[0]).toMatch(/: expected .*, found .*; it is built again$/);
    expect(existsSync(path)).toBe(false);
    expect(await cache.get(key)).toBe(MISS);
    expect(lines).toHaveLength(1);
    await cache.put(key, payload(40), facts);
    expect((await cache.get(key))?.facts).toEqual(facts);
  }

  test('any byte of it changed, seed 5', { tags: ['quick', 'long'] }, async () => {
    const made = await withEntry();
    const random = seeded(5);
    for (let at = 0; at < made.bytes.length; at++) {
      for (const bit of long ? [0, 1, 2, 3, 4, 5, 6, 7] : [random.below(8)]) {
        const changed = Buffer.from(made.bytes);
        changed[at] ^= 1 << bit;
        writeFileSync(made.path, changed);
        expect(await made.cache.get(key), `byte ${at}, bit ${bit}`).toBe(MISS);
        expect(existsSync(made.path)).toBe(false);
      }
    }
    expect(made.lines).toHaveLength(made.bytes.length * (long ? 8 : 1));
  });

  test('cut anywhere', { tags: ['quick', 'long'] }, async () => {
    const made = await withEntry();
    for (let length = 0; length < made.bytes.length; length += long ? 1 : 3) {
      writeFileSync(made.path, made.bytes.subarray(0, length));
      expect(await made.cache.get(key), `${length} bytes`).toBe(MISS);
      expect(existsSync(made.path)).toBe(false);
    }
  });

  test('with bytes behind it', async () => {
    const made = await withEntry();
    appendFileSync(made.path, 'x');
    await expectRefused(made, /byte 8: expected a file of \d+ bytes, found \d+/);
  });

  test('of another key', async () => {
    const made = await withEntry();
    await made.cache.put(other, payload(3), {});
    copyFileSync(entryOf(made.folder, other), made.path);
    await expectRefused(made, new RegExp(`byte 20: expected the key ${key}, found ${other}`));
  });

  test('whose first byte of payload is said to be one of its facts', async () => {
    const made = await withEntry();
    await made.cache.put(key, Buffer.from(' what was built'), {});
    const bytes = readFileSync(made.path);
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE(8) - 1n, 8);
    bytes.writeUInt32LE(bytes.readUInt32LE(16) + 1, 16);
    writeFileSync(made.path, bytes);
    await expectRefused(made, /byte 52: expected content of SHA-256 [0-9a-f]{64}, found [0-9a-f]{64};/);
  });

  test('of a later version', async () => {
    const made = await withEntry();
    made.bytes.writeUInt32LE(2, 4);
    writeFileSync(made.path, made.bytes);
    await expectRefused(made, /byte 4: expected version 1, found 2/);
  });

  test("somebody else's file", async () => {
    const made = await withEntry();
    writeFileSync(made.path, '%PDF-1.7');
    await expectRefused(made, /byte 0: expected "GICE", found "%PDF"/);
  });

  test('larger than any array', async () => {
    const made = await withEntry();
    const length = 2 ** 40;
    truncateSync(made.path, length); // a hole, which takes no room
    made.bytes.writeBigUInt64LE(BigInt(length), 8);
    writeFileSync(made.path, made.bytes.subarray(0, 84), { flag: 'r+' });
    await expectRefused(made, /byte 8: expected at most \d+ bytes, found 1099511627776/);
  });

  test.skipIf(noPosix)('a link, whose target is left as it is', async () => {
    const made = await withEntry();
    const target = join(makeFolder(), 'target');
    writeFileSync(target, made.bytes);
    rmSync(made.path);
    symlinkSync(target, made.path);
    await expectRefused(made, /expected an entry, found a link/);
    expect(readFileSync(target)).toEqual(made.bytes);
  });

  test('a put in the place of a link leaves its target as it is', async () => {
    const made = await withEntry();
    const target = join(makeFolder(), 'target');
    writeFileSync(target, 'mine');
    rmSync(made.path);
    symlinkSync(target, made.path);
    await made.cache.put(key, payload(40), facts);
    expect(readFileSync(target, 'utf8')).toBe('mine');
    expect((await made.cache.get(key))?.facts).toEqual(facts);
  });
});

describe('trouble is said once, and the build goes on', () => {
  test('a folder where an entry should be', async () => {
    const { cache, folder, lines } = await opened();
    mkdirSync(join(entryOf(folder, key), 'x'), { recursive: true });
    expect(await cache.get(key)).toBe(MISS);
    await cache.put(key, payload(3), {});
    await cache.put(key, payload(3), {});
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/expected an entry, found a folder/);
    expect(lines[1]).toMatch(/^warn: the cache cannot be written: .*\.entry: /);
    await cache.put(other, payload(3), {});
    expect(await cache.get(other)).not.toBe(MISS);
  });

  test('a file where a folder should be', async () => {
    const { cache, folder, lines } = await opened();
    writeFileSync(dirname(entryOf(folder, key)), '');
    for (let i = 0; i < 2; i++) {
      expect(await cache.get(key)).toBe(MISS);
      await cache.put(key, payload(3), {});
    }
    expect(lines).toEqual([
      expect.stringMatching(/^warn: the cache cannot be read: .*: a part of its path is not a folder$/),
      expect.stringMatching(/^warn: the cache cannot be written: .*: a part of its path is not a folder$/),
    ]);
  });

  test.skipIf(noPosix)('a link where a folder should be leads nobody out of the cache', async () => {
    const { cache, folder, lines } = await opened();
    const outside = makeFolder();
    symlinkSync(outside, dirname(entryOf(folder, key)));
    await cache.put(key, payload(3), {});
    expect(await cache.get(key)).toBe(MISS);
    expect(listFiles(outside)).toEqual([]);
    expect(lines).toHaveLength(2);
  });

  test('the folder removed meanwhile is made again', async () => {
    const { cache, folder, lines } = await opened();
    await cache.put(key, payload(3), {});
    rmSync(folder, { recursive: true });
    expect(await cache.get(key)).toBe(MISS);
    await cache.put(key, payload(3), {});
    expect(await cache.get(key)).not.toBe(MISS);
    expect(lines).toEqual([]);
  });

  test('a full disk: what is there is read, and nothing more is written', async () => {
    const { cache, folder } = await opened();
    await cache.put(key, payload(3), {});
    const { code, stdout } = await runScript(
      `
      const cache = await openCache({ folder: ${JSON.stringify(folder)}, log });
      for (let i = 0; i < 3; i++) await cache.put(keyOf('full' + i), new Uint8Array(5), {});
      lines.push((await cache.get(${JSON.stringify(key)})).bytes.length + ' bytes, ' + writes + ' writes');`,
      {
        before: `
        let writes = 0;
        fs.writeSync = () => { writes++; throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }); };
        syncBuiltinESMExports();`,
      },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^warn: the cache cannot be written: .*\.entry: no space left on the device\n3 bytes, 1 writes\n$/,
    );
    expect(listFiles(folder).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  });

  /** Root may write everywhere, so a process of nobody does what is refused. */
  const nobody = process.getuid?.() === 0 ? 65534 : undefined;

  test.skipIf(noPosix)('a folder that may only be read', async ({ skip }) => {
    const probe = await runScript("lines.push('ran')", nobody === undefined ? {} : { uid: nobody });
    skip(probe.stdout !== 'ran\n', 'root, and nobody else may read this checkout');
    const { cache, folder } = await opened();
    await cache.put(key, payload(3), {});
    // Old enough for its use to be recorded. Nobody is refused that, in silence; an owner never is.
    utimesSync(entryOf(folder, key), 1000, 1000);
    await cache.put(other, payload(3), {});
    writeFileSync(entryOf(folder, other), 'no entry');
    const folders = [folder, ...[key, other].map((each) => dirname(entryOf(folder, each)))];
    for (let up = dirname(folder); up !== dirname(up) && nobody !== undefined; up = dirname(up)) {
      if (statSync(up).uid === 0 && up.includes('gicollide-')) chmodSync(up, 0o755);
    }
    onTestFinished(() => {
      for (const each of folders) chmodSync(each, 0o755);
    });
    for (const each of folders) chmodSync(each, 0o555);
    const { code, stdout, stderr } = await runScript(
      `
      const cache = await openCache({ folder: ${JSON.stringify(folder)}, log });
      lines.push((await cache.get(${JSON.stringify(key)})).bytes.length + ' bytes');
      if (await cache.get(${JSON.stringify(other)})) throw new Error();
      for (const key of ['x', 'y', 'z']) await cache.put(keyOf(key), new Uint8Array(5), {});`,
      nobody === undefined ? {} : { uid: nobody },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [read, refused, written, ...more] = stdout.trim().split('\n');
    expect(read).toBe('3 bytes');
    expect(refused).toMatch(/^warn: .*expected "GICE", found "no e"; it is built again$/);
    expect(written).toMatch(/^warn: the cache cannot be written: .*: permission denied$/);
    expect(more).toEqual([]);
    expect(statSync(entryOf(folder, key)).mtimeMs === 1_000_000).toBe(nobody !== undefined);
  });
});

describe('the folder', () => {
  const linux = { env: { HOME: '/home/u' }, platform: 'linux', home: '/home/u' } as const;
  test.each([
    ['/home/u/.cache/gicollide', undefined, linux],
    ['/x/gicollide', undefined, { ...linux, env: { XDG_CACHE_HOME: '/x' } }],
    ['/home/u/.cache/gicollide', undefined, { ...linux, env: { XDG_CACHE_HOME: 'relative' } }],
    ['/home/u/.cache/gicollide', undefined, { ...linux, env: { XDG_CACHE_HOME: '', GICOLLIDE_CACHE_DIR: '' } }],
    [resolve('/named'), undefined, { ...linux, env: { XDG_CACHE_HOME: '/x', GICOLLIDE_CACHE_DIR: '/named' } }],
    [resolve('/asked'), '/asked', { ...linux, env: { GICOLLIDE_CACHE_DIR: '/named' } }],
    ['/Users/u/Library/Caches/gicollide', undefined, { env: {}, platform: 'darwin', home: '/Users/u' }],
    [
      'C:\\Users\\u\\AppData\\Local\\gicollide\\cache',
      undefined,
      { env: { LOCALAPPDATA: 'C:\\Users\\u\\AppData\\Local' }, platform: 'win32', home: 'C:\\Users\\u' },
    ],
    [null, undefined, { ...linux, home: '' }],
    [null, undefined, { ...linux, home: null }],
    [null, undefined, { env: {}, platform: 'win32', home: 'C:\\Users\\u' }],
  ] as const)('%s', (folder, asked, system) => {
    expect(placeOf(asked, system)?.folder ?? null).toBe(folder);
  });

  test('nobody knows one: a line of information', async () => {
    const { code, stdout, stderr } = await runScript('lines.push(String(await openCache({ log })));', {
      before: `
      for (const name of ['GICOLLIDE_CACHE_DIR', 'XDG_CACHE_HOME', 'LOCALAPPDATA']) delete process.env[name];
      process.env.HOME = '';
      process.env.USERPROFILE = '';`,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^info: no cache: this system names no folder for caches; --cache-dir names one\nnull\n$/);
  });

  test.skipIf(!existsSync('/proc/self'))(
    'that cannot be made: a warning where it was named, else information',
    async () => {
      const { log, lines } = listening();
      expect(await openCache({ folder: '/proc/nothing/cache', log })).toBeNull();
      expect(lines).toEqual([expect.stringMatching(/^warn: no cache: \/proc\/nothing\/cache: no such file$/)]);
      const { stdout } = await runScript('lines.push(String(await openCache({ log })));', {
        before: "delete process.env.GICOLLIDE_CACHE_DIR; process.env.XDG_CACHE_HOME = '/proc/nothing';",
      });
      expect(stdout).toMatch(/^info: no cache: \/proc\/nothing\/gicollide: no such file\nnull\n$/);
    },
  );

  test.each([
    ['a file', '', (place: string) => writeFileSync(place, ''), /: expected a folder, found a file$/],
    ['below a file', '/x', (place: string) => writeFileSync(place, ''), /: a part of its path is not a folder$/],
    [
      'of a later layout',
      '',
      (place: string) => {
        mkdirSync(place);
        writeFileSync(join(place, 'gicollide-cache.json'), '{"gicollide":"cache/2"}\n');
      },
      /: expected \{"gicollide":"cache\/1"\}, found .*cache\/2/,
    ],
    [
      'with a folder for a marker',
      '',
      (place: string) => mkdirSync(join(place, 'gicollide-cache.json'), { recursive: true }),
      /gicollide-cache\.json: it is a folder$/,
    ],
  ])('%s: no cache, and a warning', async (_, below, make, line) => {
    const place = join(makeFolder(), 'place');
    make(place);
    const before = statSync(place).isFile() ? [] : listFiles(place);
    const { log, lines } = listening();
    expect(await openCache({ folder: place + below, log })).toBeNull();
    expect(lines).toEqual([expect.stringMatching(/^warn: no cache: /)]);
    expect(lines[0]).toMatch(line);
    if (statSync(place).isDirectory()) expect(listFiles(place)).toEqual(before);
  });
});

describe('use', () => {
  const dayAgo = (days: number): Date => new Date(Date.now() - days * 24 * 3600 * 1000);

  test.each([
    ['yesterday is recorded', 2, true],
    ['today is not recorded again', 0.5, false],
    ['by a clock that was ahead is put right', -3, true],
  ])('%s', async (_, days, isMarked) => {
    const { cache, folder } = await opened();
    await cache.put(key, payload(3), {});
    const path = entryOf(folder, key);
    utimesSync(path, dayAgo(days), dayAgo(days));
    const before = statSync(path).mtimeMs;
    await cache.get(key);
    expect(statSync(path).mtimeMs !== before).toBe(isMarked);
  });
});

test('twenty processes get and put at once, while two prune and clear', { tags: ['long'] }, async () => {
  const { folder } = await opened();
  const rounds = long ? 100 : 40;
  // What a writer puts tells who it was, in every byte: half of one and half of another is seen.
  const script = (n: number) => `
    const cache = await openCache({ folder: ${JSON.stringify(folder)}, log });
    let state = ${n + 1};
    let hits = 0;
    for (let i = 0; i < ${rounds}; i++) {
      state = (state * 48271) % 2147483647;
      const key = keyOf('shared ' + (state % 25));
      const found = await cache.get(key);
      if (found === null) {
        await cache.put(key, new Uint8Array(20000 + ${n} * 1000).fill(${n}), { writer: ${n} });
        continue;
      }
      hits++;
      const { bytes, facts: { writer } } = found;
      if (bytes.length !== 20000 + writer * 1000 || !bytes.every((byte) => byte === writer)) throw new Error('torn');
    }
    if (hits === 0) lines.push('no hits');`;
  const upkeep = `
    import { prune } from ${JSON.stringify(new URL('../../dist/cli/cache/upkeep.js', import.meta.url).href)};
    for (let i = 0; i < ${rounds}; i++) {
      const { refusal } = prune(${JSON.stringify(folder)}, { most: i % 4 === 3 ? null : 200000 });
      if (refusal) lines.push(refusal);
      await new Promise((later) => setTimeout(later, 5));
    }`;
  const outcomes = await Promise.all([
    ...Array.from({ length: 20 }, (_, n) => runScript(script(n))),
    runScript(upkeep),
    runScript(upkeep),
  ]);
  for (const outcome of outcomes) expect(outcome).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  expect(
    listFiles(folder).filter((file) => !/^([0-9a-f]{2}\/[0-9a-f]{62}\.entry|gicollide-cache\.json)$/.test(file)),
  ).toEqual([]);
});
