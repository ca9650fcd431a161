/** Writes IfcAdvancedBrep for tests: edges and faces by name, in any pose. */
import { type IfcWriter, ifcWriter, real } from './ifc.ts';

export type Point = readonly number[];

const list = (items: readonly string[]): string => `(${items.join()})`;
const sum = (all: readonly (readonly [number, Point])[]): number[] =>
  [0, 1, 2].map((k) => all.reduce((total, [s, p]) => total + s * p[k], 0));

/** A rigid motion: the images of the axes, and a shift. */
export interface Placed {
  axes: readonly Point[];
  at: Point;
}

export const UNMOVED: Placed = {
  axes: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  at: [0, 0, 0],
};

/** An edge in one of its directions. */
export interface Walk {
  edge: string;
  isForward: boolean;
}

export const back = ({ edge, isForward }: Walk): Walk => ({ edge, isForward: !isForward });

export function brepWriter(w: IfcWriter, { axes, at }: Placed = UNMOVED) {
  const turn = ([x, y, z]: Point): number[] =>
    sum([
      [x, axes[0]],
      [y, axes[1]],
      [z, axes[2]],
    ]);
  const move = (p: Point): number[] =>
    sum([
      [1, turn(p)],
      [1, at],
    ]);
  const point = (p: Point): string => w.point(move(p));
  const direction = (d: Point): string => w.add(`IFCDIRECTION(${list(turn(d).map(real))})`);
  const vertices = new Map<string, string>();
  const faces: string[] = [];
  const vertex = (p: Point): string => {
    const key = p.join();
    if (!vertices.has(key)) vertices.set(key, w.add(`IFCVERTEXPOINT(${point(p)})`));
    return vertices.get(key)!;
  };
  const lines = new Map<string, Walk>();
  const edge = (a: Point, b: Point, curve: string, sense = 'T'): Walk => ({
    edge: w.add(`IFCEDGECURVE(${vertex(a)},${vertex(b)},${curve},.${sense}.)`),
    isForward: true,
  });
  const frame = (origin: Point, z: Point = [0, 0, 1], x: Point = [1, 0, 0]): string =>
    w.add(`IFCAXIS2PLACEMENT3D(${point(origin)},${direction(z)},${direction(x)})`);
  const profile = (curve: string): string => w.add(`IFCARBITRARYOPENPROFILEDEF(.CURVE.,$,${curve})`);
  const loopOf = (walks: readonly Walk[]): string =>
    w.add(
      `IFCEDGELOOP(${list(walks.map((walk) => w.add(`IFCORIENTEDEDGE(*,*,${walk.edge},.${walk.isForward ? 'T' : 'F'}.)`)))})`,
    );
  return {
    point,
    direction,
    frame,
    edge,
    /** Each line once, whichever way it is asked for. */
    line(a: Point, b: Point): Walk {
      const key = `${b.join()} ${a.join()}`;
      if (lines.has(key)) return back(lines.get(key)!);
      const found = lines.get(`${a.join()} ${b.join()}`);
      if (found) return found;
      const vector = w.add(
        `IFCVECTOR(${direction(
          sum([
            [1, b],
            [-1, a],
          ]),
        )},1.)`,
      );
      const made = edge(a, b, w.add(`IFCLINE(${point(a)},${vector})`));
      lines.set(`${a.join()} ${b.join()}`, made);
      return made;
    },
    /** From a to b, counter-clockwise about z. */
    arc: (a: Point, b: Point, center: Point, radius: number, z: Point = [0, 0, 1], x: Point = [1, 0, 0]): Walk =>
      edge(a, b, w.add(`IFCCIRCLE(${frame(center, z, x)},${real(radius)})`)),
    plane: (origin: Point, z: Point): string =>
      w.add(`IFCPLANE(${frame(origin, z, Math.abs(z[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0])})`),
    cylinder: (place: string, r: number): string => w.add(`IFCCYLINDRICALSURFACE(${place},${real(r)})`),
    sphere: (place: string, r: number): string => w.add(`IFCSPHERICALSURFACE(${place},${real(r)})`),
    torus: (place: string, r: number, s: number): string => w.add(`IFCTOROIDALSURFACE(${place},${real(r)},${real(s)})`),
    /** A curve in the frame's x and z turned about z. */
    revolved(place: string, curve: string): string {
      // The profile is in x and y of the surface, whose axis is y.
      const axis = w.add(`IFCAXIS1PLACEMENT(${w.point([0, 0, 0])},${w.add('IFCDIRECTION((0.,1.,0.))')})`);
      return w.add(`IFCSURFACEOFREVOLUTION(${profile(curve)},${place},${axis})`);
    },
    swept: (place: string, curve: string, d: Point): string =>
      w.add(
        `IFCSURFACEOFLINEAREXTRUSION(${profile(curve)},${place},${w.add(`IFCDIRECTION(${list(d.map(real))})`)},1.)`,
      ),
    face(
      surface: string,
      loops: readonly (readonly Walk[])[],
      { sense = true, apex = null as Point | null } = {},
    ): void {
      const bounds = loops.map((walks, k) => w.add(`IFCFACE${k === 0 ? 'OUTER' : ''}BOUND(${loopOf(walks)},.T.)`));
      if (apex) bounds.push(w.add(`IFCFACEBOUND(${w.add(`IFCVERTEXLOOP(${vertex(apex)})`)},.T.)`));
      faces.push(w.add(`IFCADVANCEDFACE(${list(bounds)},${surface},.${sense ? 'T' : 'F'}.)`));
    },
    /** All faces since the last one. */
    shell: (): string => w.add(`IFCCLOSEDSHELL(${list(faces.splice(0))})`),
  };
}

export type BrepWriter = ReturnType<typeof brepWriter>;

export type Build = (b: BrepWriter, add: (record: string) => string) => void;

export const numbers = (p: Point): string => `(${p.map(real).join()})`;

/** A line in the plane of a profile. */
export const flatLine = (add: (record: string) => string, at: Point, way: Point): string => {
  const list = (p: Point): string => `(${p.map(real).join()})`;
  const vector = add(`IFCVECTOR(${add(`IFCDIRECTION(${list(way)})`)},1.)`);
  return add(`IFCLINE(${add(`IFCCARTESIANPOINT(${list(at)})`)},${vector})`);
};

/** A square plate of side 2 a between two heights, without its large faces. */
export function sides(b: BrepWriter, a: number, low: number, high: number): { bottom: Walk[]; top: Walk[] } {
  const ring = (z: number): Point[] => [
    [-a, -a, z],
    [a, -a, z],
    [a, a, z],
    [-a, a, z],
  ];
  const [p, q] = [ring(low), ring(high)];
  const normals = [
    [0, -1, 0],
    [1, 0, 0],
    [0, 1, 0],
    [-1, 0, 0],
  ];
  p.forEach((from, k) => {
    const to = p[(k + 1) % 4];
    const next = q[(k + 1) % 4];
    b.face(b.plane(from, normals[k]), [[b.line(from, to), b.line(to, next), b.line(next, q[k]), b.line(q[k], from)]]);
  });
  const loop = (all: Point[]): Walk[] => all.map((from, k) => b.line(from, all[(k + 1) % 4]));
  return { bottom: loop([p[0], p[3], p[2], p[1]]), top: loop(q) };
}

export type Style = 'two halves' | 'a seam' | 'two rims';
export const STYLES: readonly Style[] = ['two halves', 'a seam', 'two rims'];

/** A wall between two circles about z, facing outward; both circles counter-clockwise. */
export function wall(
  b: BrepWriter,
  surface: string,
  {
    center = [0, 0],
    radii,
    heights,
    style,
    isHole = false,
  }: { center?: Point; radii: Point; heights: Point; style: Style; isHole?: boolean },
): [low: Walk[], high: Walk[]] {
  const [x, y] = center;
  const at = (k: number, side: number): Point => [x + side * radii[k], y, heights[k]];
  const half = (k: number, side: number): Walk => b.arc(at(k, side), at(k, -side), [x, y, heights[k]], radii[k]);
  const full = (k: number): Walk => b.arc(at(k, 1), at(k, 1), [x, y, heights[k]], radii[k]);
  const face = (loops: Walk[][]): void =>
    b.face(surface, isHole ? loops.map((walks) => walks.map(back).reverse()) : loops, { sense: !isHole });
  if (style === 'two halves') {
    const rims = [0, 1].map((k) => [half(k, 1), half(k, -1)]);
    [1, -1].forEach((side, k) => {
      const [up, down] = [b.line(at(0, -side), at(1, -side)), b.line(at(1, side), at(0, side))];
      face([[rims[0][k], up, back(rims[1][k]), down]]);
    });
    return [rims[0], rims[1]];
  }
  const [low, high] = [full(0), full(1)];
  if (style === 'two rims') face([[low], [back(high)]]);
  else {
    const seam = b.line(at(0, 1), at(1, 1));
    face([[low, seam, back(high), back(seam)]]);
  }
  return [[low], [high]];
}

export const reversed = (walks: readonly Walk[]): Walk[] => walks.map(back).reverse();

export const plate =
  (style: Style, holes: readonly (readonly number[])[]): Build =>
  (b) => {
    const { bottom, top } = sides(b, 50, 0, 100);
    const rims = holes.map(([x, y, r]) =>
      wall(b, b.cylinder(b.frame([x, y, 0]), r), {
        center: [x, y],
        radii: [r, r],
        heights: [0, 100],
        style,
        isHole: true,
      }),
    );
    b.face(b.plane([0, 0, 0], [0, 0, -1]), [bottom, ...rims.map(([low]) => low)]);
    b.face(b.plane([0, 0, 100], [0, 0, 1]), [top, ...rims.map(([, high]) => reversed(high))]);
  };

/** A block whose top is a Bezier patch over a grid of heights, 3 by 3. */
export const hill =
  (heights: readonly number[], weights?: readonly number[]): Build =>
  (b, add) => {
    const at = (i: number, j: number): Point => [50 * i, 50 * j, heights[3 * i + j]];
    const ends = '(3,3),(3,3),(0.,1.),(0.,1.)';
    const grid = [0, 1, 2].map((i) => `(${[0, 1, 2].map((j) => b.point(at(i, j))).join()})`);
    const rows = [0, 3, 6].map((k) => weights && numbers(weights.slice(k, k + 3)));
    const kind = weights ? 'IFCRATIONALBSPLINESURFACEWITHKNOTS' : 'IFCBSPLINESURFACEWITHKNOTS';
    const surface = add(
      `${kind}(2,2,(${grid.join()}),.UNSPECIFIED.,.F.,.F.,.F.,${ends},.UNSPECIFIED.${weights ? `,(${rows.join()})` : ''})`,
    );
    const corners: [number, number][] = [
      [0, 0],
      [2, 0],
      [2, 2],
      [0, 2],
    ];
    const tops = corners.map(([i, j], k) => {
      const [m, n] = corners[(k + 1) % 4];
      const middle = [(i + m) / 2, (j + n) / 2] as const;
      const all = [at(i, j), at(...middle), at(m, n)];
      const w = weights && [3 * i + j, 3 * middle[0] + middle[1], 3 * m + n].map((c) => weights[c]);
      const curve = add(
        `${w ? 'IFCRATIONALBSPLINECURVEWITHKNOTS' : 'IFCBSPLINECURVEWITHKNOTS'}(2,(${all.map((p) => b.point(p)).join()}),.UNSPECIFIED.,.F.,.F.,(3,3),(0.,1.),.UNSPECIFIED.${w ? `,${numbers(w)}` : ''})`,
      );
      return b.edge(all[0], all[2], curve);
    });
    const foot = corners.map(([i, j]): Point => [50 * i, 50 * j, 0]);
    tops.forEach((top, k) => {
      const [[i, j], [m, n]] = [corners[k], corners[(k + 1) % 4]];
      const [p, q] = [foot[k], foot[(k + 1) % 4]];
      const normal = [0, 1].map((c) => (c === 0 ? q[1] - p[1] : p[0] - q[0]) / 100);
      b.face(b.plane(p, [...normal, 0]), [[b.line(p, q), b.line(q, at(m, n)), back(top), b.line(at(i, j), p)]]);
    });
    b.face(b.plane([0, 0, 0], [0, 0, -1]), [
      foot
        .map((p, k) => b.line(p, foot[(k + 1) % 4]))
        .map(back)
        .reverse(),
    ]);
    b.face(surface, [tops]);
  };

/** A file of solids with faces on surfaces of all kinds. */
export function ifcBrepZoo(): string {
  const w = ifcWriter({ unit: 'mm' });
  const show = (build: Build): void => {
    const b = brepWriter(w);
    build(b, w.add);
    const shape = w.shape([w.add(`IFCADVANCEDBREP(${b.shell()})`)], 'AdvancedBrep');
    w.product('IFCMEMBER', { placement: w.placement([0, 0, 0]), shape, more: '$' });
  };
  show(plate('two rims', [[0, 0, 30]]));
  show(plate('a seam', [[20, 0, 10]]));
  show((b) => b.face(b.sphere(b.frame([0, 0, 0]), 40), []));
  show((b) => b.face(b.torus(b.frame([0, 0, 0]), 100, 30), []));
  show(hill([30, 60, 20, 80, 150, 40, 50, 10, 90], [1, 1, 2, 1, 1, 1, 0.5, 1, 1]));
  show((b, add) => {
    const rim = b.arc([20, 0, 0], [20, 0, 0], [0, 0, 0], 20);
    const cone = b.revolved(b.frame([0, 0, 0], [0, -1, 0], [1, 0, 0]), flatLine(add, [20, 0], [-2, 3]));
    b.face(b.plane([0, 0, 0], [0, 0, -1]), [[back(rim)]]);
    b.face(cone, [[rim]], { apex: [0, 0, 30], sense: false });
  });
  return w.text();
}
