/** Curves of IFC: points, parameters and corners against closed forms and definitions. */
import { describe, expect, test } from 'vitest';
import { type Curve, curveOf, flatten, stops, trim } from '../../src/readers/ifc/lower/curves.ts';
import { Draft } from '../../src/readers/ifc/lower/draft.ts';
import { type Lowering, Step } from '../../src/readers/ifc/lower/step.ts';
import { indexRecords } from '../../src/readers/ifc/step-records.ts';
import { scanStep } from '../../src/readers/ifc/step-scanner.ts';
import { type IfcWriter, ifcWriter, real } from '../support/ifc.ts';
import { seeded } from '../support/random.ts';
import { refusal } from '../support/refusal.ts';

type Write = (w: IfcWriter) => string;

/** The curve of the record that `write` returns. */
function curve(
  write: Write,
  { chord = 1, corners = 32, radians = 1, doubtful = new Map<number, string>() } = {},
): Curve | null {
  const w = ifcWriter();
  const record = write(w);
  const file = scanStep(new TextEncoder().encode(w.text()), {});
  const recordOf = indexRecords(file);
  const draft = new Draft(file, recordOf);
  const lowering: Lowering = {
    step: new Step(file, recordOf, radians),
    draft,
    unread: new Map(),
    doubtful,
    chord,
    corners,
  };
  return curveOf(lowering, recordOf(Number(record.slice(1))));
}

const whole = (c: Curve): number[][] => flatten(c, ...c.domain);
const far = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, k) => x - b[k]));
const list = (items: readonly (string | number)[]): string =>
  `(${items.map((x) => (typeof x === 'number' ? real(x) : x)).join()})`;
const points = (w: IfcWriter, all: readonly (readonly number[])[]): string => list(all.map((p) => w.point(p)));

const flat = (w: IfcWriter, at: number[] = [0, 0]): string => w.add(`IFCAXIS2PLACEMENT2D(${w.point(at)},$)`);
const circle = (w: IfcWriter, radius: number, at?: number[]): string =>
  w.add(`IFCCIRCLE(${flat(w, at)},${real(radius)})`);
const polyline = (w: IfcWriter, all: readonly (readonly number[])[]): string => w.add(`IFCPOLYLINE(${points(w, all)})`);
const trimmed = (w: IfcWriter, basis: string, ends: [string, string], isForward = true, master = 'PARAMETER'): string =>
  w.add(`IFCTRIMMEDCURVE(${basis},(${ends[0]}),(${ends[1]}),.${isForward ? 'T' : 'F'}.,.${master}.)`);
const parameter = (x: number): string => `IFCPARAMETERVALUE(${real(x)})`;
const composite = (w: IfcWriter, parts: readonly (readonly [string, boolean])[]): string =>
  w.add(
    `IFCCOMPOSITECURVE(${list(parts.map(([part, same]) => w.add(`IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.${same ? 'T' : 'F'}.,${part})`)))},.F.)`,
  );
const spline = (
  w: IfcWriter,
  degree: number,
  controls: readonly (readonly number[])[],
  knots: readonly (readonly [number, number])[],
  weights?: readonly number[],
): string => {
  const [values, counts] = [knots.map(([x]) => x), knots.map(([, n]) => n)];
  const shared = `${degree},${points(w, controls)},.UNSPECIFIED.,.F.,.F.,(${counts}),${list(values)},.UNSPECIFIED.`;
  return w.add(
    weights === undefined
      ? `IFCBSPLINECURVEWITHKNOTS(${shared})`
      : `IFCRATIONALBSPLINECURVEWITHKNOTS(${shared},${list(weights)})`,
  );
};

describe('corners', () => {
  test('a circle has 32, exact at its quadrants, or as many as the tolerance asks for', () => {
    const c = curve((w) => circle(w, 10, [1, 2]))!;
    const all = whole(c);
    expect(all).toHaveLength(33);
    expect([0, 8, 16, 24, 32].map((k) => all[k])).toEqual([
      [11, 2, 0],
      [1, 12, 0],
      [-9, 2, 0],
      [1, -8, 0],
      [11, 2, 0],
    ]);
    for (const [radius, chord] of [
      [1e4, 1],
      [1e4, 0.01],
    ]) {
      const many = whole(curve((w) => circle(w, radius), { chord })!);
      const sagitta = (n: number): number => radius * (1 - Math.cos(Math.PI / n));
      expect(sagitta(many.length - 1)).toBeLessThanOrEqual(chord * (1 + 1e-9));
      expect(sagitta(many.length - 5)).toBeGreaterThan(chord);
    }
  });

  test('a trimmed circle: angles in degrees, ends as parameters or points, either way round', () => {
    const of = (from: number, to: number, isForward: boolean, isPoint: boolean): number[][] =>
      whole(
        curve(
          (w) => {
            const at = (t: number): string =>
              isPoint
                ? w.point([100 * Math.cos((t * Math.PI) / 180), 100 * Math.sin((t * Math.PI) / 180)])
                : parameter(t);
            return trimmed(w, circle(w, 100), [at(from), at(to)], isForward);
          },
          { radians: 0.0174532925 },
        )!,
      );
    for (const isPoint of [false, true]) {
      // From 300 degrees over 0 to 60, and back; 8 quadrants' corners are on the way.
      const ahead = of(300, 60, true, isPoint);
      expect(ahead[0].map((x) => Math.round(x * 1e9) / 1e9)).toEqual([50, -86.602540378, 0]);
      expect(ahead.at(-1)!.map((x) => Math.round(x * 1e9) / 1e9)).toEqual([50, 86.602540378, 0]);
      expect(ahead).toContainEqual([100, 0, 0]);
      expect(ahead).toHaveLength(13);
      expect(of(300, 60, false, isPoint)).toContainEqual([-100, 0, 0]);
      expect(of(300, 60, false, isPoint)).toHaveLength(1 + 22);
    }
    expect(of(0, 360, true, false)).toHaveLength(33);
    expect(of(90, 90, false, false)).toHaveLength(33);
  });

  test('an ellipse, in a plane in space', () => {
    const c = curve((w) => w.add(`IFCELLIPSE(${w.axes([0, 0, 5], [0, -1, 0], [1, 0, 0])},20.,10.)`))!;
    const all = whole(c);
    expect([all[0], all[8], all[16]]).toEqual([
      [20, 0, 5],
      [0, 0, 15],
      [-20, 0, 5],
    ]);
    for (const [x, , z] of all) expect((x / 20) ** 2 + ((z - 5) / 10) ** 2).toBeCloseTo(1, 12);
  });

  test('an indexed curve: arcs through three points keep the three, quadrants exact', () => {
    const c = curve((w) => {
      const at = w.add('IFCCARTESIANPOINTLIST2D(((0.,0.),(100.,0.),(150.,50.),(100.,100.),(0.,100.)))');
      return w.add(`IFCINDEXEDPOLYCURVE(${at},(IFCLINEINDEX((1,2)),IFCARCINDEX((2,3,4)),IFCLINEINDEX((4,5,1))),.F.)`);
    })!;
    expect(c.domain).toEqual([0, 4]);
    expect(c.isClosed).toBe(true);
    const all = whole(c);
    expect(all).toContainEqual([150, 50, 0]);
    expect(all).toHaveLength(2 + 16 + 2);
    for (const p of all.slice(1, 18)) expect(far(p, [100, 50, 0])).toBeCloseTo(50, 12);
  });

  test('an offset goes to the left, with miters at corners', () => {
    const offset = (basis: Write, by: number): number[][] =>
      whole(curve((w) => w.add(`IFCOFFSETCURVE2D(${basis(w)},${real(by)},.F.)`), { chord: 0.01 })!);
    const bend = [
      [0, 0],
      [10, 0],
      [10, 10],
    ];
    expect(offset((w) => polyline(w, bend), 2)).toEqual([
      [0, 2, 0],
      [8, 2, 0],
      [8, 10, 0],
    ]);
    expect(offset((w) => polyline(w, bend), -2)).toEqual([
      [0, -2, 0],
      [12, -2, 0],
      [12, 10, 0],
    ]);
    for (const p of offset((w) => circle(w, 10), -90)) expect(far(p, [0, 0, 0])).toBeCloseTo(100, 10);
    expect(offset((w) => circle(w, 10), -90).length).toBeGreaterThan(200);
  });

  test('an offset of an offset is read; one more is not, whatever is between, and that is said', () => {
    const marks = new Map<number, string>();
    const nested = (levels: number, isApart = false): Curve | null =>
      curve(
        (w) => {
          let basis = circle(w, 10);
          for (let k = 0; k < levels; k++) {
            basis = w.add(`IFCOFFSETCURVE2D(${basis},-1.,.F.)`);
            if (isApart) basis = composite(w, [[basis, true]]);
          }
          return basis;
        },
        { doubtful: marks },
      );
    for (const p of whole(nested(2)!)) expect(far(p, [0, 0, 0])).toBeCloseTo(12, 10);
    expect([...marks]).toEqual([]);
    expect([nested(3), nested(3, true), nested(60)]).toEqual([null, null, null]);
    expect(new Set(marks.values())).toEqual(new Set(['it has a curve with more than 2 nested offsets']));
  });

  test.each(['offset', 'trimmed', 'composite'])('64 nested curves, and no more: %s', (kind) => {
    const nested = (levels: number): Curve | null =>
      curve((w) => {
        let basis = circle(w, 10);
        for (let k = 1; k < levels; k++) {
          if (kind === 'offset') basis = w.add(`IFCOFFSETCURVE2D(${basis},-1.,.F.)`);
          else if (kind === 'trimmed') basis = trimmed(w, basis, [parameter(0), parameter(1)]);
          else basis = composite(w, [[basis, true]]);
        }
        return basis;
      });
    expect(nested(64) === null).toBe(kind === 'offset');
    for (const levels of [65, 5000]) {
      const error = refusal(() => nested(levels));
      expect([error.expected, error.found]).toEqual(['at most 64 nested curves', 'more']);
    }
  });
});

describe('splines', () => {
  test('of degree 2, a parabola: within the tolerance, and 32 corners a circle', () => {
    const c = curve((w) =>
      spline(
        w,
        2,
        [
          [0, 0],
          [50, 100],
          [100, 0],
        ],
        [
          [0, 3],
          [1, 3],
        ],
      ),
    )!;
    const all = whole(c);
    for (const [x, y] of all) expect(y).toBeCloseTo(4 * 50 * (x / 100) * (1 - x / 100), 10);
    expect(all[0]).toEqual([0, 0, 0]);
    expect(all.at(-1)).toEqual([100, 0, 0]);
    expect(all.length).toBeGreaterThan(12);
    expect(all.length).toBeLessThan(26);
  });

  test('with weights, a circle of nine control points', () => {
    const r = Math.SQRT1_2;
    const square = [
      [1, 0],
      [1, 1],
      [0, 1],
      [-1, 1],
      [-1, 0],
      [-1, -1],
      [0, -1],
      [1, -1],
      [1, 0],
    ];
    const weights = square.map(([x, y]) => (x !== 0 && y !== 0 ? r : 1));
    const c = curve((w) =>
      spline(
        w,
        2,
        square.map((p) => p.map((x) => 1000 * x)),
        [
          [0, 3],
          [1, 2],
          [2, 2],
          [3, 2],
          [4, 3],
        ],
        weights,
      ),
    )!;
    expect(c.isClosed).toBe(true);
    const all = whole(c);
    expect(all.length).toBeGreaterThan(60);
    for (const p of all) expect(far(p, [0, 0, 0])).toBeCloseTo(1000, 9);
    for (let t = 0; t <= 4; t += 0.01) expect(far(c.point(t), [0, 0, 0])).toBeCloseTo(1000, 9);
    // Round the seam.
    const seam = flatten(c, ...trim(c, 3.5, 0.5));
    expect(seam).toContainEqual([1000, 0, 0]);
    expect(seam.length).toBeLessThan(all.length / 3);
  });
});

/** Curves of every kind with random numbers. */
function anyCurve(random: ReturnType<typeof seeded>): Write {
  const at = (n: number): number[] => Array.from({ length: n }, () => random.between(-1000, 1000));
  const kinds: Write[] = [
    (w) => polyline(w, [at(3), at(3), at(3), at(3)]),
    (w) => w.add(`IFCCIRCLE(${w.axes(at(3), at(3), at(3))},${real(random.between(1, 2000))})`),
    (w) =>
      w.add(
        `IFCELLIPSE(${w.axes(at(3), at(3), at(3))},${real(random.between(1, 2000))},${real(random.between(1, 2000))})`,
      ),
    (w) =>
      trimmed(
        w,
        kinds[1](w),
        [parameter(random.between(-7, 7)), parameter(random.between(-7, 7))],
        random.between(0, 1) > 0.5,
      ),
    (w) => {
      const degree = 1 + Math.floor(random.between(0, 5));
      const inner = Math.floor(random.between(0, 4));
      const knots = Array.from(
        { length: inner + 2 },
        (_, k) => [k + random.between(0, 0.5), k % (inner + 1) === 0 ? degree + 1 : 1] as const,
      );
      const controls = Array.from({ length: degree + 1 + inner }, () => at(3));
      return spline(
        w,
        degree,
        controls,
        knots,
        random.between(0, 1) > 0.5 ? controls.map(() => random.between(0.2, 5)) : undefined,
      );
    },
    (w) => {
      const [p, q] = [at(3), at(3)];
      return composite(w, [
        [polyline(w, [at(3), p]), true],
        [polyline(w, [q, p]), false],
        [polyline(w, [q, at(3)]), true],
      ]);
    },
  ];
  return kinds[Math.floor(random.between(0, kinds.length))];
}

test.each([1, 2, 3])(
  'random curves: chords are near, a walk back is the same, parameters come back (seed %i)',
  (seed) => {
    const random = seeded(seed);
    for (let round = 0; round < 40; round++) {
      const c = curve(anyCurve(random))!;
      const [first, last] = c.domain;
      const [a, b] = [random.between(first, last), random.between(first, last)].sort((x, y) => x - y);
      const there = flatten(c, a, b);
      expect(flatten(c, b, a)).toEqual(there.toReversed());
      expect([there[0], there.at(-1)]).toEqual([c.point(a), c.point(b)]);
      const ts = stops(c, a, b);
      for (let k = 1; k < ts.length; k++)
        for (const s of [0.1, 0.3, 0.5, 0.7, 0.9]) {
          const p = c.point(ts[k - 1] + s * (ts[k] - ts[k - 1]));
          const [d, q] = [there[k].map((x, i) => x - there[k - 1][i]), p.map((x, i) => x - there[k - 1][i])];
          const along = d.reduce((sum, x, i) => sum + x * q[i], 0) / d.reduce((sum, x) => sum + x * x, 0);
          expect(
            far(
              q,
              d.map((x) => along * x),
            ),
          ).toBeLessThanOrEqual(1 + 1e-9);
        }
      for (const t of [a, b, first]) expect(far(c.point(c.parameter(c.point(t))), c.point(t))).toBeLessThan(1e-6);
    }
  },
);
