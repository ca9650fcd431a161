/** Sweeps, revolutions and curved profiles of IFC: volumes by Pappus, boxes, closedness. */
import { describe, expect, test } from 'vitest';
import { type ReadMeshFile, readMeshFile } from '../../src/readers/formats.ts';
import { type Measured, measured } from '../support/file-measures.ts';
import { type IfcWriter, ifcWriter, real } from '../support/ifc.ts';
import { seeded } from '../support/random.ts';

type Point = readonly number[];
type Write = (w: IfcWriter) => string;

const nowhere = { open: () => expect.unreachable('it asks for no file') };
const read = (text: string): Promise<ReadMeshFile> => readMeshFile(new TextEncoder().encode(text), nowhere);

/** The only element of a file, whose shape is one item. */
async function solid(item: Write, { degrees = false, schema = 'IFC4' } = {}): Promise<Measured> {
  const file = await read(text(item, { degrees, schema }));
  expect(file.warnings).toEqual([]);
  return measured(file, 0);
}

function text(item: Write, { degrees = false, schema = 'IFC4' } = {}): string {
  const w = ifcWriter({ unit: 'mm', schema });
  const shape = w.shape([item(w)], 'AdvancedSweptSolid');
  w.product('IFCMEMBER', { name: 'a', placement: w.placement([0, 0, 0]), shape, more: '$' });
  if (!degrees) return w.text();
  const radian = w.add('IFCSIUNIT(*,.PLANEANGLEUNIT.,$,.RADIAN.)');
  const measure = w.add(`IFCMEASUREWITHUNIT(IFCPLANEANGLEMEASURE(0.017453292519943295),${radian})`);
  const none = w.add('IFCDIMENSIONALEXPONENTS(0,0,0,0,0,0,0)');
  const degree = w.add(`IFCCONVERSIONBASEDUNIT(${none},.PLANEANGLEUNIT.,'DEGREE',${measure})`);
  return w.text().replace(/IFCUNITASSIGNMENT\(\((#\d+)\)\)/, `IFCUNITASSIGNMENT(($1,${degree}))`);
}

const list = (items: readonly string[]): string => `(${items.join()})`;
const points = (w: IfcWriter, all: readonly Point[]): string => list(all.map((p) => w.point(p)));
const polyline = (w: IfcWriter, all: readonly Point[]): string => w.add(`IFCPOLYLINE(${points(w, all)})`);
const circle = (w: IfcWriter, at: Point, r: number): string => w.add(`IFCCIRCLE(${w.axes(at)},${real(r)})`);
const flat = (w: IfcWriter, at: Point = [0, 0]): string => w.add(`IFCAXIS2PLACEMENT2D(${w.point(at)},$)`);
const parameter = (x: number): string => `(IFCPARAMETERVALUE(${real(x)}))`;
const trimmed = (w: IfcWriter, basis: string, a: number, b: number): string =>
  w.add(`IFCTRIMMEDCURVE(${basis},${parameter(a)},${parameter(b)},.T.,.PARAMETER.)`);
const composite = (w: IfcWriter, parts: readonly string[]): string =>
  w.add(
    `IFCCOMPOSITECURVE(${list(parts.map((part) => w.add(`IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,${part})`)))},.F.)`,
  );
const line = (w: IfcWriter, at: Point, direction: Point, size: number): string =>
  w.add(
    `IFCLINE(${w.point(at)},${w.add(`IFCVECTOR(${w.add(`IFCDIRECTION(${list(direction.map(real))})`)},${real(size)})`)})`,
  );
/** Behind the radius: inner radius, first and last parameter. */
const disk = (w: IfcWriter, curve: string, r: number, ...more: (number | null)[]): string =>
  w.add(`IFCSWEPTDISKSOLID(${[curve, real(r), ...[0, 1, 2].map((k) => (more[k] == null ? '$' : real(more[k])))]})`);

/** The share of a circle's area that a polygon of its corners has. */
const polygon = (n: number): number => (n / (2 * Math.PI)) * Math.sin((2 * Math.PI) / n);

/** Lengths 900, an arc of 100, 900; in the plane z = 0. */
const bar = (w: IfcWriter): string =>
  composite(w, [
    polyline(w, [
      [0, 0, 0],
      [900, 0, 0],
    ]),
    trimmed(w, circle(w, [900, 100, 0], 100), 1.5 * Math.PI, 2 * Math.PI),
    polyline(w, [
      [1000, 100, 0],
      [1000, 1000, 0],
    ]),
  ]);
const indexedBar = (w: IfcWriter): string => {
  const c = 100 * Math.SQRT1_2;
  const all = [
    [0, 0, 0],
    [900, 0, 0],
    [900 + c, 100 - c, 0],
    [1000, 100, 0],
    [1000, 1000, 0],
  ];
  const at = w.add(`IFCCARTESIANPOINTLIST3D(${list(all.map((p) => list(p.map(real))))})`);
  return w.add(`IFCINDEXEDPOLYCURVE(${at},(IFCLINEINDEX((1,2)),IFCARCINDEX((2,3,4)),IFCLINEINDEX((4,5))),.F.)`);
};
const rectangle = (w: IfcWriter, at: Point, x: number, y: number): string =>
  w.add(`IFCRECTANGLEPROFILEDEF(.AREA.,$,${flat(w, at)},${real(x)},${real(y)})`);
const BAR = 1800 + 50 * Math.PI;
const area = (r: number, inner = 0): number => Math.PI * (r * r - inner * inner);

test('a bar as Revit writes it, an elbow, a revolution, a profile along an arc', async () => {
  const w = ifcWriter({ unit: 'mm' });
  const arc = trimmed(w, circle(w, [0, 0, 0], 200), 0, Math.PI / 2);
  const axis = w.add(`IFCAXIS1PLACEMENT(${w.point([0, 0, 0])},${w.add('IFCDIRECTION((0.,1.,0.))')})`);
  const square = rectangle(w, [200, 0], 20, 30);
  const up = w.add('IFCDIRECTION((0.,0.,1.))');
  const half = rectangle(w, [0, 0], 20, 30);
  const items: [string, number][] = [
    [disk(w, bar(w), 10, null, 0, 3), BAR * area(10)],
    [disk(w, arc, 80, 60, 0, Math.PI / 2), 100 * Math.PI * area(80, 60)],
    [w.add(`IFCREVOLVEDAREASOLID(${square},${w.axes([0, 0, 0])},${axis},6.2831853)`), 600 * 400 * Math.PI],
    [w.add(`IFCFIXEDREFERENCESWEPTAREASOLID(${half},${w.axes([0, 0, 0])},${arc},$,$,${up})`), 600 * 100 * Math.PI],
  ];
  for (const [item] of items)
    w.product('IFCMEMBER', { name: 'a', placement: w.placement([0, 0, 0]), shape: w.shape([item]), more: '$' });
  const file = await read(w.text());
  expect(file.warnings).toEqual([]);
  items.forEach(([, volume], k) => {
    const made = measured(file, k);
    expect([k, made.open, made.volume / volume]).toEqual([k, 0, expect.closeTo(0.9925, 2)]);
  });
});

describe('disks along curves', { tags: ['all'] }, () => {
  test.each([
    ['a composite curve, without parameters', bar, []],
    ['a composite curve, from 0 to the number of its segments', bar, [0, 3]],
    ['a composite curve, over its own parameters', bar, [0, 2 + Math.PI / 2]],
    ['an indexed curve, without parameters', indexedBar, []],
    ['an indexed curve, from 0 to the number of its segments', indexedBar, [0, 3]],
    ['the first parameter alone', indexedBar, [0, null]],
  ] as [string, Write, number[]][])('the whole of %s', async (_, curve, range) => {
    const { volume, low, high, open } = await solid((w) => disk(w, curve(w), 10, null, ...range));
    expect(open).toBe(0);
    expect(volume / (BAR * area(10) * polygon(32))).toBeCloseTo(1, 3);
    expect([low, high]).toEqual(
      [
        [0, -10, -10],
        [1010, 1000, 10],
      ].map((p) => p.map((x) => expect.closeTo(x, 9))),
    );
  });

  test.each([
    ['its first segment', bar, [0, 1], 900, [900, 10, 10]],
    [
      'half of its first segment to half of its last one',
      bar,
      [0.5, 1.5 + Math.PI / 2],
      900 + 50 * Math.PI,
      [1010, 550, 10],
    ],
    ['a half of the second half of an arc', indexedBar, [0, 1.5], 900 + 25 * Math.PI, null],
  ] as [string, Write, number[], number, Point | null][])('a part: %s', async (_, curve, range, length, top) => {
    const { volume, high, open } = await solid((w) => disk(w, curve(w), 10, null, ...range));
    expect(open).toBe(0);
    expect(volume / (length * area(10) * polygon(32))).toBeCloseTo(1, 3);
    if (top) expect(high).toEqual(top.map((x) => expect.closeTo(x, 9)));
  });

  test('a polyline: whole where its parameters reach beyond its end, else a part', async () => {
    const bent: Write = (w) =>
      polyline(w, [
        [0, 0, 0],
        [100, 0, 0],
        [100, 100, 0],
      ]);
    for (const [range, length] of [
      [[0, 3], 200],
      [[0, 2], 200],
      [[0, 1.5], 150],
      [[0.5, 7], 150],
    ] as const) {
      const { volume, open } = await solid((w) => disk(w, bent(w), 5, null, ...range));
      expect([range, open, volume / (length * area(5) * polygon(32))]).toEqual([range, 0, expect.closeTo(1, 6)]);
    }
  });

  test('a line whose direction is no unit vector: parameters count sizes of the vector', async () => {
    for (const [direction, size, length] of [
      [[3, 0, 0], 2, 200],
      [[0.5, 0, 0], 1, 100],
    ] as const) {
      const whole = await solid((w) => disk(w, line(w, [10, 0, 0], direction, size), 5, null, 0, 100));
      expect(whole).toMatchObject({ low: [10, -5, -5], open: 0 });
      expect(whole.high[0]).toBeCloseTo(10 + length, 9);
      const part = await solid((w) => disk(w, trimmed(w, line(w, [10, 0, 0], direction, size), 25, 75), 5));
      expect([part.low[0], part.high[0]]).toEqual([10 + length / 4, 10 + 0.75 * length]);
    }
  });

  test.each([1, 90, 200, 359])(
    'an elbow of %i degrees has square ends, and its corners are on the torus',
    async (degrees) => {
      const arc: Write = (w) => trimmed(w, circle(w, [0, 0, 0], 200), 0, degrees);
      const { volume, low, high, open } = await solid((w) => disk(w, arc(w), 80, 60), { degrees: true });
      expect(open).toBe(0);
      expect(volume / (area(80, 60) * 200 * ((degrees * Math.PI) / 180))).toBeGreaterThan(0.985);
      expect(volume / (area(80, 60) * 200 * ((degrees * Math.PI) / 180))).toBeLessThan(1);
      expect([high[0], low[2], high[2]]).toEqual([280, -80, 80].map((x) => expect.closeTo(x, 9)));
      if (degrees === 90) expect([low[0], low[1], high[1]]).toEqual([0, 0, 280].map((x) => expect.closeTo(x, 9)));
      if (degrees === 200) expect(low[0]).toBeCloseTo(-280, 9);
    },
  );

  test('a full circle, and a closed polyline', async () => {
    const ring = await solid((w) => disk(w, circle(w, [0, 0, 0], 200), 20));
    expect(ring.open).toBe(0);
    expect([ring.low, ring.high]).toEqual(
      [
        [-220, -220, -20],
        [220, 220, 20],
      ].map((p) => p.map((x) => expect.closeTo(x, 9))),
    );
    expect(ring.volume / (area(20) * 400 * Math.PI)).toBeCloseTo(polygon(32) ** 2, 2);
    const square = [
      [0, 0, 0],
      [100, 0, 0],
      [100, 100, 0],
      [0, 100, 0],
      [0, 0, 0],
    ];
    const frame = await solid((w) => w.add(`IFCSWEPTDISKSOLIDPOLYGONAL(${polyline(w, square)},5.,$,$,$,20.)`));
    expect(frame.open).toBe(0);
    expect(frame.volume / ((400 - 8 * 20 + 40 * Math.PI) * area(5) * polygon(32))).toBeCloseTo(1, 2);
    expect(frame.high[0]).toBeCloseTo(105, 9);
  });

  test('polygonal: sharp, rounded, and rounded as far as its sides allow', async () => {
    const bend = [
      [0, 0, 0],
      [100, 0, 0],
      [100, 100, 0],
    ];
    const made = (fillet: string): Promise<Measured> =>
      solid((w) => w.add(`IFCSWEPTDISKSOLIDPOLYGONAL(${polyline(w, bend)},5.,3.,$,$,${fillet})`));
    const ratio = async (fillet: string, length: number): Promise<number> =>
      (await made(fillet)).volume / (length * area(5, 3) * polygon(32));
    expect(await ratio('$', 200)).toBeCloseTo(1, 9);
    expect(await ratio('20.', 160 + 10 * Math.PI)).toBeCloseTo(1, 2);
    expect(await ratio('500.', 100 + 25 * Math.PI)).toBeCloseTo(1, 2);
    expect(await made('20.')).toMatchObject({ open: 0, high: [105, 100, 5].map((x) => expect.closeTo(x, 9)) });
  });

  test.each([1, 2, 3])('rounded polylines in space: Pappus (seed %i)', async (seed) => {
    const random = seeded(seed);
    for (let round = 0; round < 5; round++) {
      const all = [[0, 0, 0]];
      for (let k = 0; k < 2 + random.below(5); k++)
        all.push(all[k].map((x, i) => x + random.between(300, 900) * (i === k % 3 ? random.pick([-1, 1]) : 0.4)));
      const sides = all.slice(1).map((p, k) => p.map((x, i) => x - all[k][i]));
      const size = (v: Point): number => Math.hypot(...v);
      let length = sides.reduce((sum, side) => sum + size(side), 0);
      for (let k = 1; k < sides.length; k++) {
        const [u, v] = [sides[k - 1], sides[k]];
        const turn = Math.acos(u.reduce((sum, x, i) => sum + x * v[i], 0) / (size(u) * size(v)));
        length += 40 * (turn - 2 * Math.tan(turn / 2));
      }
      const { volume, open } = await solid((w) =>
        w.add(`IFCSWEPTDISKSOLIDPOLYGONAL(${polyline(w, all)},8.,2.,$,$,40.)`),
      );
      expect([round, open, volume / (length * area(8, 2) * polygon(32))]).toEqual([round, 0, expect.closeTo(1, 2)]);
    }
  });

  test('a spline: the length of its arc counts', async () => {
    const controls = [
      [0, 0, 0],
      [1000, 4000, 0],
      [3000, 4000, 0],
      [4000, 0, 0],
    ];
    const curve: Write = (w) =>
      w.add(`IFCBSPLINECURVEWITHKNOTS(3,${points(w, controls)},.UNSPECIFIED.,.F.,.F.,(4,4),(0.,1.),.UNSPECIFIED.)`);
    let length = 0;
    for (let k = 0; k < 1e5; k++) {
      const t = (k + 0.5) / 1e5;
      length += Math.hypot(3000 * (1 + 2 * t - 2 * t * t), 12000 * (1 - 2 * t)) / 1e5;
    }
    for (const range of [[], [0, 1]]) {
      const { volume, high, open } = await solid((w) => disk(w, curve(w), 50, null, ...range));
      expect(open).toBe(0);
      expect(volume / (length * area(50) * polygon(32))).toBeCloseTo(1, 3);
      expect(high[1]).toBeCloseTo(3050, 0);
    }
  });

  test('a wide pipe has corners by the tolerance, a bar the engine’s 32', async () => {
    const pipe: Write = (w) =>
      disk(
        w,
        polyline(w, [
          [0, 0, 0],
          [0, 0, 1000],
        ]),
        1000,
        900,
      );
    expect((await solid(pipe)).volume / (area(1000, 900) * 1000)).toBeGreaterThan(1 - 2e-3);
    const bend: Write = (w) =>
      disk(
        w,
        polyline(w, [
          [0, 0, 0],
          [0, 0, 5000],
          [5000, 0, 5000],
        ]),
        1000,
      );
    const bent = await solid(bend);
    expect(bent.open).toBe(0);
    expect(bent.volume / (area(1000) * 10_000)).toBeGreaterThan(1 - 2e-3);
    expect(bent.high).toEqual([5000, 1000, 6000].map((x) => expect.closeTo(x, 9)));
  });
});

describe('profiles with a reference direction', { tags: ['all'] }, () => {
  const swept = (w: IfcWriter, profile: string, curve: string, reference: Point, range = '$,$'): string => {
    const direction = w.add(`IFCDIRECTION(${list(reference.map(real))})`);
    return w.add(`IFCFIXEDREFERENCESWEPTAREASOLID(${profile},${w.axes([0, 0, 0])},${curve},${range},${direction})`);
  };

  test('along a line and round a corner, the profile’s x is up', async () => {
    const along: Write = (w) =>
      swept(
        w,
        rectangle(w, [0, 0], 20, 30),
        polyline(w, [
          [0, 0, 0],
          [100, 0, 0],
        ]),
        [0, 0, 5],
      );
    const { volume, ...box } = await solid(along);
    expect(box).toEqual({ low: [0, -15, -10], high: [100, 15, 10], open: 0 });
    expect(volume).toBeCloseTo(60_000, 6);
    const corner: Write = (w) =>
      swept(
        w,
        rectangle(w, [0, 0], 20, 30),
        polyline(w, [
          [0, 0, 0],
          [100, 0, 0],
          [100, 100, 0],
        ]),
        [1, 2, 100],
      );
    expect((await solid(corner)).volume).toBeCloseTo(120_000, -3);
  });

  test('round an arc, with a hole in the profile', async () => {
    const hollow: Write = (w) => {
      const profile = w.add(`IFCRECTANGLEHOLLOWPROFILEDEF(.AREA.,$,${flat(w)},40.,60.,5.,$,$)`);
      return swept(w, profile, trimmed(w, circle(w, [0, 0, 0], 1000), 0, Math.PI), [0, 0, 1]);
    };
    const { volume, low, high, open } = await solid(hollow);
    expect(open).toBe(0);
    expect([low, high]).toEqual(
      [
        [-1030, 0, -20],
        [1030, 1030, 20],
      ].map((p) => p.map((x) => expect.closeTo(x, 9))),
    );
    expect(volume / ((40 * 60 - 30 * 50) * 1000 * Math.PI)).toBeCloseTo(1, 2);
  });

  describe('plates with holes in rows', () => {
    /** Along x from 0 to 100, with holes on a grid of 10 and a margin of 10, and its area. */
    const plate = (count: number, columns: number, hole: readonly Point[]): { item: Write; area: number } => {
      const [width, height] = [10 * columns + 10, 10 * Math.ceil(count / columns) + 10];
      const loop = (w: IfcWriter, all: readonly Point[]): string => polyline(w, [...all, all[0]]);
      const outer = [
        [0, 0],
        [width, 0],
        [width, height],
        [0, height],
      ];
      const item: Write = (w) => {
        const holes = Array.from({ length: count }, (_, k) =>
          loop(
            w,
            hole.map(([x, y]) => [10 * (k % columns) + 10 + x, 10 * Math.floor(k / columns) + 10 + y]),
          ),
        );
        const profile = w.add(`IFCARBITRARYPROFILEDEFWITHVOIDS(.AREA.,$,${loop(w, outer)},${list(holes)})`);
        const path = polyline(w, [
          [0, 0, 0],
          [100, 0, 0],
        ]);
        return swept(w, profile, path, [0, 0, 1]);
      };
      const twice = hole.reduce((sum, [x, y], k) => {
        const [a, b] = hole[(k + 1) % hole.length];
        return sum + x * b - a * y;
      }, 0);
      return { item, area: width * height - (count * Math.abs(twice)) / 2 };
    };
    const square: Point[] = [
      [0, 0],
      [5, 0],
      [5, 5],
      [0, 5],
    ];
    const round = Array.from({ length: 32 }, (_, k) => [
      2.5 + 2.5 * Math.cos((k * Math.PI) / 16),
      2.5 + 2.5 * Math.sin((k * Math.PI) / 16),
    ]);
    const wide = square.map(([x, y]) => [2 * x - 5, 2 * y - 5]);

    test.each([
      ['square', square],
      ['triangular', square.slice(0, 3)],
      ['round', round],
    ])('closed: %s', async (_, hole) => {
      for (const count of [1, 2, 3, 4, 6, 7, 20, 36, 60])
        for (const columns of [1, Math.ceil(Math.sqrt(count)), count]) {
          const { item, area } = plate(count, columns, hole);
          const { volume, open } = await solid(item);
          expect([count, columns, open, volume / area]).toEqual([count, columns, 0, expect.closeTo(100, 9)]);
        }
    });

    test('holes that share sides', async () => {
      const { item, area } = plate(6, 3, wide);
      const { volume, open } = await solid(item);
      expect([open, volume / area]).toEqual([0, expect.closeTo(100, 9)]);
    });

    test('2,000 holes', async () => {
      const { item, area } = plate(2000, 50, square.slice(0, 3));
      const { volume, open } = await solid(item);
      expect([open, volume / area]).toEqual([0, expect.closeTo(100, 9)]);
    });

    test('corners in a side, and a seam from the outline to a hole and back', async () => {
      const outline = [
        [0, 0],
        [10, 0],
        [20, 0],
        [30, 0],
        [30, 30],
        [0, 30],
        [0, 0],
        [10, 10],
        [10, 20],
        [20, 20],
        [20, 10],
        [10, 10],
      ];
      const { volume, open } = await solid((w) => {
        const profile = w.add(`IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,${polyline(w, [...outline, outline[0]])})`);
        const path = polyline(w, [
          [0, 0, 0],
          [100, 0, 0],
        ]);
        return swept(w, profile, path, [0, 0, 1]);
      });
      expect([open, volume]).toEqual([0, expect.closeTo(80_000, 6)]);
    });
  });

  test('a mirrored profile, and a derived one, along a part that is given by its length', async () => {
    const arc: Write = (w) => trimmed(w, circle(w, [0, 0, 0], 1000), 0, Math.PI);
    const range = `IFCPARAMETERVALUE(0.),IFCNONNEGATIVELENGTHMEASURE(${real(500 * Math.PI)})`;
    const mirrored = await solid((w) => {
      const profile = w.add(`IFCMIRROREDPROFILEDEF(.AREA.,$,${rectangle(w, [50, 0], 20, 30)},*,$)`);
      return swept(w, profile, arc(w), [0, 0, 1], range);
    });
    expect(mirrored.open).toBe(0);
    expect([mirrored.low, mirrored.high]).toEqual(
      [
        [0, 0, -60],
        [1015, 1015, -40],
      ].map((p) => p.map((x) => expect.closeTo(x, 1))),
    );
    const derived = await solid((w) => {
      const x = w.add('IFCDIRECTION((0.,2.))');
      const operator = w.add(`IFCCARTESIANTRANSFORMATIONOPERATOR2D(${x},$,${w.point([100, 0])},2.)`);
      const profile = w.add(`IFCDERIVEDPROFILEDEF(.AREA.,$,${rectangle(w, [0, 0], 20, 30)},${operator},$)`);
      return swept(w, profile, arc(w), [0, 0, 1], range);
    });
    expect([derived.low, derived.high]).toEqual(
      [
        [0, 0, 70],
        [1020, 1020, 130],
      ].map((p) => p.map((x) => expect.closeTo(x, 1))),
    );
  });

  test('a helix of a polyline in space is closed, too (seed 1)', async () => {
    const random = seeded(1);
    const helix = Array.from({ length: 60 }, (_, k) => [
      500 * Math.cos(k / 5) + random.between(-1, 1),
      500 * Math.sin(k / 5),
      20 * k,
    ]);
    const stair: Write = (w) => swept(w, rectangle(w, [10, 5], 30, 40), polyline(w, helix), [0, 0, 1]);
    const { volume, open } = await solid(stair);
    expect(open).toBe(0);
    expect(volume).toBeGreaterThan(0);
  });
});

describe('revolutions', { tags: ['all'] }, () => {
  const revolved = (w: IfcWriter, profile: string, angle: number, taper = ''): string => {
    const up = w.add('IFCDIRECTION((0.,2.,0.))');
    const axis = w.add(`IFCAXIS1PLACEMENT(${w.point([0, 0, 0])},${up})`);
    const kind = taper === '' ? 'IFCREVOLVEDAREASOLID' : 'IFCREVOLVEDAREASOLIDTAPERED';
    return w.add(`${kind}(${profile},${w.axes([0, 0, 0])},${axis},${real(angle)}${taper && `,${taper}`})`);
  };

  test.each([360, 270, 180, 90, 1, -90])(
    'a rectangle by %i degrees, near the axis, on it, and far away',
    async (degrees) => {
      for (const at of [10, 200, 5000]) {
        const { volume, high, open } = await solid((w) => revolved(w, rectangle(w, [at, 0], 20, 30), degrees), {
          degrees: true,
        });
        expect(open).toBe(0);
        const ratio = volume / (600 * at * ((Math.abs(degrees) * Math.PI) / 180));
        expect(ratio).toBeGreaterThan(0.993);
        expect(ratio).toBeLessThan(1 + 1e-9);
        expect([high[0], high[1]]).toEqual([at + 10, 15].map((x) => expect.closeTo(x, 9)));
      }
    },
  );

  test.each([90, 180, 360])(
    'a profile that its axis cuts is refused, at %i degrees; at its side it is not',
    async (degrees) => {
      const angle = (degrees * Math.PI) / 180;
      for (const profile of [
        (w: IfcWriter) => rectangle(w, [5, 0], 20, 30),
        (w: IfcWriter) => w.add(`IFCCIRCLEPROFILEDEF(.AREA.,$,${flat(w)},400.)`),
      ])
        await expect(read(text((w) => revolved(w, profile(w), angle)))).rejects.toThrow('its axis crosses its profile');
      const { volume, open } = await solid((w) => revolved(w, rectangle(w, [10, 0], 20, 30), angle));
      expect([open, volume / (6000 * angle)]).toEqual([0, expect.closeTo(1, 1)]);
    },
  );

  test('a torus and a tank: corners by the tolerance on both circles', async () => {
    const profile = (w: IfcWriter): string =>
      w.add(`IFCCIRCLEHOLLOWPROFILEDEF(.AREA.,$,${flat(w, [5000, 0])},400.,50.)`);
    const { volume, low, high, open } = await solid((w) => revolved(w, profile(w), 2 * Math.PI));
    expect(open).toBe(0);
    expect(volume / (area(400, 350) * 5000 * 2 * Math.PI)).toBeGreaterThan(0.99);
    expect([low[0], low[1], high[2]]).toEqual([-5400, -400, 5400].map((x) => expect.closeTo(x, 9)));
    const half: Write = (w) => {
      const arc = trimmed(w, w.add(`IFCCIRCLE(${flat(w)},1000.)`), -Math.PI / 2, Math.PI / 2);
      const curve = composite(w, [
        arc,
        polyline(w, [
          [0, 1000],
          [0, -1000],
        ]),
      ]);
      return w.add(`IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,${curve})`);
    };
    const ball = await solid((w) => revolved(w, half(w), 2 * Math.PI));
    expect(ball.open).toBe(0);
    expect(ball.volume / ((4 / 3) * Math.PI * 1e9)).toBeGreaterThan(0.997);
    expect([ball.low, ball.high]).toEqual(
      [
        [-1000, -1000, -1000],
        [1000, 1000, 1000],
      ].map((p) => p.map((x) => expect.closeTo(x, 9))),
    );
  });

  test('tapered: the profile at the end is another one, of the same corners', async () => {
    const horn: Write = (w) => revolved(w, rectangle(w, [200, 0], 20, 30), Math.PI / 2, rectangle(w, [200, 0], 10, 15));
    const { volume, open } = await solid(horn);
    expect(open).toBe(0);
    expect(volume / ((((Math.PI / 2) * 200 * 600) / 3) * (1 + 0.5 + 0.25))).toBeCloseTo(1, 2);
    const ring = (w: IfcWriter, r: number): string =>
      w.add(`IFCCIRCLEPROFILEDEF(.AREA.,$,${flat(w, [3000, 0])},${real(r)})`);
    const round = await solid((w) => revolved(w, ring(w, 1000), 1, ring(w, 10)));
    expect(round.open).toBe(0);
    expect(round.volume / (((Math.PI * 3000) / 3) * (1e6 + 1e4 + 1e2))).toBeCloseTo(1, 2);
  });
});

describe('curves in profiles', { tags: ['all'] }, () => {
  const extruded = (w: IfcWriter, outer: string, inner: string[] = []): string => {
    const voids = inner.length > 0 ? `,${list(inner)}` : '';
    const kind = inner.length > 0 ? 'IFCARBITRARYPROFILEDEFWITHVOIDS' : 'IFCARBITRARYCLOSEDPROFILEDEF';
    return w.extruded(w.add(`${kind}(.AREA.,$,${outer}${voids})`), [0, 0, 0], 100);
  };
  const circle2 = (w: IfcWriter, r: number): string => w.add(`IFCCIRCLE(${flat(w)},${real(r)})`);

  test('circles, ellipses and offset ones, with holes', async () => {
    const plate = await solid((w) => extruded(w, w.add(`IFCELLIPSE(${flat(w)},2000.,1000.)`), [circle2(w, 500)]));
    expect(plate.open).toBe(0);
    expect([plate.low, plate.high]).toEqual([
      [-2000, -1000, 0],
      [2000, 1000, 100],
    ]);
    expect(plate.volume / (100 * Math.PI * (2e6 - 250_000))).toBeCloseTo(1, 2);
    const offset = await solid((w) => extruded(w, w.add(`IFCOFFSETCURVE2D(${circle2(w, 100)},-20.,.F.)`)));
    expect(offset.high).toEqual([120, 120, 100].map((x) => expect.closeTo(x, 9)));
  });

  test.each(['IFC2X3', 'IFC4'])('a spline, in %s: the area below a parabola', async (schema) => {
    const parabola: Write = (w) => {
      const kind = schema === 'IFC4' ? 'IFCBSPLINECURVEWITHKNOTS' : 'IFCRATIONALBSPLINECURVEWITHKNOTS';
      const weights = schema === 'IFC4' ? '' : ',(2.,2.,2.)';
      const controls = points(w, [
        [0, 0],
        [500, 1000],
        [1000, 0],
      ]);
      const spline = w.add(`${kind}(2,${controls},.UNSPECIFIED.,.F.,.F.,(3,3),(0.,1.),.UNSPECIFIED.${weights})`);
      return extruded(
        w,
        composite(w, [
          spline,
          polyline(w, [
            [1000, 0],
            [0, 0],
          ]),
        ]),
      );
    };
    const { volume, high, open } = await solid(parabola, { schema });
    expect(open).toBe(0);
    expect(volume / (100 * (2 / 3) * 1000 * 500)).toBeGreaterThan(0.995);
    expect(volume / (100 * (2 / 3) * 1000 * 500)).toBeLessThan(1);
    expect(high).toEqual([1000, 500, 100]);
  });

  test('a tapered extrusion with arcs has as many corners at both ends', async () => {
    const ring = (w: IfcWriter, r: number): string => w.add(`IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,${circle2(w, r)})`);
    const cone = await solid((w) => {
      const up = w.add('IFCDIRECTION((0.,0.,1.))');
      return w.add(`IFCEXTRUDEDAREASOLIDTAPERED(${ring(w, 2000)},${w.axes([0, 0, 0])},${up},3000.,${ring(w, 10)})`);
    });
    expect(cone.open).toBe(0);
    expect(cone.volume / (Math.PI * 1000 * (4e6 + 2e4 + 100))).toBeCloseTo(1, 2);
  });

  test('a half space bounded by an arc', async () => {
    const notched = await solid((w) => {
      const plane = w.add(`IFCPLANE(${w.axes([0, 0, 50])})`);
      const half = w.add(
        `IFCPOLYGONALBOUNDEDHALFSPACE(${plane},.F.,${w.axes([0, 0, 0])},${composite(w, [circle2(w, 100)])})`,
      );
      return w.add(`IFCBOOLEANCLIPPINGRESULT(.DIFFERENCE.,${w.box([400, 400, 100], [0, 0, 50])},${half})`);
    });
    expect(notched.open).toBe(0);
    expect(notched.volume).toBeCloseTo(16e6 - Math.PI * 1e4 * polygon(32) * 50, -1);
  });
});

test('what replaces a sweep can be taken out of another solid', { tags: ['all'] }, async () => {
  const drilled = await solid((w) => {
    const axis = w.add(`IFCAXIS1PLACEMENT(${w.point([0, 0, 0])},${w.add('IFCDIRECTION((0.,1.,0.))')})`);
    const ring = w.add(
      `IFCREVOLVEDAREASOLID(${rectangle(w, [400, 0], 20, 30)},${w.axes([0, 0, 0])},${axis},6.2831853)`,
    );
    return w.add(`IFCBOOLEANRESULT(.DIFFERENCE.,${w.box([900, 100, 900])},${ring})`);
  });
  expect(drilled.open).toBe(0);
  expect(drilled.volume).toBeGreaterThan(81e6 - 600 * 800 * Math.PI);
  expect(drilled.volume).toBeLessThan(81e6 - 600 * 800 * Math.PI * 0.995);
});

describe('hostile records', () => {
  const refused = (item: Write): Promise<unknown> =>
    read(text(item)).then(
      () => null,
      (error: Error) => `${error.name}: ${error.message}`,
    );
  const spline = (
    w: IfcWriter,
    more: { degree?: number; counts?: string; knots?: string; weights?: string },
  ): string => {
    const { degree = 2, counts = '(3,3)', knots = '(0.,1.)', weights } = more;
    const controls = points(w, [
      [0, 0, 0],
      [50, 100, 0],
      [100, 0, 0],
    ]);
    const kind = weights ? 'IFCRATIONALBSPLINECURVEWITHKNOTS' : 'IFCBSPLINECURVEWITHKNOTS';
    const end = weights ? `,${weights}` : '';
    return disk(
      w,
      w.add(`${kind}(${degree},${controls},.UNSPECIFIED.,.F.,.F.,${counts},${knots},.UNSPECIFIED.${end})`),
      5,
    );
  };
  test.each([
    [{ degree: 0 }, 'expected a degree of 1 to 32, found 0'],
    [{ degree: 1e9 }, 'expected a degree of 1 to 32, found 1000000000'],
    [{ degree: 3 }, 'expected at least 4 control points, found 3'],
    [{ counts: '(3,1000000000)' }, 'expected multiplicities of 1 to 3, found 1000000000'],
    [{ counts: '(3,2)' }, 'expected 6 knots with their multiplicities, found 5'],
    [{ counts: '(3,3,1)' }, 'expected 3 knots, found 2'],
    [{ knots: '(1.,0.)' }, 'expected increasing knots, found 0 after 1'],
    [{ weights: '(1.,0.,1.)' }, 'expected weights above 0, found 0'],
    [{ weights: '(1.,1.)' }, 'expected 3 weights, found 2'],
  ])('a spline with %o', async (more, message) => {
    expect(await refused((w) => spline(w, more))).toMatch(/^FormatError: .*line \d+/);
    expect(await refused((w) => spline(w, more))).toContain(message);
  });

  test('curves that go in a ring, radii of 0, and a sweep of too many corners', async () => {
    const ring = text((w) =>
      disk(
        w,
        composite(w, [
          polyline(w, [
            [0, 0, 0],
            [1, 0, 0],
          ]),
        ]),
        5,
      ),
    ).replace(
      /IFCCOMPOSITECURVESEGMENT\(.CONTINUOUS.,.T.,#(\d+)\);\n#(\d+)=/,
      'IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#$2);\n#$2=',
    );
    await expect(read(ring)).rejects.toThrow('a cycle');
    expect(await refused((w) => disk(w, circle(w, [0, 0, 0], 0), 5))).toContain(
      'expected radii above 0, found 0 and 0',
    );
    expect(await refused((w) => disk(w, circle(w, [0, 0, 0], 1e9), 1e8))).toContain('too many corners');
  });
});
