/** Which recorded units are one, what is said of those that are not, and that assets keep what they were given. */
import { describe, expect, test } from 'vitest';
import { OptionError } from '../../src/base/errors.ts';
import { createScene } from '../../src/browser.ts';
import { misspelledUnit, requireSameUnits } from '../../src/engine/units.ts';
import { check, openPair } from '../../src/index.ts';
import { identity, translation } from '../../src/math/pose.ts';
import { still, straight } from '../../src/motion/motions.ts';
import { impactOf } from '../../src/motion/moving-pair.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import type { ObbTree } from '../../src/representations/obb/tree/obb-tree.ts';
import { prepare } from '../../src/subpaths/obb.ts';
import { variants } from '../contract/variants.ts';
import { box } from '../support/shapes.ts';

function messageOf(a: string | null, b: string | null): string | null {
  try {
    requireSameUnits(a, b);
  } catch (error) {
    expect(error).toBeInstanceOf(OptionError);
    return (error as Error).message;
  }
  return null;
}

/** Each line is one unit, and no unit is on two lines. */
const UNITS = [
  ['m', 'M', 'metre', 'Metres', 'meter', 'METERS', ' m ', 'm.'],
  ['mm', 'MM', 'mm.', 'millimetre', 'Millimeters'],
  ['cm', 'CM', 'Cm', 'centimetres', 'centimeter'],
  ['dm', 'decimetre'],
  ['km', 'KM', 'Km', 'kilometers'],
  ['um', 'UM', '\u00b5m', '\u03bcm', 'micron', 'Microns', 'micrometre'],
  ['nm', 'nanometers'],
  ['in', 'IN', 'in.', 'In', 'inch', 'Inches', '"', '\u2033'],
  ['ft', 'FT', 'ft.', 'foot', 'Feet', "'", '\u2032'],
  ['yd', 'yards'],
  ['mi', 'miles'],
  ['mil', 'MIL', 'thou'],
  ['UIN', 'microinch'],
  // What capitals make another unit of.
  ['Mm'],
  ['Nm'],
  ['NM'],
  ['us-ft'],
  ['US survey foot'],
  // Of a unit we do not know, we do not know what its capitals mean.
  ['smoot', ' smoot'],
  ['Smoot'],
  ['0.001 m'],
  // Keys of every object.
  ['constructor'],
  ['__proto__'],
];

describe('units', () => {
  test('names of one unit are one, of two they are not, in either order', () => {
    UNITS.forEach((names, i) => {
      for (const a of names) {
        UNITS.forEach((others, j) => {
          for (const b of others) expect(messageOf(a, b) === null, `${a} and ${b}`).toBe(i === j);
        });
      }
    });
  });

  test('one that is known alone is refused; two that are not known are one', () => {
    const SAY = ': build both with units, or set them (--units-a, --units-b, --units)';
    for (const none of [null, '', '  ']) {
      expect(messageOf('mm', none)).toBe(`units: a is in mm, b in an unknown unit${SAY}`);
      expect(messageOf(none, 'smoot')).toBe(`units: a is in an unknown unit, b in smoot${SAY}`);
      expect(messageOf(none, null)).toBeNull();
      expect(messageOf('', none)).toBeNull();
    }
  });

  test('misspellings', () => {
    const meant = {
      milimeter: 'millimeter',
      MilliMetre: null,
      centimetter: 'centimeter',
      inchs: 'inch',
      meterz: 'meter',
    };
    const others = {
      furlong: null,
      'us-ft': null,
      parsec: null,
      Mm: null,
      pm: null,
      px: null,
      hectometer: null,
      '': null,
    };
    for (const [word, unit] of Object.entries({ ...meant, ...others })) expect(misspelledUnit(word), word).toBe(unit);
    for (const names of UNITS.slice(0, 13)) for (const name of names) expect(misspelledUnit(name), name).toBeNull();
  });

  test('says what they are and what to do', () => {
    expect(messageOf('mm', 'm')).toBe(
      'units: a is in mm, b in m: build one with --scale and --units so that both are in one unit',
    );
    expect(messageOf(' Inches ', 'MM')).toMatch(/^units: a is in Inches, b in MM: /);
  });

  test('in one line of a length for a line, whatever a file records', () => {
    const wild = `fur\nlongs\u001b[2J\u009b1m\u202e\u2028\u{d800}${'x'.repeat(9999)}`;
    const message = messageOf(wild, 'mm');
    expect(message).toMatch(/^units: a is in fur\\u000alongs\\u001b\[2J\S+\.\.\., b in mm: /);
    expect(message).not.toMatch(/[\p{C}\u2028\u2029]/u);
    expect(message?.length).toBeLessThan(130);
  });
});

describe('one of two in a known unit is refused', () => {
  const [none, mm] = [{}, { units: 'mm' }].map((units) => buildObbTree(box(), { nodeBytes: 64, ...units }));
  const far = { name: 'far', pose: translation(99, 0, 0) };
  test.each<[string, (a: ObbTree, b: ObbTree) => unknown]>([
    ['check', (a, b) => check(a, b)],
    ['openPair', (a, b) => openPair(a, b)],
    ['impactOf', (a, b) => impactOf(a, b, still(identity()), straight(identity(), identity()))],
    [
      'createScene',
      (a, b) =>
        createScene([
          { name: 'x', asset: a },
          { ...far, asset: b },
        ]),
    ],
    ['prepare of gicollide/obb', (a, b) => prepare(a, b)],
  ])('%s', (_, ask) => {
    for (const [a, b] of [
      [none, mm],
      [mm, none],
    ]) {
      expect(() => ask(a, b)).toThrow(OptionError);
      expect(() => ask(a, b)).toThrow(/^units: a is in .*an unknown unit/);
    }
    for (const one of [none, mm]) expect(() => ask(one, one)).not.toThrow();
  });
});

describe.each(variants)('$name', ({ representation, build, encode, decode }) => {
  const mesh = box();

  test.each(['mm', 'm', '\u00b5m', '"', 'Smoot ', null])(
    'units %j as given, in memory and in a file',
    { tags: ['all', 'long'] },
    async (units) => {
      const asset = build(mesh, units === null ? {} : { units });
      expect(representation.units(asset)).toBe(units);
      expect(representation.units(await decode(await encode(asset)))).toBe(units);
    },
  );
});
