/** Names as people read them: short, from the end, and never two alike. */
import { describe, expect, test } from 'vitest';
import { classPathOf, shortNames } from '../../src/viewer/short-names.ts';
import { seeded } from '../support/random.ts';

/** An id of IFC that ends with a number. */
const id = (n: number): string => `2O2Fr$t4X7Zf8NOew3F${String(n).padStart(3, '0')}`;
const E = 'Ifc2s3_Duplex_Electrical';
const A = 'Ifc2x3_Duplex_Architecture';
const labelsOf = (...names: string[]): string[] => shortNames(names).map(({ label }) => label);

test('elements of IFC: family, type and number, without what the others tell; file and class beside it', () => {
  const wall = 'IfcWallStandardCase/Basic Wall:Interior - Partition (92mm Stud)';
  const names = [
    `${E}/IfcBuildingElementProxy/Telephone Outlet:Telephone Outlet:611904/${id(1)}`,
    `${E}/IfcBuildingElementProxy/Duplex Receptacle:Standard:611905/${id(2)}`,
    `${E}/IfcBuildingElementProxy/Duplex Receptacle:GFCI:611906/${id(3)}`,
    `${E}/IfcFlowController/Panelboard:Standard:611907/${id(4)}`,
    `${A}/${wall}:138584/${id(5)}`,
    `${A}/IfcWallStandardCase/Basic Wall:Exterior - Brick on Block:138586/${id(6)}`,
    `${A}/IfcStairFlight/${id(7)}`,
  ];
  expect(shortNames(names)).toEqual([
    { label: 'Telephone Outlet 611904', place: `IfcBuildingElementProxy, ${E}` },
    { label: 'Duplex Receptacle Standard 611905', place: `IfcBuildingElementProxy, ${E}` },
    { label: 'Duplex Receptacle GFCI 611906', place: `IfcBuildingElementProxy, ${E}` },
    { label: 'Panelboard 611907', place: `IfcFlowController, ${E}` },
    { label: 'Interior Partition 138584', place: `IfcWallStandardCase, ${A}` },
    { label: 'Exterior Brick on Block 138586', place: `IfcWallStandardCase, ${A}` },
    { label: 'Stair Flight', place: `IfcStairFlight, ${A}` },
  ]);
  // All in one file: its name tells nothing.
  expect(shortNames(names.slice(0, 1))[0].place).toBe('IfcBuildingElementProxy');
  expect(classPathOf(names[0])).toBe(`${E}/IfcBuildingElementProxy`);
});

test.each<[string[], string[]]>([
  [
    ['house/wall', 'house/pipe', 'shed/wall'],
    ['house/wall', 'pipe', 'shed/wall'],
  ],
  [
    ['a/b', 'x/a/b', 'b'],
    ['a/b', 'x/a/b', 'b'],
  ],
  [
    ['left', 'right'],
    ['left', 'right'],
  ],
  [
    ['', '/', 'a//', 'x/y/'],
    ['', '/', 'a//', 'y/'],
  ],
  // Elements of one name, in one file and in two.
  [
    [`IfcWall/W1/${id(1)}`, `IfcWall/W1/${id(2)}`],
    ['W1 3F001', 'W1 3F002'],
  ],
  [
    [`${A}/IfcWall/W1/${id(1)}`, `${E}/IfcWall/W1/${id(1)}`],
    [`${A}/IfcWall/W1/${id(1)}`, `${E}/IfcWall/W1/${id(1)}`],
  ],
  // A file that is called like a class, and a name with slashes.
  [[`IfcOpenHouse/IfcWall/South/wall/${id(1)}`], ['South/wall']],
])('%j', (names, labels) => {
  expect(labelsOf(...names)).toEqual(labels);
});

test('folders that all have in common are not repeated', () => {
  expect(shortNames(['cell/arm/hand', 'cell/table']).map(({ place }) => place)).toEqual(['arm', '']);
  expect(shortNames(['cell/hand', 'cell/table']).map(({ place }) => place)).toEqual(['', '']);
});

describe.each([1, 2, 3, 4])('any names, seed %i', (seed) => {
  const random = seeded(seed);
  const PARTS = [
    'a',
    'b',
    '',
    'IfcWall',
    'IfcDoor',
    'Wall:Brick:1',
    'Wall:Long Brick:2',
    id(1),
    id(2),
    '__proto__',
    ':',
  ];
  const names = [
    ...new Set(
      Array.from({ length: 400 }, () =>
        Array.from({ length: 1 + Math.floor(random.between(0, 5)) }, () => random.pick(PARTS)).join('/'),
      ),
    ),
  ];

  test('labels are distinct, never longer than the name, and the same in any order', () => {
    const labels = labelsOf(...names);
    expect(new Set(labels).size).toBe(names.length);
    const again = labelsOf(...names.toReversed()).reverse();
    expect(again).toEqual(labels);
  });
});

test('a name of 100,000 slashes, and one of 20,000 classes, are shortened', () => {
  const names = [
    '/'.repeat(100_000),
    `${'a/'.repeat(50_000)}b`,
    `${'b/'.repeat(50_000)}b`,
    `${'IfcA/'.repeat(20_000)}${id(1)}`,
  ];
  expect(new Set(labelsOf(...names)).size).toBe(4);
});
