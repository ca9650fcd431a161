/** Parametric profiles of IFC, extruded: areas and boxes in closed form. */
import { describe, expect, test } from 'vitest';
import { type ReadMeshFile, readMeshFile } from '../../src/readers/formats.ts';
import { measured } from '../support/file-measures.ts';
import { type IfcUnit, type IfcWriter, ifcWriter, real } from '../support/ifc.ts';

const nowhere = { open: () => expect.unreachable('it asks for no file') };
const read = (text: string): Promise<ReadMeshFile> => readMeshFile(new TextEncoder().encode(text), nowhere);

/** Area of a quarter of a disk of radius 1, of 8 chords. */
const QUARTER = 4 * Math.sin(Math.PI / 16);
/** Area between a right corner and its arc of radius 1. */
const CORNER = 1 - QUARTER;

interface Case {
  record: string;
  area: number;
  size: [x: number, y: number];
  schema?: string;
}

const k = Math.tan(0.1);
const CASES: Record<string, Case> = {
  rectangle: { record: 'IFCRECTANGLEPROFILEDEF(.AREA.,$,$,40.,30.)', area: 1200, size: [40, 30] },
  'rectangle, rounded': {
    record: 'IFCROUNDEDRECTANGLEPROFILEDEF(.AREA.,$,$,40.,30.,5.)',
    area: 1200 - 4 * 25 * CORNER,
    size: [40, 30],
  },
  'rectangle, hollow': {
    record: 'IFCRECTANGLEHOLLOWPROFILEDEF(.AREA.,$,$,40.,30.,4.,2.,6.)',
    area: 1200 - 4 * 36 * CORNER - (32 * 22 - 4 * 4 * CORNER),
    size: [40, 30],
  },
  trapezium: { record: 'IFCTRAPEZIUMPROFILEDEF(.AREA.,$,$,40.,20.,30.,5.)', area: 900, size: [40, 30] },
  circle: { record: 'IFCCIRCLEPROFILEDEF(.AREA.,$,$,50.)', area: 4 * 2500 * QUARTER, size: [100, 100] },
  tube: { record: 'IFCCIRCLEHOLLOWPROFILEDEF(.AREA.,$,$,50.,10.)', area: 4 * 900 * QUARTER, size: [100, 100] },
  ellipse: { record: 'IFCELLIPSEPROFILEDEF(.AREA.,$,$,50.,20.)', area: 4 * 1000 * QUARTER, size: [100, 40] },
  I: {
    record: 'IFCISHAPEPROFILEDEF(.AREA.,$,$,100.,200.,8.,12.,10.,4.,$)',
    area: 2 * 100 * 12 + 8 * 176 + 4 * 100 * CORNER - 4 * 16 * CORNER,
    size: [100, 200],
  },
  'I, sloped': {
    // Each of four half flanges: thickness 12 at 25 from the middle.
    record: 'IFCISHAPEPROFILEDEF(.AREA.,$,$,100.,200.,8.,12.,$,$,0.1)',
    area: 8 * 200 + 4 * (46 * 12 - k * ((50 * 50 - 4 * 4) / 2 - 25 * 46)),
    size: [100, 200],
  },
  'I, asymmetric': {
    record: 'IFCASYMMETRICISHAPEPROFILEDEF(.AREA.,$,$,100.,200.,8.,12.,10.,60.,16.,6.,$,$,$,$)',
    area: 100 * 12 + 60 * 16 + 8 * 172 + 2 * (100 + 36) * CORNER,
    size: [100, 200],
  },
  'I, asymmetric, of 2x3': {
    record: 'IFCASYMMETRICISHAPEPROFILEDEF(.AREA.,$,$,100.,200.,8.,12.,10.,60.,16.,6.,150.)',
    area: 100 * 12 + 60 * 16 + 8 * 172 + 2 * (100 + 36) * CORNER,
    size: [100, 200],
    schema: 'IFC2X3',
  },
  'I, asymmetric, one thickness': {
    record: 'IFCASYMMETRICISHAPEPROFILEDEF(.AREA.,$,$,100.,200.,8.,12.,$,60.,$,$,$,$,$,$)',
    area: 100 * 12 + 60 * 12 + 8 * 176,
    size: [100, 200],
  },
  L: {
    record: 'IFCLSHAPEPROFILEDEF(.AREA.,$,$,100.,60.,8.,10.,4.,$)',
    area: 100 * 8 + 52 * 8 + 100 * CORNER - 2 * 16 * CORNER,
    size: [60, 100],
  },
  'L, of equal legs, without radii': {
    record: 'IFCLSHAPEPROFILEDEF(.AREA.,$,$,100.,$,8.,$,$,$)',
    area: 100 * 8 + 92 * 8,
    size: [100, 100],
  },
  T: {
    record: 'IFCTSHAPEPROFILEDEF(.AREA.,$,$,100.,80.,8.,12.,10.,4.,3.,$,$)',
    area: 80 * 12 + 8 * 88 + 2 * (100 - 16 - 9) * CORNER,
    size: [80, 100],
  },
  U: {
    record: 'IFCUSHAPEPROFILEDEF(.AREA.,$,$,100.,60.,8.,12.,10.,4.,$)',
    area: 100 * 8 + 2 * 52 * 12 + 2 * (100 - 16) * CORNER,
    size: [60, 100],
  },
  'U, sloped': {
    record: 'IFCUSHAPEPROFILEDEF(.AREA.,$,$,100.,60.,8.,12.,$,$,0.1)',
    area: 100 * 8 + 2 * (52 * 12 - (k * (30 * 30 - 22 * 22)) / 2),
    size: [60, 100],
  },
  Z: {
    record: 'IFCZSHAPEPROFILEDEF(.AREA.,$,$,100.,50.,6.,8.,10.,4.)',
    area: 100 * 6 + 2 * 44 * 8 + 2 * (100 - 16) * CORNER,
    size: [94, 100],
  },
  C: {
    record: 'IFCCSHAPEPROFILEDEF(.AREA.,$,$,100.,60.,4.,20.,6.)',
    area: 4 * (100 + 2 * 56 + 2 * 16) + 4 * (36 - 100) * CORNER,
    size: [60, 100],
  },
  'C, sharp': {
    record: 'IFCCSHAPEPROFILEDEF(.AREA.,$,$,100.,60.,4.,20.,$)',
    area: 4 * (100 + 2 * 56 + 2 * 16),
    size: [60, 100],
  },
};

type Box = [low: number[], high: number[]];
const PLACES: { at: number[] | null; x?: number[]; box: (w: number, h: number) => Box }[] = [
  {
    at: null,
    box: (w, h) => [
      [-w, -h],
      [w, h],
    ],
  },
  {
    at: [7, -3],
    box: (w, h) => [
      [7 - w, -3 - h],
      [7 + w, h - 3],
    ],
  },
  {
    at: [7, -3],
    x: [0, 2],
    box: (w, h) => [
      [7 - h, -3 - w],
      [7 + h, w - 3],
    ],
  },
];

function position(w: IfcWriter, at: number[] | null, x?: number[]): string {
  if (at === null) return '$';
  const direction = x ? w.add(`IFCDIRECTION((${x.map(real)}))`) : '$';
  return w.add(`IFCAXIS2PLACEMENT2D(${w.point(at)},${direction})`);
}

async function extrude(write: (w: IfcWriter) => string, schema = 'IFC4') {
  const w = ifcWriter({ schema });
  const solid = w.extruded(write(w), [0, 0, 0], 1000);
  w.product('IFCMEMBER', { placement: w.placement([0, 0, 0]), shape: w.shape([solid]), more: '$' });
  const file = await read(w.text());
  return { ...measured(file, 0), warnings: file.warnings };
}

describe('a parametric profile has the area and the box of its definition', () => {
  test.each(Object.entries(CASES))('%s', async (_, { record, area, size, schema }) => {
    const [w, h] = size;
    // Without a position, at one, and turned by a quarter: kept for web-ifc, or rewritten.
    for (const { at, x, box } of PLACES) {
      const found = await extrude((file) => file.add(record.replace('$,$,', `$,${position(file, at, x)},`)), schema);
      expect(found.volume / 1000).toBeCloseTo(area, 6);
      const [low, high] = box(w / 2, h / 2);
      for (const axis of [0, 1]) {
        expect(found.low[axis]).toBeCloseTo(low[axis], 9);
        expect(found.high[axis]).toBeCloseTo(high[axis], 9);
      }
      expect([found.open, found.warnings]).toEqual([0, []]);
    }
  });
});

describe('bands about a center line', () => {
  const band = (write: (w: IfcWriter) => string) =>
    extrude((w) => w.add(`IFCCENTERLINEPROFILEDEF(.AREA.,$,${write(w)},4.)`));
  const polyline = (w: IfcWriter, points: number[][]) => w.add(`IFCPOLYLINE((${points.map((p) => w.point(p))}))`);
  test.each([
    [
      'straight',
      [
        [0, 0],
        [30, 40],
      ],
      4 * 50,
      [-1.6, -1.2],
      [31.6, 41.2],
    ],
    [
      'with a corner',
      [
        [0, 0],
        [50, 0],
        [50, 30],
      ],
      4 * 80,
      [0, -2],
      [52, 30],
    ],
    [
      'closed, as a frame',
      [
        [0, 0],
        [50, 0],
        [50, 30],
        [0, 30],
        [0, 0],
      ],
      4 * 160,
      [-2, -2],
      [52, 32],
    ],
    [
      'closed, the other way round',
      [
        [0, 0],
        [0, 30],
        [50, 30],
        [50, 0],
        [0, 0],
      ],
      4 * 160,
      [-2, -2],
      [52, 32],
    ],
  ] as [string, number[][], number, number[], number[]][])('%s', async (_, points, area, low, high) => {
    const found = await band((w) => polyline(w, points));
    expect(found.volume / 1000).toBeCloseTo(area, 6);
    for (const axis of [0, 1]) {
      expect(found.low[axis]).toBeCloseTo(low[axis], 9);
      expect(found.high[axis]).toBeCloseTo(high[axis], 9);
    }
    expect([found.open, found.warnings]).toEqual([0, []]);
  });

  test('about an arc', async () => {
    const found = await band((w) => {
      const circle = w.add(`IFCCIRCLE(${w.add(`IFCAXIS2PLACEMENT2D(${w.point([0, 0])},$)`)},100.)`);
      return w.add(
        `IFCTRIMMEDCURVE(${circle},(IFCPARAMETERVALUE(0.)),(IFCPARAMETERVALUE(1.5707963267948966)),.T.,.PARAMETER.)`,
      );
    });
    expect(found.volume / 1000).toBeCloseTo(4 * 100 * (Math.PI / 2), -1);
    expect(found.open).toBe(0);
  });

  test('one that turns back is left out, and said', async () => {
    await expect(
      band((w) =>
        polyline(w, [
          [0, 0],
          [50, 0],
          [0, 0.001],
        ]),
      ),
    ).rejects.toThrow('turns back on itself');
  });
});

/** Each with its base at 1, 2, 3, along z. */
describe('solids of circles', () => {
  const corners = (r: number, chord = 1) => Math.max(32, 4 * Math.ceil(Math.PI / Math.acos(1 - chord / r) / 4));
  const polygon = (n: number) => (n / 2) * Math.sin((2 * Math.PI) / n);
  /** Of a sphere of n corners and n / 2 rings: frusta between polygons. */
  const ball = (n: number) =>
    Array.from({ length: n / 2 }, (_, k) => {
      const [a, b] = [k, k + 1].map((ring) => (Math.PI * ring) / (n / 2));
      const [p, q] = [Math.sin(a), Math.sin(b)];
      return ((polygon(n) * (Math.cos(a) - Math.cos(b))) / 3) * (p * p + p * q + q * q);
    }).reduce((sum, volume) => sum + volume, 0);
  test.each([
    ['cone', 10, 'IFCRIGHTCIRCULARCONE(@,30.,10.)', (polygon(32) * 100 * 30) / 3, [0, 30]],
    ['large cone', 900, 'IFCRIGHTCIRCULARCONE(@,30.,900.)', (polygon(corners(900)) * 810000 * 30) / 3, [0, 30]],
    ['cylinder', 10, 'IFCRIGHTCIRCULARCYLINDER(@,30.,10.)', polygon(32) * 100 * 30, [0, 30]],
    ['large cylinder', 900, 'IFCRIGHTCIRCULARCYLINDER(@,30.,900.)', polygon(corners(900)) * 810000 * 30, [0, 30]],
    ['sphere', 10, 'IFCSPHERE(@,10.)', ball(32) * 1000, [-10, 10]],
    ['large sphere', 900, 'IFCSPHERE(@,900.)', ball(corners(900, 0.5)) * 900 ** 3, [-900, 900]],
  ] as [string, number, string, number, number[]][])('%s', async (_, r, record, volume, [bottom, top]) => {
    const w = ifcWriter();
    const solid = w.add(record.replace('@', w.axes([1, 2, 3])));
    w.product('IFCMEMBER', { placement: w.placement([0, 0, 0]), shape: w.shape([solid]), more: '$' });
    const file = await read(w.text());
    const found = measured(file, 0);
    expect(found.volume / volume).toBeCloseTo(1, 9);
    const low = [1 - r, 2 - r, 3 + bottom];
    const high = [1 + r, 2 + r, 3 + top];
    for (const axis of [0, 1, 2]) {
      expect(found.low[axis]).toBeCloseTo(low[axis], 9);
      expect(found.high[axis]).toBeCloseTo(high[axis], 9);
    }
    expect([found.open, file.warnings]).toEqual([0, []]);
  });

  test('a tapered column, of 72 corners at its foot and 32 at its head by themselves', async () => {
    const w = ifcWriter();
    const [foot, head] = [1000, 100].map((r) => w.add(`IFCCIRCLEPROFILEDEF(.AREA.,$,$,${r}.)`));
    const up = w.add('IFCDIRECTION((0.,0.,3.))');
    const solid = w.add(`IFCEXTRUDEDAREASOLIDTAPERED(${foot},${w.axes([0, 0, 0])},${up},900.,${head})`);
    w.product('IFCCOLUMN', { placement: w.placement([0, 0, 0]), shape: w.shape([solid]), more: '$' });
    const found = measured(await read(w.text()), 0);
    const frustum = (polygon(corners(1000)) * 900 * (1000 ** 2 + 1000 * 100 + 100 ** 2)) / 3;
    expect([found.open, found.high[2]]).toEqual([0, 900]);
    expect(found.volume / frustum).toBeCloseTo(1, 9);
  });
});

describe('the chord tolerance', () => {
  const column = async (radius: number, chordTolerance: number | string | undefined, unit: IfcUnit = 'mm') => {
    const w = ifcWriter({ unit });
    const solid = w.extruded(w.add(`IFCCIRCLEPROFILEDEF(.AREA.,$,$,${real(radius)})`), [0, 0, 0], 10);
    w.product('IFCCOLUMN', { placement: w.placement([0, 0, 0]), shape: w.shape([solid]), more: '$' });
    w.product('IFCBEAM', { placement: w.placement([0, 0, 0]), shape: w.shape([w.box([1, 2, 3])]), more: '$' });
    const file = await readMeshFile(new TextEncoder().encode(w.text()), { ...nowhere, chordTolerance });
    const { mesh } = file.meshes[file.nodes[0].mesh!];
    return { corners: mesh.positions.length / 6, nodes: file.nodes };
  };
  test.each([
    [100, undefined, 'mm', 32, 1],
    [1000, undefined, 'mm', 72, 1],
    [1, undefined, 'm', 72, 0.001],
    [1000, 0.01, 'mm', 704, 0.01],
    [1000, '0.01mm', 'mm', 704, 0.01],
    [1, '0.01mm', 'm', 704, 1e-5],
    [1000, 100, 'mm', 8, 100],
    [100, '1 cm', 'mm', 8, 10],
  ] as [number, number | string | undefined, IfcUnit, number, number][])(
    'a circle of %d with %s, in %s, has %i corners',
    async (radius, given, unit, corners, tolerance) => {
      const found = await column(radius, given, unit);
      expect(found.corners).toBe(corners);
      const [round, straight] = found.nodes.map((node) => node.tolerance);
      expect(round?.missing).toBeCloseTo(tolerance, 12);
      expect(round?.excess).toBe(round?.missing);
      expect(straight).toBeUndefined();
    },
  );
  test.each([0, -1, '1 parsec', 'mm', Number.NaN])('%s is refused', (given) =>
    expect(column(1, given)).rejects.toThrow('chord tolerance: expected a length above 0'),
  );
});
