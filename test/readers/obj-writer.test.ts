/** What is written reads back to the bit. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MeshError } from '../../src/base/errors.ts';
import { readObj, writeObj } from '../../src/readers/obj/obj.ts';
import { PARSERS } from './obj-outcome.ts';

const SEED = 19900620;

test(`read after write (seed ${SEED})`, () => {
  const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(-0, 5e-324, 1e21, 1e-7));
  const mesh = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 20 }).chain((vertices) =>
    fc.record({
      positions: fc.constant(Float64Array.from(vertices.flat())),
      triangles: fc
        .array(fc.nat(vertices.length - 1), { minLength: 3, maxLength: 30 })
        .map((numbers) => Uint32Array.from(numbers.slice(0, numbers.length - (numbers.length % 3)))),
      comment: fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
    }),
  );
  fc.assert(
    fc.property(mesh, ({ positions, triangles, comment }) => {
      fc.pre(!comment?.includes('\0'));
      const bytes = writeObj({ positions, triangles }, comment);
      for (const parser of PARSERS) {
        const read = readObj(bytes, { parser });
        expect(new BigUint64Array(read.positions.buffer)).toEqual(new BigUint64Array(positions.buffer));
        expect(read.triangles).toEqual(triangles);
      }
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test('the bytes themselves, over more than one chunk', () => {
  const n = 20_000;
  const positions = Float64Array.from({ length: 3 * n }, (_, i) => i / 8);
  const triangles = Uint32Array.from({ length: 3 * n }, (_, i) => i % n);
  const lines = new TextDecoder().decode(writeObj({ positions, triangles }, 'one\r\ntwo\\')).split('\n');
  expect(lines.slice(0, 3)).toEqual(['# one', '# two\\ ', 'v 0 0.125 0.25']);
  expect(lines[2 + n - 1]).toBe('v 7499.625 7499.75 7499.875');
  expect(lines[2 + n]).toBe('f 1 2 3');
  expect(lines.length).toBe(2 + 2 * n + 1);
});

test('refuses what no reader would take back', () => {
  const triangles = new Uint32Array([0, 0, 0]);
  expect(() => writeObj({ positions: new Float64Array([0, Number.NaN, 0]), triangles })).toThrow(MeshError);
});
