/**
 * The reader in C, ports/c/gicollide.h, held to the library: every number of the golden files and
 * of others, bit by bit, and which mutants of them are files.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { readBy } from '../../src/library.ts';
import { makeBases } from '../hostile/bases.ts';
import { C99, CPP11, compileC, hasCompiler, runTool, SANITISED } from '../support/c-compiler.ts';
import { makeFolder } from '../support/cli.ts';
import { decodedFile } from '../support/decoded.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';

const golden = fileURLToPath(new URL('../golden', import.meta.url));
const isBlob = (name: string) => /\.(obb|kdop|voxel)$/.test(name);

/** A blob with other text in the place of its JSON, in a sound file. */
function withHeader(bytes: Uint8Array, json: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const table = 32 + 32 * view.getUint32(16, true);
  const parts = [bytes.slice(0, table), json];
  let end = table + json.length;
  for (let entry = 32; entry < table; entry += 32) {
    const next = entry + 32 < table ? Number(view.getBigUint64(entry + 48, true)) : bytes.length - 32;
    const elements = bytes.slice(Number(view.getBigUint64(entry + 16, true)), next);
    const offset = Math.ceil(end / 64) * 64;
    new DataView(parts[0].buffer).setBigUint64(entry + 16, BigInt(offset), true);
    // Zeros that stood before the next section would be too many.
    const type = String.fromCharCode(bytes[entry + 13], bytes[entry + 14]);
    const size = Number(view.getBigUint64(entry + 24, true)) * ({ '8\0': 1, '16': 2, '32': 4, '64': 8 }[type] ?? 0);
    parts.push(new Uint8Array(offset - end), elements.slice(0, size));
    end = offset + size;
  }
  const head = new DataView(parts[0].buffer);
  head.setUint32(20, json.length, true);
  head.setBigUint64(24, BigInt(end + 32), true);
  const body = Buffer.concat(parts);
  return new Uint8Array(Buffer.concat([body, createHash('sha256').update(body).digest()]));
}

/** A file of version 2 with a checksum that is right. */
function repaired(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  const end = bytes.length - 4;
  new DataView(bytes.buffer).setUint32(end, crc32(bytes.subarray(0, end)), true);
  return bytes;
}

/** Headers that are JSON, or nearly, made of the text of a sound one. */
function oddHeaders(text: string): (string | Uint8Array)[] {
  const more = (member: string) => text.replace(/\}$/, `,${member}}`);
  const nested = (levels: number) => more(`"x":${'['.repeat(levels)}1${']'.repeat(levels)}`);
  return [
    ...[text, ` \t\n\r${text}\n `, `\ufeff${text}`, `${text} 1`, `[${text}]`, text.slice(0, -1), '{}', ''],
    ...[
      nested(63),
      nested(64),
      more('"x":[[],{},[{}],{"a":[]}]'),
      more('"x":[1,]'),
      more('"x":{,}'),
      more('"x":{"a"}'),
    ],
    ...[more('"triangles":1'), more('"triangles":12.0'), more('"triangles":1.2e1'), more('"triangles":120E-1')],
    ...[more('"triangles":12.5'), more('"triangles":"12"'), more('"triangles":null'), more('"triangles":012')],
    ...[more('"triangles":-12'), more('"triangles":+12'), more('"triangles":12.'), more('"triangles":.12e2')],
    ...[more('"triangles":1e400'), more('"triangles":12e0'), more('"triangles":12e+'), more('"Triangles":1')],
    ...[text.replace('"triangles"', '"tri\\u0061ngles"'), text.replace('"triangles"', '"tri\\u0061ngle"')],
    ...[text.replace('"triangles"', '"triangles\\u0000"'), text.replace('"triangles"', '"tri\u00e4ngles"')],
    ...[more('"x":"\\ud800"'), more('"x":"\\u12g4"'), more('"x":"\\x"'), more('"x":"\\/\\b\\f\\n\\r\\t\\"\\\\"')],
    ...[more('"x":"\t"'), more('"x":"\u007f\u{1f600}\u20ac"'), more('"x":tru'), more('"x":truee'), more('"x":-')],
    ...[more('"x":nul'), more('"x":-0'), more('"x":-0.0e-0'), more("'x':1"), more('"x":NaN'), more('"x":Infinity')],
    ...[more('"options":{}'), more('"options":[]'), more('"options":["a"]'), more('"options":{"a":true}')],
    ...[more('"options":{"a":1,"a":"b"}'), more('"options":{"a":[]}'), more('"options":null'), more('"options":1')],
    ...[more('"source":null'), more('"source":{}'), more('"source":{"name":"a","sha256":"b"}'), more('"source":[]')],
    ...[more('"source":{"name":"a","sha256":1}'), more('"source":{"sha256":"a","x":{"y":[1]},"name":"b","name":2}')],
    ...[more('"units":"mm"'), more('"units":1'), more('"units":{}'), more('"tool":null'), more('"tool":["a"]')],
    ...[
      more('"origin":[0,0]'),
      more('"origin":[0,0,0,0]'),
      more('"origin":[ 0 , 1e100\n,-1E+100 ]'),
      more('"origin":{}'),
    ],
    ...[more('"origin":[0,0,1.0000000000000001e100]'), more('"origin":[0,0,1.00000000000000020e100]')],
    ...[more('"origin":[0,[0],0]'), more('"scale":[0,1]'), more('"scale":[5e-324,1]'), more('"scale":[1e-324,1]')],
    ...[
      [0xc0, 0x80],
      [0xc3],
      [0xe0, 0x80, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x80, 0x80, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
    ].map((odd) => {
      const [before, after] = more('"x":"|"')
        .split('|')
        .map((part) => Buffer.from(part));
      return new Uint8Array(Buffer.concat([before, Buffer.from(odd), after]));
    }),
  ];
}

describe.skipIf(!hasCompiler)('ports/c/gicollide.h (needs gcc and g++)', () => {
  const folder = makeFolder();
  const at = (name: string) => join(folder, name);
  const files: string[] = [];

  beforeAll(async () => {
    compileC('ports/c/dump.c', at('dump'), SANITISED);
    compileC('test/ports/mutate.c', at('mutate'), SANITISED);
    for (const name of readdirSync(golden).filter(isBlob)) files.push(join(golden, name));
    for (const { name, kind, bytes } of await makeBases(golden)) {
      if (kind === 'gi' || kind === 'frep') continue;
      files.push(at(`${name.replaceAll(' ', '-')}-${files.length}.${kind}`));
      writeFileSync(files.at(-1)!, bytes);
    }
  });

  const dump = (program: string, file: string): unknown => JSON.parse(runTool(at(program), [file]).toString());

  test('every node and triangle is the one that the library decodes, bit by bit', { tags: ['long'] }, async () => {
    expect(files.length).toBe(26);
    for (const file of files) {
      expect(dump('dump', file), file).toEqual(await decodedFile(new Uint8Array(readFileSync(file))));
    }
  });

  test('so it is in C++, and where the compiler may fuse products and sums', { tags: ['long'] }, () => {
    compileC('ports/c/dump.c', at('dump-cpp'), CPP11);
    const hasFma = process.platform === 'linux' && /\bfma\b/.test(readFileSync('/proc/cpuinfo', 'utf8'));
    compileC('ports/c/dump.c', at('dump-fused'), [...C99, '-O3', '-ffp-contract=fast', ...(hasFma ? ['-mfma'] : [])]);
    for (const file of files) {
      const plain = dump('dump', file);
      expect(dump('dump-cpp', file), file).toEqual(plain);
      expect(dump('dump-fused', file), file).toEqual(plain);
    }
  });

  test.each<[string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array, string]>([
    ['another magic', (bytes) => bytes.fill(0, 0, 1), 'at byte 0: expected "gicollid"'],
    [
      'a newer version',
      (bytes) => bytes.fill(3, 12, 13),
      'at byte 12: expected version 1, or 2 of a tree, which this reader knows',
    ],
    ['a file cut short', (bytes) => bytes.slice(0, 1000), 'at byte 1000: expected more bytes'],
    ['a byte too many', (bytes) => Uint8Array.of(...bytes, 0), 'at byte 1628: expected the end'],
    [
      'damage',
      (bytes) => bytes.fill(9, 520, 521),
      'at byte 1624: expected the checksum of the bytes before: the file is damaged',
    ],
    [
      'a corner that is no vertex',
      (bytes) => repaired(bytes.fill(8, 520, 521)),
      'at byte 520: expected the number of a vertex',
    ],
    [
      'a node below itself',
      (bytes) => repaired(bytes.fill(0, 740, 744)),
      'at byte 740: expected a triangle, or children after their parent',
    ],
    ['a node twice', (bytes) => repaired(bytes.fill(bytes[780], 820, 821)), 'at byte 704: expected every node once'],
  ])('%s is refused by its place', { tags: ['all'] }, (_, change, expected) => {
    writeFileSync(at('refused'), change(new Uint8Array(readFileSync(join(golden, 'box-obb40-v2.obb')))));
    const { status, stderr } = spawnSync(at('dump'), [at('refused')], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 2, stderr: `${at('refused')}: ${expected}\n` });
  });

  test('arithmetic that may make boxes smaller is refused', { tags: ['all'] }, () => {
    expect(() => compileC('ports/c/dump.c', at('fast'), [...C99, '-O2', '-ffast-math'])).toThrow(/no -ffast-math/);
  });

  test('it asks nothing of the system: no allocation, no files', { tags: ['all'] }, () => {
    const text = '#define GICOLLIDE_IMPLEMENTATION\n#include "ports/c/gicollide.h"\n';
    compileC('-', at('alone.o'), [...C99, '-O2', '-fno-stack-protector', '-I.', '-c'], text);
    const wanted =
      runTool('nm', ['-u', at('alone.o')])
        .toString()
        .match(/\S+$/gm) ?? [];
    const known = ['floor', 'ldexp', 'memcmp', 'memcpy', 'memmove', 'memset', 'sqrt', 'strlen'];
    expect(wanted.filter((name) => !known.includes(name) && name !== '_GLOBAL_OFFSET_TABLE_')).toEqual([]);
  });

  test.each(some(1, [1, 2]))('a sanitiser finds nothing in mutants, seed %i', { tags: ['all', 'long'] }, (seed) => {
    const count = long ? 10_000 : 4000;
    const lines = runTool(at('mutate'), [`${seed}`, `${count}`, ...files])
      .toString()
      .trim()
      .split('\n');
    const counts = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), +line.split(' ').at(-1)!]),
    );
    expect(Object.values(counts).reduce((a, b) => a + b)).toBe(count);
    expect(counts.memory).toBe(0);
    for (const [, found] of Object.entries(counts).filter(([name]) => name !== 'memory'))
      expect(found).toBeGreaterThan(count / 200);
  });

  /** Holds what the program in C makes of a file to what the library does. */
  async function expectAgreed(bytes: Uint8Array, isTaken: boolean, what: string): Promise<void> {
    const error: unknown = await readBy(sharpCodec, bytes.slice()).then(
      () => null,
      (reason) => reason,
    );
    if (error !== null) expect(error).toBeInstanceOf(FormatError);
    if ((error === null) === isTaken) return;
    writeFileSync(at('odd'), bytes);
    const { stderr } = spawnSync(at('dump'), [at('odd')], { encoding: 'utf8' });
    expect.fail(`${what}: in C ${stderr || 'taken'}; by the library ${error ?? 'taken'}`);
  }

  test.each(some(1, [11, 12, 13]))(
    'it takes the mutants that the library takes, and no others, seed %i',
    { tags: ['all', 'long'] },
    async (seed) => {
      const list = new Uint8Array(runTool(at('mutate'), [`${seed}`, `${long ? 3000 : 1500}`, '--list', ...files]));
      const view = new DataView(list.buffer, list.byteOffset, list.length);
      for (let from = 0; from < list.length; ) {
        const length = view.getUint32(from, true);
        await expectAgreed(list.slice(from + 5, from + 5 + length), list[from + 4] === 1, `byte ${from}`);
        from += 5 + length;
      }
    },
  );

  test('it takes the headers that the library takes, and no others', { tags: ['long'] }, async () => {
    const bytes = new Uint8Array(readFileSync(join(golden, 'box-obb20-v1.obb')));
    const text = Buffer.from(bytes.subarray(160, 160 + 288)).toString();
    let taken = 0;
    for (const header of oddHeaders(text)) {
      const json = typeof header === 'string' ? Buffer.from(header) : header;
      const file = withHeader(bytes, json);
      writeFileSync(at('header'), file);
      const { status } = spawnSync(at('dump'), [at('header')]);
      expect([0, 2]).toContain(status);
      await expectAgreed(
        file,
        status === 0,
        Buffer.from(json)
          .toString()
          .slice(text.length - 1),
      );
      if (status === 0) taken++;
    }
    expect(taken).toBeGreaterThan(20);
  });

  test.each(some(1, [21, 22]))(
    'decimals are rounded as JavaScript rounds them, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const digits = (count: number) => Array.from({ length: count }, () => random.below(10)).join('');
      const bits = new DataView(new ArrayBuffer(8));
      const texts = [
        '0',
        '-0',
        '0.0',
        '1e400',
        '-1e-400',
        '5e-324',
        '2.4703282292062327e-324',
        '1.7976931348623157e308',
      ];
      texts.push(
        '2.4703282292062328e-324',
        '2.2250738585072011e-308',
        '1.7976931348623159e308',
        `0.${'0'.repeat(900)}1e901`,
      );
      // Middles of two doubles, and what is above or below them by a digit that is far behind.
      const middle = 2n ** 53n + 1n;
      for (const tail of ['', '.0', `.${'0'.repeat(900)}1`, `.${'0'.repeat(700)}`]) texts.push(`${middle}${tail}`);
      texts.push(
        `${middle - 1n}.${'9'.repeat(900)}`,
        `${middle * 10n ** 40n}e-40`,
        `${2n ** 1023n}`,
        `${'9'.repeat(309)}`,
      );
      for (let i = 0; i < (long ? 1400 : 500); i++) {
        bits.setUint32(0, random.below(2 ** 32));
        bits.setUint32(4, random.below(2 ** 32));
        const x = bits.getFloat64(0);
        if (Number.isFinite(x)) texts.push(`${x}`, x.toExponential(random.below(20)));
        texts.push(
          `${1 + random.below(9)}${digits(random.below(30))}.${digits(1 + random.below(40))}E${random.below(700) - 350}`,
        );
      }
      const text = `
      #define GICOLLIDE_IMPLEMENTATION
      #include "ports/c/gicollide.h"
      #include <stdio.h>
      int main(void) {
        static char line[4096];
        gic_file file;
        (void)file;
        while (fgets(line, sizeof line, stdin))
          printf("%.17g\\n", gic_decimal((unsigned char *)line, (unsigned char *)line + strcspn(line, "\\n")));
        return 0;
      }`;
      compileC('-', at('decimals'), [...(long ? SANITISED : C99), '-I.'], text);
      const found = runTool(at('decimals'), [], `${texts.join('\n')}\n`)
        .toString()
        .trim()
        .split('\n');
      const asNumber = (line: string) => Number(line.replace('inf', 'Infinity'));
      expect(found.map(asNumber)).toEqual(texts.map(Number));
    },
  );
});
