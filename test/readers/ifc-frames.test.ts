/** IFC's directions, axes, transformations and places on grids, with boxes in closed form. */
import { describe, expect, test, vi } from 'vitest';
import { type ReadMeshFile, readMeshFile } from '../../src/readers/formats.ts';
import { Step } from '../../src/readers/ifc/lower/step.ts';
import { measured } from '../support/file-measures.ts';
import { type IfcWriter, ifcWriter, real } from '../support/ifc.ts';

const nowhere = { open: () => expect.unreachable('it asks for no file') };
const read = (text: string): Promise<ReadMeshFile> => readMeshFile(new TextEncoder().encode(text), nowhere);

type Write = (w: IfcWriter) => string;
const direction = (w: IfcWriter, d: readonly number[]) => w.add(`IFCDIRECTION((${d.map(real)}))`);
const origin: Write = (w) => w.placement([0, 0, 0]);

async function expectBox(solid: Write, box: number[][], placement = origin, volume?: number): Promise<void> {
  const w = ifcWriter();
  w.product('IFCMEMBER', { placement: placement(w), shape: w.shape([solid(w)]), more: '$' });
  const file = await read(w.text());
  const { low, high, open, volume: found } = measured(file, 0);
  const full = [0, 1, 2].reduce((product, axis) => product * (box[1][axis] - box[0][axis]), 1);
  for (const axis of [0, 1, 2]) {
    expect(low[axis]).toBeCloseTo(box[0][axis], 9);
    expect(high[axis]).toBeCloseTo(box[1][axis], 9);
  }
  expect(found).toBeCloseTo(volume ?? full, 6);
  expect([open, file.warnings.filter((text) => text !== '1 IfcGrid left out')]).toEqual([0, []]);
}

/** From 0, 0, 0 to 10, 20, 30. */
const brick: Write = (w) => w.box([10, 20, 30], [5, 10, 15]);

describe('directions and axes', () => {
  const extruded =
    (along: number[]): Write =>
    (w) =>
      w.add(
        `IFCEXTRUDEDAREASOLID(${w.add('IFCRECTANGLEPROFILEDEF(.AREA.,$,$,10.,20.)')},${w.axes([0, 0, 0])},${direction(w, along)},10.)`,
      );
  test.each([[[0, 0, 2]], [[0, 0, 0.5]], [[0, 0, 1e-9]]])('the length of a direction does not count: %j', (along) =>
    expectBox(extruded(along), [
      [-5, -10, 0],
      [5, 10, 10],
    ]),
  );
  test('of a slanted one, too', () =>
    expectBox(
      extruded([0, 3, 4]),
      [
        [-5, -10, 0],
        [5, 16, 8],
      ],
      origin,
      1600,
    ));
  test.each([
    [
      'along x',
      [1, 0, 0],
      undefined,
      [
        [0, 0, 0],
        [30, 10, 20],
      ],
    ],
    [
      'along -x',
      [-2, 0, 0],
      undefined,
      [
        [-30, 0, -20],
        [0, 10, 0],
      ],
    ],
    [
      'along its reference',
      [0, 1, 0],
      [0, 5, 0],
      [
        [0, 0, -20],
        [10, 30, 0],
      ],
    ],
  ] as [string, number[], number[] | undefined, number[][]][])('an axis %s', (_, z, x, box) =>
    expectBox(brick, box, (w) => w.placement([0, 0, 0], '$', z, x)),
  );
});

describe('transformations of mapped items', () => {
  const mapped =
    (axes: (number[] | null)[], rest: string, type = ''): Write =>
    (w) => {
      const [x, y, z] = axes.map((v) => (v ? direction(w, v) : '$'));
      const [scale, ...scales] = rest.split(' ');
      const more = scales.map((one) => `,${one}`).join('');
      const operator = `IFCCARTESIANTRANSFORMATIONOPERATOR3D${type}(${x},${y},${w.point([100, 0, 0])},${scale},${z}${more})`;
      return w.add(`IFCMAPPEDITEM(${w.map([brick(w)])},${w.add(operator)})`);
    };
  const none = [null, null, null];
  test.each([
    [
      'scaled',
      mapped(none, '2.'),
      [
        [100, 0, 0],
        [120, 40, 60],
      ],
    ],
    [
      'mirrored in x',
      mapped(
        [
          [-1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        '1.',
      ),
      [
        [90, 0, 0],
        [100, 20, 30],
      ],
    ],
    [
      'mirrored in z, and scaled',
      mapped([null, null, [0, 0, -1]], '2.'),
      [
        [100, -40, -60],
        [120, 0, 0],
      ],
    ],
    [
      'with three scales',
      mapped(none, '2. 3. 4.', 'NONUNIFORM'),
      [
        [100, 0, 0],
        [120, 60, 120],
      ],
    ],
    [
      'with one scale of three',
      mapped(none, '2. $ $', 'NONUNIFORM'),
      [
        [100, 0, 0],
        [120, 40, 60],
      ],
    ],
    [
      'with its x alone',
      mapped([[0, 1, 0], null, null], '$'),
      [
        [80, 0, 0],
        [100, 10, 30],
      ],
    ],
    [
      'with its y alone',
      mapped([null, [-1, 0, 0], null], '$'),
      [
        [80, 0, 0],
        [100, 10, 30],
      ],
    ],
    [
      'with long axes',
      mapped(
        [
          [2, 0, 0],
          [0, 3, 0],
          [0, 0, 5],
        ],
        '$',
      ),
      [
        [100, 0, 0],
        [110, 20, 30],
      ],
    ],
    [
      'with an axis that is not at right angles',
      mapped([[1, 0, 0], [1, 1, 0], null], '$'),
      [
        [100, 0, 0],
        [110, 20, 30],
      ],
    ],
  ] as [string, Write, number[][]][])('%s', (_, solid, box) => expectBox(solid, box));
});

describe('profiles of profiles', () => {
  const l: Write = (w) => w.add('IFCLSHAPEPROFILEDEF(.AREA.,$,$,100.,60.,8.,$,$,$)');
  test('mirrored: the upright leg is on the right', async () => {
    const w = ifcWriter();
    const solid = w.extruded(w.add(`IFCMIRROREDPROFILEDEF(.AREA.,$,${l(w)},*,$)`), [0, 0, 0], 10);
    w.product('IFCMEMBER', { placement: origin(w), shape: w.shape([solid]), more: '$' });
    const { meshes } = await read(w.text());
    const corners = [...meshes[0].mesh.positions].map(Math.round).join();
    expect(corners).toContain('30,50,');
    expect(corners).not.toContain('-30,50,');
  });
  test('derived, turned by its x alone, and scaled', () =>
    expectBox(
      (w) => {
        const operator = `IFCCARTESIANTRANSFORMATIONOPERATOR2D(${direction(w, [0, 1])},$,${w.point([5, 0])},2.)`;
        return w.extruded(w.add(`IFCDERIVEDPROFILEDEF(.AREA.,$,${l(w)},${w.add(operator)},$)`), [0, 0, 0], 10);
      },
      [
        [-95, -60, 0],
        [105, 60, 10],
      ],
      origin,
      4 * 1216 * 10,
    ));
});

describe('places on grids', () => {
  const line = (w: IfcWriter, ...points: number[][]) => w.add(`IFCPOLYLINE((${points.map((p) => w.point(p))}))`);
  /** A along x at y = 10, B along y at x = 50; the grid's origin is at 1000, 0, 5. */
  function place(w: IfcWriter, offsets: string, rest = '$', sense = '.T.', bent = false): string {
    const a = line(w, [0, 10], ...(bent ? [[50, 20]] : []), [100, 10]);
    const axes = [a, line(w, [50, 0], [50, 100])].map((curve, k) =>
      w.add(`IFCGRIDAXIS('${k}',${curve},${k ? '.T.' : sense})`),
    );
    w.add(`IFCGRID('1000000000000000000zzz',$,'g',$,$,${w.placement([1000, 0, 5])},$,(${axes[0]}),(${axes[1]}),$)`);
    return w.add(`IFCGRIDPLACEMENT(${w.add(`IFCVIRTUALGRIDINTERSECTION((${axes}),${offsets})`)},${rest})`);
  }
  test.each([
    [
      'where axes meet',
      '(0.,0.)',
      '.T.',
      [
        [1050, 10, 5],
        [1060, 30, 35],
      ],
    ],
    [
      'moved to their left, and up',
      '(3.,4.,7.)',
      '.T.',
      [
        [1046, 13, 12],
        [1056, 33, 42],
      ],
    ],
    [
      'along an axis the other way round',
      '(3.,0.)',
      '.F.',
      [
        [1040, -13, 5],
        [1050, 7, 35],
      ],
    ],
  ] as [string, string, string, number[][]][])('%s', (_, offsets, sense, box) =>
    expectBox(brick, box, (w) => place(w, offsets, '$', sense)),
  );
  test('an element on a curved axis is left out, and said', async () => {
    const w = ifcWriter();
    w.product('IFCMEMBER', { placement: place(w, '(0.,0.)', '$', '.T.', true), shape: w.shape([brick(w)]), more: '$' });
    w.product('IFCMEMBER', { placement: origin(w), shape: w.shape([brick(w)]), more: '$' });
    const { nodes, warnings } = await read(w.text());
    expect(nodes).toHaveLength(1);
    expect(warnings.join()).toContain('its place on a grid is not that of two straight axes');
  });
  test('places on several grids look at each grid once', async () => {
    const w = ifcWriter();
    for (let k = 0; k < 20; k++)
      w.product('IFCMEMBER', { placement: place(w, '(0.,0.)'), shape: w.shape([brick(w)]), more: '$' });
    const args = vi.spyOn(Step.prototype, 'args');
    await read(w.text());
    const grids = args.mock.calls.filter(([, most]) => most === 10).length;
    args.mockRestore();
    expect(grids).toBe(20);
  });
});
