/** Writes IfcAdvancedBrep for tests: edges and faces by name, in any pose. */
import { type IfcWriter, real } from './ifc.ts';

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
