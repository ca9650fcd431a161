/** Blobs with a right checksum and wrong contents: each is refused in one line, soon, whatever its words say. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError } from '../../../src/base/errors.ts';
import { decodeFrep, encodeFrep } from '../../../src/representations/frep/format.ts';
import { describeFrep } from '../../../src/representations/frep/tree/describe.ts';
import { boundsOfCell } from '../../../src/representations/frep/tree/unfold.ts';
import { verifyFrep } from '../../../src/representations/frep/tree/verify.ts';
import { edited as editedBlob } from '../../support/edited.ts';
import { long } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { refusal } from '../../support/refusal.ts';
import { countsSteps, stepsSoFar } from '../../support/steps.ts';

// Steps of the files that ran before this one in the same process don't count.
beforeAll(() => void stepsSoFar());

interface Sections {
  ops: Uint8Array;
  left: Uint32Array;
  right: Uint32Array;
  third: Uint32Array;
  numbers: Float64Array;
}
type Edit = (sections: Sections, header: Record<string, unknown>) => void;

// Its instructions: disc, torus (of degree 4), ripples (2 waves), 0 + 2, bump, 3 perturbed by 4, union of 5 and 1, lid, intersection of 6 and 7,
// 8 perturbed by 4. Numbers start at 0, 10, 45, 55, 65 (the amount), 66 and 76 (the amount); there are 77.
const golden = (version: number): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../golden/part-frep-v${version}.frep`, import.meta.url)));
const file = await encodeFrep((await decodeFrep(golden(1))).asset);
/** The same with blends of 9 and 4 and of 10 and 7: their numbers start at 77 and 80. */
const blended = golden(2);

/** The file with its contents changed and its checksum right. */
const edited = (edit: Edit, bytes = file): Promise<Uint8Array> =>
  editedBlob(bytes, (sections, header) => {
    const named = Object.fromEntries(sections) as unknown as Sections;
    edit(named, header);
    sections.clear();
    for (const [name, data] of Object.entries(named)) sections.set(name, data);
  });

/** Programs of n sums of their own first instruction, as many as are asked for. */
const sums =
  (count: number): Edit =>
  (s, h) => {
    s.ops = new Uint8Array(count).fill(3);
    s.left = Uint32Array.from({ length: count }, (_, i) => Math.max(0, i - 1));
    s.right = new Uint32Array(count);
    s.third = new Uint32Array(count);
    s.ops[0] = 0;
    s.right[0] = 10;
    s.numbers = new Float64Array(10);
    h.names = new Array(count).fill('');
  };

const set =
  (section: keyof Sections, at: number, value: number): Edit =>
  (s) => {
    s[section][at] = value;
  };

const put =
  (field: string, value: unknown): Edit =>
  (_, h) => {
    h[field] = value;
  };

test('the file itself is not refused', async () => {
  expect((await decodeFrep(await edited(() => {}))).asset).toEqual((await decodeFrep(file.slice())).asset);
});

test.each<[string, Edit, RegExp]>([
  ['numbers elsewhere', set('third', 10, 76), /the numbers of instruction 10 from number 77 on, found 76/],
  ['a width of 0', set('numbers', 78, 0), /widths from 1e-60, found 0 at instruction 10/],
  ['a width below 0', set('numbers', 82, -1), /widths from 1e-60, found -1 at instruction 11/],
  ['a width that is no number', set('numbers', 81, Number.NaN), /numbers up to 1e\+60, found NaN at instruction 11/],
  ['an amount too large', set('numbers', 77, -2e60), /numbers up to 1e\+60, found -2e\+60 at instruction 10/],
  ['numbers too few', (s) => (s.numbers = s.numbers.slice(0, 82)), /83 numbers, as instruction 11 needs, found 82/],
])('a blend: %s', async (_, edit, expected) => {
  expect((await refusal(decodeFrep(await edited(edit, blended)))).message).toMatch(expected);
});

// Waves in time are instruction 12, numbers from 83 on, their frequencies from 93 on; 14 is the bump times t.
test.each<[string, Edit, RegExp]>([
  ['frequencies elsewhere', set('third', 12, 92), /the numbers of instruction 12 from number 93 on, found 92/],
  ['frequencies left out', set('third', 12, 0), /93 numbers, as the instructions need, found 95/],
  ['frequencies that are still', set('third', 2, 55), /the numbers of instruction 4 from number 57 on, found 55/],
  ['a frequency too large', set('numbers', 93, 65537), /phases up to 65536, found 65537 at instruction 12/],
  [
    'a frequency that is no number',
    set('numbers', 94, Number.NaN),
    /numbers up to 1e\+60, found NaN at instruction 12/,
  ],
  ['numbers too few', (s) => (s.numbers = s.numbers.slice(0, 94)), /95 numbers, as instruction 12 needs, found 94/],
  [
    'times t of two',
    set('right', 14, 3),
    /equal left and right arguments of a product with the time, found 3 at instruction 14/,
  ],
  [
    'a third of times t',
    set('third', 14, 1),
    /0 as third number without a perturbation, blend, function or waves, found 1 at/,
  ],
  ['its own factor', (s) => (s.left[14] = s.right[14] = 14), /arguments before their instruction, found 14/],
  ['no span', (_, h) => delete h.span, /span in the header, found nothing/],
  ...[[1, 1], [2, 1], [0, '1'], [0, 1.1e6], [null, 1], [0], 0, null].map((span): [string, Edit, RegExp] => [
    `a span of ${JSON.stringify(span)}`,
    put('span', span),
    /span, two times up to 1048576, the later one last, in the header, found/,
  ]),
])('in time: %s', async (_, edit, expected) => {
  expect((await refusal(decodeFrep(await edited(edit, golden(3))))).message).toMatch(expected);
});

// The fourth version's own, from instruction 16 on: exponential, logarithm, two powers, sine,
// cosine, two products and three sums. Their numbers start at 95.
test.each<[string, Edit, RegExp]>([
  ['a function of two', set('right', 16, 3), /equal left and right arguments of a function, found 3 at instruction 16/],
  ['its own argument', (s) => (s.left[20] = s.right[20] = 20), /arguments before their instruction, found 20/],
  ['a factor that comes later', set('right', 22, 25), /arguments before their instruction, found 25 at instruction 22/],
  ['numbers elsewhere', set('third', 17, 95), /the numbers of instruction 17 from number 96 on, found 95/],
  ['a third of a product', set('third', 22, 1), /0 as third number without .* found 1 at instruction 22/],
  ['an amount of 0', set('numbers', 95, 0), /amounts that are not 0, found 0 at instruction 16/],
  ['an amount that is no number', set('numbers', 101, Number.NaN), /numbers up to 1e\+60, found NaN at instruction 20/],
  ['an exponent of 0', set('numbers', 98, 0), /exponents up to 1024, other than 0, found 0 at instruction 18/],
  ['too large an exponent', set('numbers', 100, -1025), /exponents up to 1024, .* found -1025 at instruction 19/],
  [
    'an exponent that is no number',
    set('numbers', 100, Infinity),
    /numbers up to 1e\+60, found Infinity at instruction/,
  ],
  [
    'a power without its exponent',
    (s) => (s.numbers = s.numbers.slice(0, 98)),
    /99 numbers, as instruction 18 needs, found/,
  ],
  ['numbers too few', (s) => (s.numbers = s.numbers.slice(0, 102)), /103 numbers, as instruction 21 needs, found 102/],
])('of functions: %s', async (_, edit, expected) => {
  expect((await refusal(decodeFrep(await edited(edit, golden(4))))).message).toMatch(expected);
});

test('the largest program of functions of functions is read, and asked, soon', async () => {
  const count = 2 ** 16;
  const { asset } = await decodeFrep(
    await edited((s, h) => {
      s.ops = Uint8Array.from({ length: count }, (_, i) => (i === 0 ? 0 : i % 3 === 0 ? 10 : 11 + (i % 5)));
      s.left = Uint32Array.from({ length: count }, (_, i) => Math.max(0, i - 1));
      s.right = s.left.slice();
      s.right[0] = 10;
      s.third = new Uint32Array(count);
      const numbers: number[] = new Array(10).fill(0.1);
      s.ops.forEach((op, i) => {
        if (op < 11) return;
        s.third[i] = numbers.length;
        numbers.push(0.9, ...(op === 11 ? [-1.5] : []));
      });
      s.numbers = Float64Array.from(numbers);
      h.names = new Array(count).fill('');
      delete h.span;
    }, golden(4)),
  );
  expect(asset.program.ops).toHaveLength(count);
  const out = new Float64Array(4);
  boundsOfCell(asset, 0, 0, 0, [1, 1, 1], out);
  expect(out[0] >= 0 || out[1] < 0).toBe(false);
});

test('a span of what does not depend on time is refused', async () => {
  expect((await refusal(decodeFrep(await edited(put('span', [0, 1]))))).message).toMatch(
    /no span without a dependence/,
  );
});

test.each<[string, Edit, RegExp]>([
  ['an instruction that there is not', set('ops', 3, 16), /instructions below 16, found 16 at instruction 3/],
  ['an instruction of 255', set('ops', 9, 255), /instructions below 16, found 255 at instruction 9/],
  ['its own argument', set('left', 3, 3), /arguments before their instruction, found 3 at instruction 3/],
  ['a later argument', set('right', 5, 9), /arguments before their instruction, found 9 at instruction 5/],
  ['an argument beyond the end', set('right', 9, 0xffffffff), /arguments before.* found 4294967295 at instruction 9/],
  ['a set first of all', set('ops', 0, 6), /arguments before their instruction, found 10 at instruction 0/],
  [
    'an instruction that nobody reads',
    set('right', 8, 6),
    /every instruction but the last used, found instruction 7 unused/,
  ],
  ['a leaf last', set('ops', 9, 2), /the numbers of instruction 9 from number 76 on, found 8/],
  ['a quadric of nine', set('right', 0, 9), /10 as right of a quadric, found 9 at instruction 0/],
  ['a degree of 2', set('right', 1, 2), /polynomials of degree 3 to 12, found 2 at instruction 1/],
  ['a degree of 13', set('right', 1, 13), /polynomials of degree 3 to 12, found 13 at instruction 1/],
  ['another degree', set('right', 1, 5), /the numbers of instruction 2 from number 66 on, found 45/],
  ['no waves', set('right', 2, 0), /one wave or more, found none at instruction 2/],
  ['waves without end', set('right', 2, 0xffffffff), /21474836520 numbers, as instruction 2 needs, found 77/],
  ['a gap before a leaf', set('left', 1, 11), /the numbers of instruction 1 from number 10 on, found 11/],
  ['numbers of two leaves', set('left', 4, 45), /the numbers of instruction 4 from number 55 on, found 45/],
  ['numbers far away', set('left', 0, 0xfffffff0), /the numbers of instruction 0 from number 0 on, found 4294967280/],
  ['an amount elsewhere', set('third', 5, 64), /the numbers of instruction 5 from number 65 on, found 64/],
  [
    'a third of a leaf',
    set('third', 1, 1),
    /0 as third number without a perturbation, blend, function or waves, found 1 at instruction 1/,
  ],
  [
    'a third of a set',
    set('third', 8, 66),
    /0 as third number without a perturbation, blend, function or waves, found 66 at instruction 8/,
  ],
  ['an amount of 0', set('numbers', 65, 0), /amounts that are not 0, found 0 at instruction 5/],
  ['an amount of -0', set('numbers', 76, -0), /amounts that are not 0, found 0 at instruction 9/],
  ['an amount too large', set('numbers', 76, -1.1e60), /numbers up to 1e\+60, found -1.1e\+60 at instruction 9/],
  [
    'a coefficient that is no number',
    set('numbers', 12, Number.NaN),
    /numbers up to 1e\+60, found NaN at instruction 1/,
  ],
  ['a coefficient of infinity', set('numbers', 0, -Infinity), /numbers up to 1e\+60, found -Infinity at instruction 0/],
  ['a coefficient too large', set('numbers', 75, 2e60), /numbers up to 1e\+60, found 2e\+60 at instruction 7/],
  ['an amplitude too large', set('numbers', 50, 1e61), /numbers up to 1e\+60, found 1e\+61 at instruction 2/],
  ['a phase too large', set('numbers', 52, -65537), /phases up to 65536, found -65537 at instruction 2/],
  ['a shift too large', set('numbers', 49, 65536.1), /phases up to 65536, found 65536.1 at instruction 2/],
  ['numbers too few', (s) => (s.numbers = s.numbers.slice(0, 76)), /77 numbers, as instruction 9 needs, found 76/],
  [
    'numbers left over',
    (s) => (s.numbers = Float64Array.of(...s.numbers, 1)),
    /77 numbers, as the instructions need, found 78/,
  ],
  ['numbers without end', (s) => (s.numbers = new Float64Array(2 ** 22 + 1)), /at most 4194304 numbers, found 4194305/],
  ['no numbers', (s) => delete (s as Partial<Sections>).numbers, /a section numbers, found ops, left, right, third/],
  ['numbers of another type', (s) => Object.assign(s, { numbers: new Float32Array(77) }), /numbers of f64, found f32/],
  ['no instructions', (s) => (s.ops = new Uint8Array(0)), /1 to 65536 instructions, found 0/],
  ['instructions without end', sums(2 ** 16 + 1), /1 to 65536 instructions, found 65537/],
  ['arguments too few', (s) => (s.left = s.left.slice(1)), /10 elements in section left, found 9/],
  ['sizes too many', (s) => (s.right = new Uint32Array(11)), /10 elements in section right, found 11/],
  ['no third', (s) => (s.third = new Uint32Array(0)), /10 elements in section third, found 0/],
  ['a name too few', put('names', new Array(9).fill('')), /names, 10 of them, in the header, found 9/],
  ['names that are none', put('names', { length: 10 }), /names, 10 of them, in the header, found {"length":10}/],
  ['a name of a number', put('names', [...new Array(9).fill(''), 1]), /names of at most 200 characters in .* found 1/],
  [
    'a long name',
    put('names', ['x'.repeat(201), ...new Array(9).fill('')]),
    /names of at most 200 characters in .* found "x+\.\.\./,
  ],
  ...[[1, 2], [0, 0, '0'], [0, 0, 1.1e60], [null, 0, 0], 0].map((center): [string, Edit, RegExp] => [
    `a center of ${JSON.stringify(center)}`,
    put('center', center),
    /center, three coordinates, in the header, found/,
  ]),
  ...[0, -1, 1e-61, 1.1e60, '1', null, undefined].map((half): [string, Edit, RegExp] => [
    `a half of ${half}`,
    put('half', half),
    /half, 1e-60 to 1e\+60, in the header, found/,
  ]),
  ...[[1, 1], [1, 1, 0], [1, 1, -1], [1, 1, 1.1], [0.5, 0.5, 0.99], [1, '1', 1], undefined].map(
    (domain): [string, Edit, RegExp] => [
      `a domain of ${JSON.stringify(domain)}`,
      put('domain', domain),
      /domain, three numbers above 0, the largest of them 1, in the header, found/,
    ],
  ),
  ['a primitive that is none', put('primitive', null), /primitive, a box, .* found nothing/],
  ['another primitive', put('primitive', { shape: 'toString' }), /primitive, a box, .* found "toString"/],
  [
    'a box of two sizes',
    put('primitive', { shape: 'box', size: [1, 2] }),
    /3 lengths of primitive, above 0, .* found \[1,2\]/,
  ],
  [
    'a ball without a radius',
    put('primitive', { shape: 'sphere' }),
    /1 lengths of primitive, above 0, .* found \[null\]/,
  ],
  [
    'a cylinder without a length',
    put('primitive', { shape: 'cylinder', radius: 1, length: 0 }),
    /2 lengths of primitive, above 0, .* found \[1,0\]/,
  ],
  [
    'a frame that is not rigid',
    put('primitive', { shape: 'sphere', radius: 1, frame: [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1] }),
    /frame of primitive, a rigid pose, .* found \[2,0/,
  ],
  ['no tool', put('tool', undefined), /tool in the header/],
])('%s', async (_, edit, message) => {
  expect((await refusal(decodeFrep(await edited(edit)))).message).toMatch(message);
});

test('the most instructions, the largest and smallest numbers, names of 200 characters are read', async () => {
  const { asset } = await decodeFrep(await edited(sums(2 ** 16)));
  expect(asset.program.ops).toHaveLength(2 ** 16);
  const extreme = await edited((s, h) => {
    for (const at of [0, 10, 45, 65]) s.numbers[at] = -1e60;
    s.numbers[1] = Number.MIN_VALUE;
    s.numbers.fill(2 ** 16, 46, 50);
    Object.assign(h, { center: [1e60, -1e60, 0], half: 1e-60, domain: [Number.MIN_VALUE, 1, 1] });
    (h.names as string[])[0] = '\u{1f9ca}'.repeat(100);
  });
  const decoded = await decodeFrep(extreme);
  expect(await encodeFrep(decoded.asset)).toEqual(extreme);
});

test('what a later writer adds is ignored', async () => {
  const { asset } = await decodeFrep(file.slice());
  const more = await edited((s, h) => {
    Object.assign(s, { colours: new Uint8Array(7) });
    h.more = [1, 2];
  });
  expect((await decodeFrep(more)).asset).toEqual(asset);
});

describe('damage', () => {
  test.each([11, 12])(
    'bits of chance under a right checksum: refused, or an object that can be used, seed %i',
    { tags: ['all', 'long'] },
    async (seed) => {
      const random = seeded(seed);
      let accepted = 0;
      for (let i = 0; i < (long ? 260 : 130); i++) {
        const bytes = await edited((sections) => {
          const name = random.pick(['ops', 'left', 'right', 'third', 'numbers', 'numbers'] as const);
          const { buffer } = sections[name];
          const data = new Uint8Array(buffer);
          for (let flips = 1 + random.below(2); flips > 0; flips--)
            data[random.below(data.length)] ^= 1 << random.below(8);
        });
        const result = await decodeFrep(bytes).catch((error: unknown) => error);
        if (result instanceof Error) {
          expect(result).toBeInstanceOf(FormatError);
          expect(result.message).toMatch(/^.+$/);
          continue;
        }
        accepted++;
        const { asset } = result as Awaited<ReturnType<typeof decodeFrep>>;
        expect(await encodeFrep(asset)).toEqual(bytes);
        expect((await describeFrep(asset, bytes, 1)).instructions).toBe(10);
        if (accepted % (long ? 26 : 13) !== 0) continue;
        // It is evaluated at the root: nothing is known of it, so nothing is wrong.
        const { problems } = verifyFrep(asset, (_object, _u, _v, _w, _h, out) =>
          out.set([-Infinity, -1e300, -Infinity, Infinity]),
        );
        for (const problem of problems) expect(problem).toMatch(/upper bound -1e\+300 is below/);
      }
      expect(accepted).toBeGreaterThan(long ? 26 : 13);
    },
  );
});

test.skipIf(!countsSteps)('no count of a file is believed before it is checked: all of this took few steps', () => {
  expect(stepsSoFar()).toBeLessThan(1e8);
});
