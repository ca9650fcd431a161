/** The scanner's numbers are the ones of Number(), to the bit, by whichever of its three ways they were found. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanObj } from '../../src/readers/obj/scanner.ts';
import { long } from '../support/long.ts';
import { text } from './obj-outcome.ts';

const SEED = 19901106;
const RUNS = long ? 340_000 : 12_500;

/** Coordinates as the scanner reads them; three times each, so that any number of them makes whole vertices. */
const scanned = (tokens: string[]) =>
  scanObj(text(tokens.map((token) => `v ${token} ${token} ${token}\n`).join(''))).positions.filter(
    (_, i) => i % 3 === 0,
  );

const bits = (numbers: Float64Array) => new BigUint64Array(numbers.buffer);

function exact(tokens: string[]): void {
  const [found, expected] = [bits(scanned(tokens)), bits(Float64Array.from(tokens, Number))];
  // Equal, without vitest's slow walk where they are.
  if (Buffer.compare(new Uint8Array(found.buffer), new Uint8Array(expected.buffer)) !== 0)
    expect(found).toEqual(expected);
}

const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^\\d{${min},${max}}$`));

/** The decimal expansion of the midpoint between a double of [0.5, 1) and the next, cut or moved by one in some digit. */
const nearMidpoint = fc
  .tuple(
    fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }),
    fc.integer({ min: 15, max: 54 }),
    fc.constantFrom(-1n, 0n, 1n),
  )
  .map(([mantissa, places, nudge]) => {
    const midpoint = ((2n * mantissa + 1n) * 10n ** BigInt(places)) / 2n ** 54n + nudge;
    return `0.${midpoint.toString().padStart(places, '0')}`;
  });

test.each<[string, fc.Arbitrary<string>]>([
  ['shortest decimals of any double', fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)],
  ['17 digits', fc.double({ min: -1000, max: 1000, noNaN: true }).map((x) => x.toPrecision(17))],
  ['floats', fc.float({ noNaN: true, noDefaultInfinity: true }).map(String)],
  ['16 to 23 digits', fc.tuple(digits(1, 8), digits(15, 22)).map(([a, b]) => `${a}.${b}`)],
  [
    'digits and a power',
    fc.tuple(digits(1, 24), digits(1, 24), fc.integer({ min: -60, max: 60 })).map(([a, b, e]) => `-${a}.${b}e${e}`),
  ],
  ['near midpoints of doubles', nearMidpoint],
  ['near 2^53', fc.bigInt({ min: 2n ** 53n - 99n, max: 2n ** 54n + 99n }).map((x) => `${x}.5`)],
])(`%s (seed ${SEED})`, { tags: ['all', 'long'] }, (_, token) => {
  fc.assert(fc.property(fc.array(token, { minLength: 50, maxLength: 50 }), exact), { seed: SEED, numRuns: RUNS / 50 });
});

test('midpoints themselves go to the even neighbour', () => {
  exact([
    '9007199254740993',
    '9007199254740995',
    '0.500000000000000055511151231257827021181583404541015625',
    '1e23',
    '8.5e22',
  ]);
});

test('every power of ten', () => {
  exact(Array.from({ length: 640 }, (_, k) => `1e${k - 331}`));
});
