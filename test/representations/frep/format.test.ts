/** FORMAT.md held to the code and to a file that was written once: every byte of its example, its values, a golden file, what info tells. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MeshError } from '../../../src/base/errors.ts';
import { readBlob, writeBlob } from '../../../src/containers/blob.ts';
import { decodeFrep, encodeFrep } from '../../../src/representations/frep/format.ts';
import { describeFrep, treeOf } from '../../../src/representations/frep/tree/describe.ts';
import { evaluateCube } from '../../../src/representations/frep/tree/evaluate.ts';
import { DEFAULT_RESOLUTION, type FrepObject, OP, OP_NAMES } from '../../../src/representations/frep/tree/program.ts';
import { edited } from '../../support/edited.ts';
import { refusal } from '../../support/refusal.ts';

const root = new URL('../../../', import.meta.url);
const format = readFileSync(new URL('src/representations/frep/FORMAT.md', root), 'utf8');
const example = format.slice(format.indexOf('## Worked example'));
const textOf = (bytes: Uint8Array) => String.fromCharCode(...bytes).replace(/\0+$/, '');

/** Entries of the section table, by the offsets that stand in the document. */
function entriesOf(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: view.getUint32(16, true) }, (_, i) => ({
    name: textOf(bytes.subarray(32 + 32 * i, 44 + 32 * i)),
    type: textOf(bytes.subarray(44 + 32 * i, 48 + 32 * i)),
    offset: Number(view.getBigUint64(48 + 32 * i, true)),
    count: Number(view.getBigUint64(56 + 32 * i, true)),
  }));
}

/** Instructions as [op, left, right, third, name]. */
function objectOf(instructions: [number, number, number, number, string][], numbers: number[]): FrepObject {
  return {
    representation: 'frep',
    center: [1, -2, 0.1],
    half: 3,
    domain: [1, 1, 0.5],
    program: {
      ops: Uint8Array.from(instructions, ([op]) => op),
      left: Uint32Array.from(instructions, ([, left]) => left),
      right: Uint32Array.from(instructions, ([, , right]) => right),
      third: Uint32Array.from(instructions, ([, , , third]) => third),
      numbers: Float64Array.from(numbers),
    },
    names: instructions.map(([, , , , name]) => name),
    header: { tool: 'gicollide 0.1.0', source: null, units: 'mm', options: { scale: 2 } },
    resolution: DEFAULT_RESOLUTION,
  };
}

/** A rippled disc with a bump, and a torus, below a lid, with the bump's function once more: every kind of instruction. */
function part(): FrepObject {
  const torus: number[] = [];
  for (let i = 0; i <= 4; i++) {
    for (let j = 0; i + j <= 4; j++) {
      for (let k = 0; i + j + k <= 4; k++) {
        // 1.44 (u^2 + v^2) - (u^2 + v^2 + w^2 + 0.32)^2
        const even = [i, j, k].every((n) => n % 2 === 0);
        const size = even ? [-0.1024, 0, -0.64, 0, [i, j, k].includes(4) ? -1 : -2][i + j + k] : 0;
        torus.push(i + j === 2 && k === 0 && even ? size + 1.44 : size);
      }
    }
  }
  return objectOf(
    [
      [OP.QUADRIC, 0, 10, 0, 'disc'],
      [OP.POLYNOMIAL, 10, 4, 0, 'torus'],
      [OP.WAVES, 45, 2, 0, 'ripples \u00fc'],
      [OP.SUM, 0, 2, 0, ''],
      [OP.QUADRIC, 55, 10, 0, 'bump'],
      [OP.PERTURBATION, 3, 4, 65, ''],
      [OP.UNION, 5, 1, 0, ''],
      [OP.QUADRIC, 66, 10, 0, 'lid'],
      [OP.INTERSECTION, 6, 7, 0, 'body'],
      [OP.PERTURBATION, 8, 4, 76, ''],
    ],
    [
      ...[-1, -1, 0, 0, 0, 0, 0, 0, 0, 0.81],
      ...torus,
      ...[0.05, 12, 0, 0, 0.5, -0.03, 0, 7, 1, 0],
      ...[-1, -1, -1, 0, 0, 0, 0.5, 0.5, 0, 0.1],
      -2.5,
      ...[0, 0, 0, 0, 0, 0, 0, 0, -1, 0.25],
      0.5,
    ],
  );
}

describe('the worked example', () => {
  const lines = [...example.matchAll(/^[0-9a-f]{4}((?: [0-9a-f]{8})+)$/gm)];
  const bytes = Uint8Array.from(Buffer.from(lines.map(([, line]) => line.replaceAll(' ', '')).join(''), 'hex'));
  const rows = [...example.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2).map((row) => row.slice(1));

  test('is what its table says', async () => {
    const view = new DataView(bytes.buffer);
    const at = new Map(entriesOf(bytes).map(({ name, offset }) => [name, offset]));
    const u32 = (name: string, i: number) => view.getUint32(at.get(name)! + 4 * i, true);
    const f64 = (i: number) => view.getFloat64(at.get('numbers')! + 8 * i, true);
    const { asset, warnings } = await decodeFrep(bytes.slice());
    expect(warnings).toEqual([]);
    const { center, half, domain, names } = asset;
    const [name, values] = rows.at(-1)!;
    const x = name.split(' ').slice(-3).map(Number);
    const [u, v, w] = x.map((coordinate, k) => (coordinate - center[k]) / half);
    // Where the waves are 0, as the document says.
    const known = (values.match(/[-\d.]+/g) as string[]).map(Number);
    const computed: number[] = [];
    const instructions = names.map((label, i) => {
      const op = bytes[at.get('ops')! + i];
      const [left, right, third] = ['left', 'right', 'third'].map((section) => u32(section, i));
      const own = op === 0 ? 10 : op === 2 ? 5 * right : 0;
      const numbers = Array.from({ length: own }, (_, k) => f64(left + k));
      if (op === 0) {
        const [a11, a22, a33, a12, a13, a23, a14, a24, a34, a44] = numbers;
        const second = a11 * u * u + a22 * v * v + a33 * w * w + a12 * u * v + a13 * u * w + a23 * v * w;
        computed.push(second + a14 * u + a24 * v + a34 * w + a44);
      } else if (op === 2)
        computed.push(numbers[0] * Math.sin(numbers[1] * u + numbers[2] * v + numbers[3] * w + numbers[4]));
      else if (op === 3) computed.push(computed[left] + computed[right]);
      else computed.push(computed[left] + f64(third) * Math.max(computed[right], 0) ** 2);
      const list = op === 4 ? [f64(third)] : numbers;
      const what = `${OP_NAMES[op]} ${left} ${right} ${third}${list.length > 0 ? `: ${list.join(' ')}` : ''}`;
      return [`instruction ${i}${label === '' ? '' : `, ${label}`}`, what];
    });
    expect(rows.slice(0, -1)).toEqual([
      ['bytes, s and j', `${view.getBigUint64(24, true)}, ${view.getUint32(16, true)} and ${view.getUint32(20, true)}`],
      [
        'first bytes of the sections',
        entriesOf(bytes)
          .map((entry) => `${entry.name} ${entry.offset}`)
          .join(', '),
      ],
      ['c, h and d', `${center.join(' ')}, ${half} and ${domain.join(' ')}`],
      ['I and N', `${names.length} and ${asset.program.numbers.length}`],
      ...instructions,
    ]);
    expect(known).toEqual(computed);
  });

  test('is what the program writes', async () => {
    const { asset } = await decodeFrep(bytes.slice());
    expect(await encodeFrep(asset)).toEqual(bytes);
  });
});

test('header and sections, at multiples of 64, viewed and not copied where they may be taken', async () => {
  const object = part();
  const bytes = await encodeFrep(object);
  const entries = entriesOf(bytes);
  expect(entries.map(({ name, type, count }) => [name, type, count])).toEqual([
    ['ops', 'u8', 10],
    ['left', 'u32', 10],
    ['right', 'u32', 10],
    ['third', 'u32', 10],
    ['numbers', 'f64', 77],
  ]);
  for (const { offset } of entries) expect(offset % 64).toBe(0);
  const { header } = await readBlob(bytes.slice(), 'frep', [3]);
  const { center, half, domain, names } = object;
  expect(header).toEqual({ ...object.header, center, half, domain, names });
  const { asset, warnings } = await decodeFrep(bytes, undefined, { take: true });
  expect(warnings).toEqual([]);
  expect(asset).toEqual(object);
  for (const array of Object.values(asset.program)) expect(array.buffer).toBe(bytes.buffer);
});

test('a newer version is refused by its number', async () => {
  const newer = (await encodeFrep(part())).slice();
  newer[12] = 5;
  expect((await refusal(decodeFrep(newer))).describe('x.frep')).toBe(
    'x.frep: byte 12: expected a version of frep that this reader knows (1, 2, 3, 4), found 5',
  );
});

test('names that no header holds are refused in a line', { tags: ['long'] }, async () => {
  const count = 2 ** 16;
  const object = { ...part(), names: new Array(count).fill('\u0001'.repeat(200)) };
  await expect(encodeFrep(object)).rejects.toThrow(MeshError);
  await expect(encodeFrep(object)).rejects.toThrow(/^expected at most 8388608 bytes of names in a file, found \d+$/);
});

/** The part, with its bump's function blended in twice: what the second version has beside it. */
function blendedPart(): FrepObject {
  const { program, names, ...rest } = part();
  const last = program.ops.length - 1;
  return {
    ...rest,
    program: {
      ops: Uint8Array.of(...program.ops, OP.JOIN, OP.MEET),
      left: Uint32Array.of(...program.left, last, last + 1),
      right: Uint32Array.of(...program.right, 4, 7),
      third: Uint32Array.of(...program.third, 77, 80),
      numbers: Float64Array.of(...program.numbers, -0.25, 0.5, 2, 0, 1, 1),
    },
    names: [...names, 'fillet', ''],
  };
}

/** And waves whose phases move, and the bump's function times t: what the third version has beside it. */
function timedPart(): FrepObject {
  const { program, names, ...rest } = blendedPart();
  const last = program.ops.length - 1;
  return {
    ...rest,
    program: {
      ops: Uint8Array.of(...program.ops, OP.WAVES, OP.SUM, OP.TIMED, OP.SUM),
      left: Uint32Array.of(...program.left, 83, last, 4, last + 2),
      right: Uint32Array.of(...program.right, 2, last + 1, 4, last + 3),
      third: Uint32Array.of(...program.third, 93, 0, 0, 0),
      numbers: Float64Array.of(...program.numbers, 0.0625, 8, 0, 0, 0, 0.03, 0, 9, 2, 0.25, -6, 0),
    },
    names: [...names, 'swell', '', 'growth', ''],
    span: [-0.5, 2],
  };
}

/** And all functions, of the disc and of what came before: new in the fourth version. */
function analyticPart(): FrepObject {
  const { program, names, ...rest } = timedPart();
  const last = program.ops.length - 1;
  const at = program.numbers.length;
  return {
    ...rest,
    program: {
      ops: Uint8Array.of(
        ...program.ops,
        ...[OP.EXPONENTIAL, OP.LOGARITHM, OP.POWER, OP.POWER, OP.SINE, OP.COSINE, OP.PRODUCT, OP.PRODUCT, OP.SUM],
        ...[OP.SUM, OP.SUM],
      ),
      left: Uint32Array.of(
        ...program.left,
        4,
        last + 1,
        last + 1,
        0,
        0,
        2,
        last + 5,
        last + 3,
        last + 7,
        last + 9,
        last,
      ),
      right: Uint32Array.of(
        ...program.right,
        4,
        last + 1,
        last + 1,
        0,
        0,
        2,
        last + 6,
        last + 4,
        last + 8,
        last + 2,
        last + 10,
      ),
      third: Uint32Array.of(...program.third, at, at + 1, at + 2, at + 4, at + 6, at + 7, 0, 0, 0, 0, 0),
      numbers: Float64Array.of(...program.numbers, 0.5, -0.125, 0.25, -1, 1, 1.5, 0.1, -2),
    },
    names: [...names, 'swelling', '', 'inverse', 'root', '', '', '', '', '', '', ''],
  };
}

const goldenOf = (version: number): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`test/golden/part-frep-v${version}.frep`, root)));

test('the golden files hold the part; the newest encodes to itself', async () => {
  // Written by version 0.1.0: encodeFrep(part()), encodeFrep(blendedPart()), and so on.
  for (const [version, object] of [part(), blendedPart(), timedPart(), analyticPart()].entries()) {
    const { asset, warnings } = await decodeFrep(goldenOf(version + 1).slice());
    expect(warnings).toEqual([]);
    expect(asset).toEqual(object);
  }
  expect(await encodeFrep(timedPart())).toEqual(goldenOf(3));
  expect(await encodeFrep(analyticPart())).toEqual(goldenOf(4));
});

test('the values of the newest golden file are those that the document gives its instructions', async () => {
  const { asset } = await decodeFrep(goldenOf(4).slice());
  const { ops, left, right, third, numbers } = asset.program;
  const [u, v, w, t] = [0.25, -0.5, 0.125, 0.75];
  const values: number[] = [];
  const blend = (i: number, sign: number): number => {
    const [f, g, a, p, q] = [values[left[i]], values[right[i]], ...numbers.slice(third[i], third[i] + 3)];
    return f + g + sign * Math.sqrt(f * f + g * g) + a / (1 + (f / p) ** 2 + (g / q) ** 2);
  };
  for (let i = 0; i < ops.length; i++) {
    const [f, g] = [values[left[i]], values[right[i]]];
    const c = numbers.subarray(left[i]);
    const a = numbers[third[i]];
    const kinds: (() => number)[] = [
      () =>
        c[0] * u * u +
        c[1] * v * v +
        c[2] * w * w +
        c[3] * u * v +
        c[4] * u * w +
        c[5] * v * w +
        c[6] * u +
        c[7] * v +
        c[8] * w +
        c[9],
      () => {
        let [sum, at] = [0, 0];
        for (let i = 0; i <= 4; i++)
          for (let j = 0; i + j <= 4; j++)
            for (let k = 0; i + j + k <= 4; k++) sum += c[at++] * u ** i * v ** j * w ** k;
        return sum;
      },
      () =>
        Array.from({ length: right[i] }, (_, n) => c.subarray(5 * n)).reduce(
          (sum, b, n) =>
            sum +
            b[0] * Math.sin(b[1] * u + b[2] * v + b[3] * w + b[4] + (third[i] > 0 ? numbers[third[i] + n] * t : 0)),
          0,
        ),
      () => f + g,
      () => f + a * Math.max(g, 0) ** 2,
      () => Math.min(f, g),
      () => Math.max(f, g),
      () => blend(i, 1),
      () => blend(i, -1),
      () => t * f,
      () => f * g,
      () => a * (Number.isInteger(numbers[third[i] + 1]) ? f : Math.max(f, 0)) ** numbers[third[i] + 1],
      () => a * Math.sin(f),
      () => a * Math.cos(f),
      () => a * Math.exp(f),
      () => a * Math.log(f),
    ];
    values.push(kinds[ops[i]]());
  }
  expect(new Set(ops).size).toBe(OP_NAMES.length);
  expect(evaluateCube(asset.program, u, v, w, t)).toBeCloseTo(values[ops.length - 1], 12);
});

test('a file of the third version has no functions', async () => {
  const { header, sections } = await readBlob(goldenOf(4), 'frep', [4]);
  const named = [...sections].map(([name, data]) => ({ name, data }));
  expect((await refusal(decodeFrep(await writeBlob('frep', 3, header, named)))).message).toContain(
    'expected version 4 of a file with functions, found version 3',
  );
});

test('a file of the second version does not depend on time', async () => {
  const { header, sections } = await readBlob(goldenOf(3), 'frep', [3]);
  const named = [...sections].map(([name, data]) => ({ name, data }));
  expect((await refusal(decodeFrep(await writeBlob('frep', 2, header, named)))).message).toContain(
    'expected version 3 of a file that depends on time, found version 2',
  );
  // A field that it does not know an older reader ignored, and so does this one of its file.
  const blended = await readBlob(goldenOf(2), 'frep', [2]);
  const still = [...blended.sections].map(([name, data]) => ({ name, data }));
  const old = await writeBlob('frep', 2, { ...blended.header, span: 'long' }, still);
  expect((await decodeFrep(old)).asset).toEqual(blendedPart());
});

test('a file of the first version has no blends', async () => {
  const old = await edited(goldenOf(1), (sections) => {
    (sections.get('ops') as Uint8Array)[9] = OP.JOIN;
  });
  expect((await refusal(decodeFrep(old))).message).toContain(
    'expected version 2 of a file with blends, found version 1',
  );
});

describe('what info tells', () => {
  test('sizes, domain and the program', async () => {
    const object = part();
    const bytes = await encodeFrep(object);
    const description = await describeFrep(object, bytes, 11);
    expect(description).toEqual({
      representation: 'frep',
      instructions: 10,
      quadrics: 3,
      polynomials: 1,
      degrees: [4],
      waves: 2,
      perturbations: 2,
      domain: { min: [-2, -5, -1.4], max: [4, 1, 1.6] },
      levels: 11,
      tolerance: { missing: 0, excess: 0 },
      bytes: { ops: 10, arguments: 120, numbers: 616 },
      fileBytes: bytes.length,
      contentHash: Buffer.from(bytes.subarray(-32)).toString('hex'),
      ...object.header,
      tree: [
        'perturbation',
        '  body (intersection)',
        '    union',
        '      perturbation',
        '        sum',
        '          disc (quadric)',
        '          ripples \u00fc (2 waves)',
        '        - 2.5 max(., 0)^2 of',
        '          bump (quadric) #4',
        '      torus (polynomial of degree 4)',
        '    lid (quadric)',
        '  + 0.5 max(., 0)^2 of',
        '    bump (quadric), as #4 above',
      ],
    });
    expect(await describeFrep(object, null, 11)).toMatchObject({ fileBytes: null, contentHash: null });
  });

  test('sets of one kind are one, unless they have a name; chains of perturbations too', () => {
    const leaf = (at: number, name: string): [number, number, number, number, string] => [
      OP.QUADRIC,
      10 * at,
      10,
      0,
      name,
    ];
    const object = objectOf(
      [
        ...['a', 'b', 'c', 'd', 'e\n\u001b[2J'].map((name, at) => leaf(at, name)),
        [OP.UNION, 0, 1, 0, ''],
        [OP.UNION, 2, 3, 0, ''],
        [OP.UNION, 5, 6, 0, ''],
        [OP.UNION, 7, 4, 0, 'union'],
        [OP.PERTURBATION, 8, 0, 50, ''],
        [OP.PERTURBATION, 9, 1, 51, ''],
      ],
      [...new Array<number>(50).fill(1), 1, -2],
    );
    const tree = [
      'perturbation',
      '  union of 5',
      '    a (quadric) #0',
      '    b (quadric) #1',
      '    c (quadric)',
      '    d (quadric)',
      '    e\\u000a\\u001b[2J (quadric)',
      '  + 1 max(., 0)^2 of',
      '    a (quadric), as #0 above',
      '  - 2 max(., 0)^2 of',
      '    b (quadric), as #1 above',
    ];
    expect(treeOf(object)).toEqual(tree);
    object.names[7] = 'pair';
    expect(treeOf(object).slice(1, 4)).toEqual(['  union', '    pair (union of 4)', '      a (quadric) #0']);
  });

  test('of the largest programs the first 200 lines, soon: a list, a chain, a net whose tree has 2^65535 leaves', () => {
    const leaf: [number, number, number, number, string] = [OP.QUADRIC, 0, 10, 0, ''];
    const count = 2 ** 16;
    const programs = [
      (i: number) =>
        i < count / 2 ? leaf : ([OP.UNION, i === count / 2 ? 0 : i - 1, i - count / 2, 0, ''] as typeof leaf),
      (i: number) => [i % 2 === 0 ? OP.SUM : OP.UNION, i - 1, 0, 0, ''] as typeof leaf,
      (i: number) => [OP.PERTURBATION, i - 1, i - 1, 0, ''] as typeof leaf,
    ];
    for (const program of programs) {
      const object = objectOf(
        Array.from({ length: count }, (_, i) => (i === 0 ? leaf : program(i))),
        new Array<number>(10).fill(1),
      );
      const tree = treeOf(object);
      expect(tree).toHaveLength(201);
      expect(tree[200]).toMatch(/^\.\.\. and \d{5,6} more$/);
    }
  });
});
