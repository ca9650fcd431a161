/** Solids with faces on surfaces (IfcAdvancedBrep): closed, and as large as closed forms say. */
import { describe, expect, test } from 'vitest';
import { type ReadMeshFile, readMeshFile } from '../../src/readers/formats.ts';
import { type Measured, measured } from '../support/file-measures.ts';
import { ifcWriter, real } from '../support/ifc.ts';
import {
  type BrepWriter,
  type Build,
  back,
  brepWriter,
  flatLine,
  hill,
  numbers,
  type Placed,
  type Point,
  plate,
  reversed,
  STYLES,
  type Style,
  sides,
  UNMOVED,
  type Walk,
  wall,
} from '../support/ifc-brep.ts';
import { type Random, seeded } from '../support/random.ts';

interface Given {
  placed?: Placed;
  chord?: string;
}

const nowhere = { open: () => expect.unreachable('it asks for no file') };

function text(build: Build, placed: Placed = UNMOVED): string {
  const w = ifcWriter({ unit: 'mm' });
  const b = brepWriter(w, placed);
  build(b, w.add);
  const item = w.add(`IFCADVANCEDBREP(${b.shell()})`);
  w.product('IFCMEMBER', {
    name: 'a',
    placement: w.placement([0, 0, 0]),
    shape: w.shape([item], 'AdvancedBrep'),
    more: '$',
  });
  return w.text();
}

const read = (source: string, chord?: string): Promise<ReadMeshFile> =>
  readMeshFile(new TextEncoder().encode(source), { ...nowhere, chordTolerance: chord });

async function solid(build: Build, { placed, chord }: Given = {}): Promise<Measured & { euler: number }> {
  const file = await read(text(build, placed), chord);
  expect(file.warnings).toEqual([]);
  return { ...measured(file, 0), euler: eulerOf(file) };
}

function eulerOf({ meshes }: ReadMeshFile): number {
  const { positions, triangles } = meshes[0].mesh;
  const edges = new Set<string>();
  for (let c = 0; c < triangles.length; c++) {
    const [a, b] = [triangles[c], triangles[c % 3 === 2 ? c - 2 : c + 1]];
    edges.add(a < b ? `${a} ${b}` : `${b} ${a}`);
  }
  return positions.length / 3 - edges.size + triangles.length / 3;
}

const polygon = (n: number): number => (n / (2 * Math.PI)) * Math.sin((2 * Math.PI) / n);
const AREA = polygon(32) * Math.PI;

describe('planes and cylinders', () => {
  test.each(STYLES)('a plate with a hole: a wall of %s', async (style) => {
    const { volume, open, low, high, euler } = await solid(plate(style, [[0, 0, 30]]));
    expect(open).toBe(0);
    expect(euler).toBe(0);
    expect(volume).toBeCloseTo(100 * (10_000 - 900 * AREA), 5);
    expect([low, high]).toEqual([
      [-50, -50, 0],
      [50, 50, 100],
    ]);
  });

  test.each(STYLES)('a plate with four holes, in a frame of its own: walls of %s', async (style) => {
    const holes = [
      [25, 25, 10],
      [-25, 25, 12],
      [-25, -25, 15],
      [25, -25, 20],
    ];
    const { volume, open, euler } = await solid(plate(style, holes), { placed: tilted(seeded(7)) });
    expect(open).toBe(0);
    expect(euler).toBe(-6);
    expect(volume).toBeCloseTo(100 * (10_000 - AREA * holes.reduce((all, [, , r]) => all + r * r, 0)), 4);
  });

  test.each(STYLES)('a cylinder with a wall of %s', async (style) => {
    const { volume, open, euler } = await solid((b) => {
      const [low, high] = wall(b, b.cylinder(b.frame([0, 0, 0]), 20), { radii: [20, 20], heights: [0, 50], style });
      b.face(b.plane([0, 0, 0], [0, 0, -1]), [reversed(low)]);
      b.face(b.plane([0, 0, 50], [0, 0, 1]), [high]);
    });
    expect(open).toBe(0);
    expect(euler).toBe(2);
    expect(volume).toBeCloseTo(50 * 400 * AREA, 6);
  });

  test('a window in a pipe without seams', async () => {
    const { volume, open, euler } = await solid(pipeWithWindow);
    expect(open).toBe(0);
    expect(euler).toBe(-2);
    // The window takes 4 of the 32 sectors over a third of the height.
    expect(volume).toBeCloseTo((900 - 400) * AREA * 90 * (1 - 4 / 32 / 3), 5);
  });
});

function pipeWithWindow(b: BrepWriter): void {
  const radii = [20, 30];
  const turn = Math.PI / 8;
  const at = (r: number, s: number, z: number): Point => [r * Math.cos(turn), s * r * Math.sin(turn), z];
  const windows = radii.map((r) => {
    const low = b.arc(at(r, -1, 30), at(r, 1, 30), [0, 0, 30], r);
    const high = b.arc(at(r, -1, 60), at(r, 1, 60), [0, 0, 60], r);
    return { low, high };
  });
  const rims = radii.map((r) => [0, 90].map((z) => b.arc([r, 0, z], [r, 0, z], [0, 0, z], r)));
  radii.forEach((r, k) => {
    const { low, high } = windows[k];
    const up = b.line(at(r, 1, 30), at(r, 1, 60));
    const down = b.line(at(r, -1, 60), at(r, -1, 30));
    const loops = [[rims[k][0]], [back(rims[k][1])], reversed([low, up, back(high), down])];
    b.face(b.cylinder(b.frame([0, 0, 0]), r), k === 1 ? loops : loops.map(reversed), { sense: k === 1 });
  });
  b.face(b.plane([0, 0, 0], [0, 0, -1]), [[back(rims[1][0])], [rims[0][0]]]);
  b.face(b.plane([0, 0, 90], [0, 0, 1]), [[rims[1][1]], [back(rims[0][1])]]);
  const spoke = (s: number, z: number): Walk => b.line(at(20, s, z), at(30, s, z));
  const [i, o] = windows;
  b.face(b.plane([0, 0, 30], [0, 0, 1]), [[spoke(-1, 30), o.low, back(spoke(1, 30)), back(i.low)]]);
  b.face(b.plane([0, 0, 60], [0, 0, -1]), [[i.high, spoke(1, 60), back(o.high), back(spoke(-1, 60))]]);
  for (const s of [1, -1]) {
    const loop = [
      spoke(s, 30),
      b.line(at(30, s, 30), at(30, s, 60)),
      back(spoke(s, 60)),
      b.line(at(20, s, 60), at(20, s, 30)),
    ];
    const normal = [Math.sin(turn), -s * Math.cos(turn), 0];
    b.face(b.plane(at(20, s, 30), normal), [s < 0 ? loop.map(back).reverse() : loop]);
  }
}

const ball = (r: number): number => (4 / 3) * Math.PI * r ** 3;

/** A part of a solid's volume, less what chords take: no more than a part. */
function expectNear(volume: number, exact: number, most: number): void {
  expect(volume).toBeLessThan(exact * (1 + 1e-9));
  expect(volume).toBeGreaterThan(exact * (1 - most));
}

describe('cones, spheres and tori', () => {
  test.each(STYLES)('a countersunk hole: walls of %s', async (style) => {
    const { volume, open, euler } = await solid((b, add) => {
      const { bottom, top } = sides(b, 50, 0, 20);
      const straight = wall(b, b.cylinder(b.frame([0, 0, 0]), 10), {
        radii: [10, 10],
        heights: [0, 12],
        style,
        isHole: true,
      });
      const [low, high] = straight;
      const cone = b.revolved(b.frame([0, 0, 0], [0, -1, 0], [1, 0, 0]), flatLine(add, [10, 12], [1, 1]));
      // Its lower rim is the upper one of the cylinder.
      const wide = wallOn(b, cone, high, { radii: [10, 18], heights: [12, 20], style });
      b.face(b.plane([0, 0, 0], [0, 0, -1]), [bottom, low]);
      b.face(b.plane([0, 0, 20], [0, 0, 1]), [top, reversed(wide)]);
    });
    expect(open).toBe(0);
    expect(euler).toBe(0);
    const hole = 12 * 100 + (8 / 3) * (100 + 324 + 180);
    expect(volume).toBeCloseTo(20 * 10_000 - hole * AREA, 5);
  });

  test('a cone with an apex, named or not', async () => {
    for (const apex of [[0, 0, 30] as Point, null]) {
      const { volume, open, euler } = await solid((b, add) => {
        const rim = b.arc([20, 0, 0], [20, 0, 0], [0, 0, 0], 20);
        const cone = b.revolved(b.frame([0, 0, 0], [0, -1, 0], [1, 0, 0]), flatLine(add, [20, 0], [-2, 3]));
        b.face(b.plane([0, 0, 0], [0, 0, -1]), [[back(rim)]]);
        b.face(cone, [[rim]], { apex, sense: false });
      });
      expect(open).toBe(0);
      expect(euler).toBe(2);
      expect(volume).toBeCloseTo(10 * 400 * AREA, 6);
    }
  });

  test('balls: whole, by one seam, and of two halves', { tags: ['all'] }, async () => {
    const whole: Build = (b) => b.face(b.sphere(b.frame([1, 2, 3]), 40), [], { apex: [1, 2, 43] });
    const seam: Build = (b) => {
      const meridian = b.arc([0, 0, -40], [0, 0, 40], [0, 0, 0], 40, [0, -1, 0], [1, 0, 0]);
      b.face(b.sphere(b.frame([0, 0, 0]), 40), [[meridian, back(meridian)]]);
    };
    const halves: Build = (b) => {
      const rim = b.arc([40, 0, 0], [40, 0, 0], [0, 0, 0], 40);
      b.face(b.sphere(b.frame([0, 0, 0]), 40), [[rim]]);
      b.face(b.sphere(b.frame([0, 0, 0]), 40), [[back(rim)]]);
    };
    const meridians: Build = (b) => {
      const [p, q] = [
        b.arc([0, 0, -40], [0, 0, 40], [0, 0, 0], 40, [0, -1, 0]),
        b.arc([0, 0, -40], [0, 0, 40], [0, 0, 0], 40, [0, 1, 0], [-1, 0, 0]),
      ];
      b.face(b.sphere(b.frame([0, 0, 0]), 40), [[q, back(p)]]);
      b.face(b.sphere(b.frame([0, 0, 0]), 40), [[p, back(q)]]);
    };
    for (const build of [whole, seam, halves, meridians]) {
      const { volume, open, euler } = await solid(build);
      expect(open).toBe(0);
      expect(euler).toBe(2);
      expectNear(volume, ball(40), 0.03);
      const fine = await solid(build, { chord: '0.01mm' });
      expectNear(fine.volume, ball(40), 0.001);
    }
  });

  test('an eighth of a ball', async () => {
    const { volume, open } = await solid((b) => {
      const [x, y, z, o]: Point[] = [
        [40, 0, 0],
        [0, 40, 0],
        [0, 0, 40],
        [0, 0, 0],
      ];
      const xy = b.arc(x, y, o, 40);
      const yz = b.arc(y, z, o, 40, [1, 0, 0], [0, 1, 0]);
      const zx = b.arc(z, x, o, 40, [0, 1, 0], [0, 0, 1]);
      b.face(b.sphere(b.frame(o), 40), [[xy, yz, zx]]);
      b.face(b.plane(o, [0, 0, -1]), [[b.line(o, y), back(xy), b.line(x, o)]]);
      b.face(b.plane(o, [-1, 0, 0]), [[b.line(o, z), back(yz), b.line(y, o)]]);
      b.face(b.plane(o, [0, -1, 0]), [[b.line(o, x), back(zx), b.line(z, o)]]);
    });
    expect(open).toBe(0);
    expectNear(volume, ball(40) / 8, 0.02);
  });

  test('a ball with a hole through it beside its poles', { tags: ['all'] }, async () => {
    const { volume, open, euler } = await solid(
      (b) => {
        const s = Math.sqrt(1600 - 100);
        const rims = [-s, s].map((x) => b.arc([x, 10, 0], [x, 10, 0], [x, 0, 0], 10, [1, 0, 0], [0, 1, 0]));
        b.face(b.sphere(b.frame([0, 0, 0]), 40), [[rims[0]], [back(rims[1])]]);
        b.face(b.cylinder(b.frame([0, 0, 0], [1, 0, 0], [0, 1, 0]), 10), [[back(rims[0])], [rims[1]]], {
          sense: false,
        });
      },
      { chord: '0.01mm' },
    );
    expect(open).toBe(0);
    expect(euler).toBe(0);
    // Cavalieri: a ball whose diameter is the length of the hole.
    const exact = (4 / 3) * Math.PI * 1500 ** 1.5;
    expect(Math.abs(volume / exact - 1)).toBeLessThan(0.001);
  });

  test('a ring without edges, and a pipe elbow', { tags: ['all'] }, async () => {
    const ring = await solid((b) => b.face(b.torus(b.frame([0, 0, 0]), 100, 30), []));
    expect([ring.open, ring.euler]).toEqual([0, 0]);
    const exact = 2 * Math.PI ** 2 * 100 * 900;
    expectNear(ring.volume, exact, 0.03);
    const elbow: (style: string) => Build = (style) => (b) => {
      const a = b.arc([130, 0, 0], [130, 0, 0], [100, 0, 0], 30, [0, -1, 0], [1, 0, 0]);
      const c = b.arc([0, 130, 0], [0, 130, 0], [0, 100, 0], 30, [1, 0, 0], [0, 1, 0]);
      const surface = b.torus(b.frame([0, 0, 0]), 100, 30);
      if (style === 'rims') b.face(surface, [[back(a)], [c]]);
      else {
        const seam = b.arc([130, 0, 0], [0, 130, 0], [0, 0, 0], 130);
        b.face(surface, [[seam, c, back(seam), back(a)]]);
      }
      b.face(b.plane([0, 0, 0], [0, -1, 0]), [[a]]);
      b.face(b.plane([0, 0, 0], [-1, 0, 0]), [[back(c)]]);
    };
    for (const style of ['rims', 'seam']) {
      const made = await solid(elbow(style), { placed: tilted(seeded(3)) });
      expect([style, made.open, made.euler]).toEqual([style, 0, 2]);
      expectNear(made.volume, exact / 4, 0.03);
      const fine = await solid(elbow(style), { chord: '0.02mm' });
      expectNear(fine.volume, exact / 4, 0.001);
    }
  });
});

describe('B-splines', () => {
  test('a Bezier patch as the top of a block', { tags: ['all'] }, async () => {
    const heights = [30, 60, 20, 80, 150, 40, 50, 10, 90];
    const exact = (10_000 * heights.reduce((sum, z) => sum + z)) / 9;
    for (const [chord, off] of [
      ['1mm', 5e-3],
      ['0.1mm', 5e-4],
      ['0.01mm', 5e-5],
    ] as const) {
      const { volume, open, euler } = await solid(hill(heights), { chord });
      expect([open, euler]).toEqual([0, 2]);
      expect(Math.abs(volume / exact - 1)).toBeLessThan(off);
    }
  });

  test('a rational patch with equal weights is the plain one', async () => {
    const heights = [30, 60, 20, 80, 150, 40, 50, 10, 90];
    const [plain, rational] = [
      await solid(hill(heights)),
      await solid(
        hill(
          heights,
          heights.map(() => 2),
        ),
      ),
    ];
    expect(rational.open).toBe(0);
    expect(rational.volume).toBeCloseTo(plain.volume, 3);
  });

  test('a cylinder whose wall is a rational B-spline that closes', async () => {
    const { volume, open, euler } = await solid(
      (b, add) => {
        const s = Math.SQRT1_2;
        const square = [
          [1, 0, 1],
          [1, 1, s],
          [0, 1, 1],
          [-1, 1, s],
          [-1, 0, 1],
          [-1, -1, s],
          [0, -1, 1],
          [1, -1, s],
          [1, 0, 1],
        ];
        const rows = square.map(([x, y]) => `(${[0, 50].map((z) => b.point([20 * x, 20 * y, z])).join()})`);
        const surface = add(
          `IFCRATIONALBSPLINESURFACEWITHKNOTS(2,1,(${rows.join()}),.UNSPECIFIED.,.T.,.F.,.F.,(3,2,2,2,3),(2,2),(0.,1.,2.,3.,4.),(0.,1.),.UNSPECIFIED.,(${square.map(([, , w]) => numbers([w, w])).join()}))`,
        );
        const rims = [0, 50].map((z) => b.arc([20, 0, z], [20, 0, z], [0, 0, z], 20));
        const seam = b.line([20, 0, 0], [20, 0, 50]);
        b.face(surface, [[rims[0], seam, back(rims[1]), back(seam)]]);
        b.face(b.plane([0, 0, 0], [0, 0, -1]), [[back(rims[0])]]);
        b.face(b.plane([0, 0, 50], [0, 0, 1]), [[rims[1]]]);
      },
      { placed: tilted(seeded(11)) },
    );
    expect([open, euler]).toEqual([0, 2]);
    expectNear(volume, 50 * 400 * Math.PI, 0.02);
  });
});

describe('others', () => {
  test('a wall that is a swept arc: a half cylinder', async () => {
    const { volume, open } = await solid((b, add) => {
      const place2d = add(`IFCAXIS2PLACEMENT2D(${add('IFCCARTESIANPOINT((0.,0.))')},$)`);
      const swept = b.swept(b.frame([0, 0, 0]), add(`IFCCIRCLE(${place2d},20.)`), [0, 0, 1]);
      const arcs = [0, 50].map((z) => b.arc([20, 0, z], [-20, 0, z], [0, 0, z], 20));
      const [p, q] = [20, -20].map((x) => b.line([x, 0, 0], [x, 0, 50]));
      const [low, high] = [0, 50].map((z) => b.line([-20, 0, z], [20, 0, z]));
      b.face(swept, [[arcs[0], q, back(arcs[1]), back(p)]]);
      b.face(b.plane([0, 0, 0], [0, -1, 0]), [[low, p, back(high), back(q)]]);
      b.face(b.plane([0, 0, 0], [0, 0, -1]), [[back(low), back(arcs[0])]]);
      b.face(b.plane([0, 0, 50], [0, 0, 1]), [[arcs[1], high]]);
    });
    expect(open).toBe(0);
    expect(volume).toBeCloseTo(25 * 400 * AREA, 6);
  });

  test('a hollow: the inner shell faces inward', { tags: ['all'] }, async () => {
    const w = ifcWriter({ unit: 'mm' });
    const b = brepWriter(w);
    const { bottom, top } = sides(b, 50, -50, 50);
    b.face(b.plane([0, 0, -50], [0, 0, -1]), [bottom]);
    b.face(b.plane([0, 0, 50], [0, 0, 1]), [top]);
    const outer = b.shell();
    b.face(b.sphere(b.frame([0, 0, 0]), 40), [], { sense: false });
    const item = w.add(`IFCADVANCEDBREPWITHVOIDS(${outer},(${b.shell()}))`);
    w.product('IFCMEMBER', { placement: w.placement([0, 0, 0]), shape: w.shape([item], 'AdvancedBrep'), more: '$' });
    const file = await read(w.text(), '0.01mm');
    const { volume, open } = measured(file, 0);
    expect(open).toBe(0);
    expect(Math.abs((1e6 - volume) / ball(40) - 1)).toBeLessThan(0.001);
  });

  test.each(['IFCSHELLBASEDSURFACEMODEL', 'IFCFACEBASEDSURFACEMODEL'])('%s with a face on a cylinder', async (type) => {
    const w = ifcWriter({ unit: 'mm' });
    const b = brepWriter(w);
    plate('a seam', [[0, 0, 30]])(b, w.add);
    const item = w.add(`${type}((${b.shell()}))`);
    w.product('IFCMEMBER', { placement: w.placement([0, 0, 0]), shape: w.shape([item], 'SurfaceModel'), more: '$' });
    const { volume, open } = measured(await read(w.text()), 0);
    expect(open).toBe(0);
    expect(volume).toBeCloseTo(100 * (10_000 - 900 * AREA), 5);
  });

  test('an opening in a wall that is one: cut by web-ifc', async () => {
    const w = ifcWriter({ unit: 'mm' });
    const b = brepWriter(w);
    plate('two halves', [[0, 0, 30]])(b, w.add);
    const item = w.add(`IFCADVANCEDBREP(${b.shell()})`);
    const placement = w.placement([0, 0, 0]);
    const wall = w.product('IFCWALL', { placement, shape: w.shape([item], 'AdvancedBrep'), more: '$' });
    const opening = w.product('IFCOPENINGELEMENT', {
      placement,
      shape: w.shape([w.box([10, 10, 300], [42, 42, 0])]),
      more: '$',
    });
    w.voids(wall, opening);
    const { volume, open } = measured(await read(w.text()), 0);
    expect(open).toBe(0);
    expect(volume).toBeCloseTo(100 * (10_000 - 100 - 900 * AREA), 2);
  });

  test.each([
    ['an edge off its surface', (source: string) => source.replace(/(IFCCYLINDRICALSURFACE\(#\d+),30\./, '$1,25.')],
    ['a loop', (source: string) => source.replace(/IFCORIENTEDEDGE\(\*,\*,(#\d+),\.T/, 'IFCORIENTEDEDGE(*,*,$1,.F')],
  ])('%s: the element is incomplete', async (why, change) => {
    const file = await read(change(text(plate('two halves', [[0, 0, 30]]))));
    expect(file.warnings.join()).toMatch(/1 incomplete element/);
    expect(file.warnings.join()).toContain(why);
  });

  test.each(Array.from({ length: 12 }, (_, k) => k + 1))(
    'cylinders cut by a slanted plane, in a frame of their own, seed %i',
    { tags: ['all'] },
    async (seed) => {
      const random = seeded(seed);
      const [r, slope] = [random.between(5, 300), random.between(0.1, 1)];
      const h = r * (slope + random.between(0.2, 3));
      const { volume, open, euler } = await solid(
        (b, add) => {
          const rim = b.arc([r, 0, 0], [r, 0, 0], [0, 0, 0], r);
          // The plane z = h + slope x cuts an ellipse.
          const long = Math.sqrt(1 + slope * slope);
          const place = b.frame([0, 0, h], [-slope / long, 0, 1 / long], [1 / long, 0, slope / long]);
          const top: Point = [r, 0, h + slope * r];
          const cut = b.edge(top, top, add(`IFCELLIPSE(${place},${real(r * long)},${real(r)})`));
          const seam = b.line([r, 0, 0], top);
          const wallLoops = seed % 2 === 0 ? [[rim, seam, back(cut), back(seam)]] : [[rim], [back(cut)]];
          b.face(b.cylinder(b.frame([0, 0, 0]), r), wallLoops);
          b.face(b.plane([0, 0, 0], [0, 0, -1]), [[back(rim)]]);
          b.face(b.plane([0, 0, h], [-slope / long, 0, 1 / long]), [[cut]]);
        },
        { placed: tilted(random), chord: '0.05mm' },
      );
      expect([open, euler]).toEqual([0, 2]);
      const exact = Math.PI * r * r * h;
      // Chords take less than the tolerance all round.
      expect(exact - volume).toBeLessThan(0.06 * 2 * Math.PI * r * (h + slope * r));
      expect(volume).toBeLessThan(exact * (1 + 1e-9));
    },
  );
});

/** As `wall`, of a hole, on a lower rim that is there. */
function wallOn(
  b: BrepWriter,
  surface: string,
  low: readonly Walk[],
  { radii, heights, style }: { radii: Point; heights: Point; style: Style },
): Walk[] {
  const at = (k: number, side: number): Point => [side * radii[k], 0, heights[k]];
  const seam = (side: number): Walk => b.line(at(0, side), at(1, side));
  const isTwo = style === 'two halves';
  const high = (isTwo ? [1, -1] : [1]).map((side) =>
    b.arc(at(1, side), at(1, isTwo ? -side : side), [0, 0, heights[1]], radii[1]),
  );
  if (isTwo) {
    for (const [k, side] of [1, -1].entries())
      b.face(surface, [reversed([low[k], seam(-side), back(high[k]), back(seam(side))])]);
  } else if (style === 'two rims') b.face(surface, [reversed(low), high]);
  else b.face(surface, [reversed([low[0], seam(1), back(high[0]), back(seam(1))])]);
  return high;
}

/** A rotation by three turns, and a shift. */
function tilted({ next: random }: Random): Placed {
  let axes: Point[] = UNMOVED.axes.map((axis) => [...axis]);
  for (const k of [0, 1, 2]) {
    const angle = 2 * Math.PI * random();
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const [i, j] = [(k + 1) % 3, (k + 2) % 3];
    axes = axes.map((p) => {
      const q = [...p];
      [q[i], q[j]] = [c * p[i] - s * p[j], s * p[i] + c * p[j]];
      return q;
    });
  }
  return { axes, at: [1000 * random(), 1000 * random(), 1000 * random()] };
}
