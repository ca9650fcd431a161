/** Small meshes for tests, by formula: surfaces of every kind, and things that are no surface. */

import { Random } from '../../src/math/numbers.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { seeded } from './random.ts';

export type Point = [number, number, number];

/** Faces of any number of corners, as fans. */
function meshOf(points: Point[], faces: number[][]): Mesh {
  const triangles = faces.flatMap((face) => face.slice(2).flatMap((_, k) => [face[0], face[k + 1], face[k + 2]]));
  return { positions: Float64Array.from(points.flat()), triangles: Uint32Array.from(triangles), groups: [] };
}

/** Edges w, h, d along x, y, z; centred; 8 vertices, 12 triangles. */
export function box(w = 1, h = w, d = w): Mesh {
  const points = Array.from({ length: 8 }, (_, i): Point => {
    return [((i & 1) - 0.5) * w, (((i >> 1) & 1) - 0.5) * h, ((i >> 2) - 0.5) * d];
  });
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  return meshOf(points, faces);
}

/** On four corners of the cube from -1 to 1; 4 vertices, 4 triangles. */
export function tetrahedron(): Mesh {
  const points: Point[] = [
    [1, 1, 1],
    [1, -1, -1],
    [-1, 1, -1],
    [-1, -1, 1],
  ];
  const faces = [
    [0, 1, 2],
    [0, 3, 1],
    [0, 2, 3],
    [1, 3, 2],
  ];
  return meshOf(points, faces);
}

/** A ball, some of whose corners are thorns, which a coarse image hardly has. */
export function thornyBall(seed: number): Mesh {
  const random = seeded(seed);
  return mapped(octasphere(3), (x, y, z) => {
    const s = random.below(16) === 0 ? 1.3 : 1;
    return [s * x, s * y, s * z];
  });
}

/** The unit sphere, 8 * 4^levels triangles. */
export function octasphere(levels: number): Mesh {
  const points: Point[] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [-1, 0, 0],
    [0, -1, 0],
    [0, 0, -1],
  ];
  const faces = [
    [0, 1, 2],
    [1, 3, 2],
    [3, 4, 2],
    [4, 0, 2],
    [1, 0, 5],
    [3, 1, 5],
    [4, 3, 5],
    [0, 4, 5],
  ];
  return sphereFrom(points, faces, levels);
}

/** The unit sphere, 20 * 4^levels triangles of nearly one size. */
export function icosphere(levels: number): Mesh {
  const g = (1 + Math.sqrt(5)) / 2;
  const points: Point[] = [
    [-1, g, 0],
    [1, g, 0],
    [-1, -g, 0],
    [1, -g, 0],
    [0, -1, g],
    [0, 1, g],
    [0, -1, -g],
    [0, 1, -g],
    [g, 0, -1],
    [g, 0, 1],
    [-g, 0, -1],
    [-g, 0, 1],
  ];
  // a face is three vertices at the icosahedron's edge length, turned to face away from the origin
  const near = (p: Point, q: Point) =>
    Math.abs((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2 - 4) < 1e-9;
  const faces: number[][] = [];
  for (let i = 0; i < 12; i++)
    for (let j = i + 1; j < 12; j++)
      for (let k = j + 1; k < 12; k++) {
        const [a, b, c] = [points[i], points[j], points[k]];
        if (near(a, b) && near(b, c) && near(c, a)) faces.push(determinant(a, b, c) > 0 ? [i, j, k] : [i, k, j]);
      }
  return sphereFrom(points, faces, levels);
}

function determinant(a: Point, b: Point, c: Point): number {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

function sphereFrom(corners: Point[], faces: number[][], levels: number): Mesh {
  const unit = (p: Point): Point => p.map((x) => x / Math.hypot(...p)) as Point;
  const points = corners.map(unit);
  for (let level = 0; level < levels; level++) {
    const middles = new Map<string, number>();
    const middle = (i: number, j: number) => {
      const key = i < j ? `${i} ${j}` : `${j} ${i}`;
      if (!middles.has(key)) {
        middles.set(key, points.length);
        points.push(unit(points[i].map((x, axis) => x + points[j][axis]) as Point));
      }
      return middles.get(key)!;
    };
    faces = faces.flatMap(([i, j, k]) => {
      const [ij, jk, ki] = [middle(i, j), middle(j, k), middle(k, i)];
      return [
        [i, ij, ki],
        [j, jk, ij],
        [k, ki, jk],
        [ij, jk, ki],
      ];
    });
  }
  return meshOf(points, faces);
}

/** A sphere with soft random bumps, radius from about 0.6 to 1.4: closed, genus 0, no self-intersections. */
export function bumpySphere(seed: number, levels = 4): Mesh {
  const random = new Random(seed);
  const waves = Array.from({ length: 6 }, () => ({
    direction: Array.from({ length: 3 }, () => 8 * random.unit() - 4),
    phase: 2 * Math.PI * random.unit(),
  }));
  return mapped(icosphere(levels), (x, y, z) => {
    let radius = 1;
    for (const { direction, phase } of waves)
      radius += 0.07 * Math.sin(direction[0] * x + direction[1] * y + direction[2] * z + phase);
    return [radius * x, radius * y, radius * z];
  });
}

/** Round the z axis, n segments the long way round and m the short one; 2nm triangles. */
export function torus(n = 16, m = 8, bigRadius = 1, smallRadius = 0.4): Mesh {
  const points: Point[] = [];
  for (let i = 0; i < n; i++)
    for (let j = 0; j < m; j++) {
      const u = (2 * Math.PI * i) / n;
      const v = (2 * Math.PI * j) / m;
      const r = bigRadius + smallRadius * Math.cos(v);
      points.push([r * Math.cos(u), r * Math.sin(u), smallRadius * Math.sin(v)]);
    }
  return meshOf(
    points,
    quads(n, m, (i, j) => (i % n) * m + (j % m)),
  );
}

/** The unit square in the xy plane, n by m quads, facing +z. */
export function grid(n: number, m = n): Mesh {
  const points: Point[] = [];
  for (let i = 0; i <= n; i++) for (let j = 0; j <= m; j++) points.push([i / n, j / m, 0]);
  return meshOf(
    points,
    quads(n, m, (i, j) => i * (m + 1) + j),
  );
}

/** A tube round the z axis without its two ends. */
export function openCylinder(n = 12, rings = 3): Mesh {
  const points: Point[] = [];
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= rings; j++) {
      const u = (2 * Math.PI * i) / n;
      points.push([Math.cos(u), Math.sin(u), j / rings]);
    }
  return meshOf(
    points,
    quads(n, rings, (i, j) => (i % n) * (rings + 1) + j),
  );
}

/** A band of n quads with half a twist: one rim, one side. */
export function moebiusStrip(n = 12): Mesh {
  const points: Point[] = [];
  for (let i = 0; i < n; i++)
    for (const side of [-0.3, 0.3]) {
      const u = (2 * Math.PI * i) / n;
      const r = 1 + side * Math.cos(u / 2);
      points.push([r * Math.cos(u), r * Math.sin(u), side * Math.sin(u / 2)]);
    }
  return meshOf(
    points,
    quads(n, 1, (i, j) => (i < n ? 2 * i + j : 1 - j)),
  );
}

function quads(n: number, m: number, vertex: (i: number, j: number) => number): number[][] {
  const faces: number[][] = [];
  for (let i = 0; i < n; i++)
    for (let j = 0; j < m; j++) faces.push([vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)]);
  return faces;
}

/** Two unit cubes apart. */
export function twoBoxes(): Mesh {
  return together(
    box(),
    mapped(box(), (x, y, z) => [x + 2, y, z]),
  );
}

/** Two tetrahedra that share one vertex, as one index: a non-manifold vertex. */
export function bowTie(): Mesh {
  const { positions, triangles } = tetrahedron();
  const mirrored = Float64Array.from(positions.subarray(3), (x) => 2 - x);
  const second = triangles.map((v) => (v === 0 ? 0 : v + 3));
  for (let c = 0; c < second.length; c += 3) [second[c], second[c + 1]] = [second[c + 1], second[c]];
  return {
    positions: Float64Array.of(...positions, ...mirrored),
    triangles: Uint32Array.of(...triangles, ...second),
    groups: [],
  };
}

/** A plate of `side` by `side` unit squares, `height` high; a hole of 4 * parts sides in each. */
export function drilledPlate(side: number, height: number, parts: number): Mesh {
  const points: number[] = [];
  const known = new Map<string, number>();
  const point = (x: number, y: number, z: number): number => {
    const [u, v] = [x, y].map((c) => Math.round(c * 2 ** 30) / 2 ** 30);
    const key = [u, v, z].join();
    const number = known.get(key) ?? points.push(u, v, z) / 3 - 1;
    known.set(key, number);
    return number;
  };
  const triangles: number[] = [];
  const quad = (a: number, b: number, c: number, d: number) => triangles.push(a, b, c, a, c, d);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const rim = (i: number, z: number): number => {
        const [k, along] = [Math.floor(i / parts) % 4, (i % parts) / parts];
        const [x, y] = [
          [along, 0],
          [1, along],
          [1 - along, 1],
          [0, 1 - along],
        ][k];
        return point(column + x, row + y, z);
      };
      const hole = (i: number, z: number): number => {
        const angle = (Math.PI * ((i % (4 * parts)) / parts - 1.5)) / 2;
        return point(column + 0.5 + 0.3 * Math.cos(angle), row + 0.5 + 0.3 * Math.sin(angle), z);
      };
      for (let i = 0; i < 4 * parts; i++) {
        quad(rim(i, height), rim(i + 1, height), hole(i + 1, height), hole(i, height));
        quad(hole(i, 0), hole(i + 1, 0), rim(i + 1, 0), rim(i, 0));
        quad(hole(i, height), hole(i + 1, height), hole(i + 1, 0), hole(i, 0));
        const k = Math.floor(i / parts);
        const isOuter = [row === 0, column === side - 1, row === side - 1, column === 0][k];
        if (isOuter) quad(rim(i, 0), rim(i + 1, 0), rim(i + 1, height), rim(i, height));
      }
    }
  }
  return { positions: Float64Array.from(points), triangles: Uint32Array.from(triangles), groups: [] };
}

/** A cube with `count` triangles standing on one of its edges: a non-manifold edge. */
export function finnedBox(count = 1): Mesh {
  const { positions, triangles } = box();
  const tips: number[] = [];
  const fins: number[] = [];
  for (let fin = 0; fin < count; fin++) {
    tips.push(0.5 + fin, -1, -1);
    fins.push(0, 1, 8 + fin);
  }
  return {
    positions: Float64Array.of(...positions, ...tips),
    triangles: Uint32Array.of(...triangles, ...fins),
    groups: [],
  };
}

/** Meshes side by side in one, their vertices apart. */
export function together(...meshes: Surface[]): Mesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const mesh of meshes) {
    const before = positions.length / 3;
    for (const v of mesh.triangles) triangles.push(v + before);
    for (const x of mesh.positions) positions.push(x);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

/** Every triangle with three vertices of its own. */
export function soup({ positions, triangles }: Surface): Mesh {
  const own = new Float64Array(3 * triangles.length);
  triangles.forEach((v, c) => {
    own.set(positions.subarray(3 * v, 3 * v + 3), 3 * c);
  });
  return { positions: own, triangles: triangles.map((_, c) => c), groups: [] };
}

/** A copy with every vertex moved. */
export function mapped({ positions, triangles }: Surface, move: (x: number, y: number, z: number) => Point): Mesh {
  const moved = new Float64Array(positions.length);
  for (let v = 0; v < positions.length; v += 3) moved.set(move(positions[v], positions[v + 1], positions[v + 2]), v);
  return { positions: moved, triangles: triangles.slice(), groups: [] };
}

/** The enclosed volume, positive where the triangles face outward. */
export function signedVolume({ positions, triangles }: Surface): number {
  const point = (v: number) => [...positions.subarray(3 * v, 3 * v + 3)] as Point;
  let volume = 0;
  for (let c = 0; c < triangles.length; c += 3)
    volume += determinant(point(triangles[c]), point(triangles[c + 1]), point(triangles[c + 2]));
  return volume / 6;
}

/** The boundary of unit cubes at whole-number places: a manifold where no two touch along an edge or at a corner alone. */
export function cubesSurface(cells: Point[]): Mesh {
  const filled = new Set(cells.map(String));
  const points: Point[] = [];
  const number = new Map<string, number>();
  const vertex = (p: Point): number => {
    if (!number.has(String(p))) number.set(String(p), points.push(p) - 1);
    return number.get(String(p))!;
  };
  const faces: number[][] = [];
  for (const cell of cells) {
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [0, 1]) {
        const beyond = cell.map((x, k) => x + (k === axis ? 2 * side - 1 : 0));
        if (filled.has(String(beyond))) continue;
        const [u, v] = side === 1 ? [(axis + 1) % 3, (axis + 2) % 3] : [(axis + 2) % 3, (axis + 1) % 3];
        const corner = (du: number, dv: number): number =>
          vertex(cell.map((x, k) => x + (k === axis ? side : 0) + (k === u ? du : 0) + (k === v ? dv : 0)) as Point);
        faces.push([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]);
      }
    }
  }
  return meshOf(points, faces);
}

/** A plate of 5 x 3 cubes with two holes: closed, genus 2. */
export function doubleTorus(): Mesh {
  const cells: Point[] = [];
  for (let x = 0; x < 5; x++) for (let y = 0; y < 3; y++) if (y !== 1 || x % 2 === 0) cells.push([x, y, 0]);
  return cubesSurface(cells);
}

/** Closed with one side: a figure of eight carried round the z axis with half a twist, passing through itself. */
export function kleinBottle(n = 16, m = 10): Mesh {
  const points: Point[] = [];
  for (let i = 0; i < n; i++)
    for (let j = 0; j < m; j++) {
      const [u, v] = [(2 * Math.PI * i) / n, (2 * Math.PI * (j + 0.5)) / m];
      const [x, y] = [0.5 * Math.sin(v), 0.25 * Math.sin(2 * v)];
      const r = 1.2 + Math.cos(u / 2) * x - Math.sin(u / 2) * y;
      points.push([r * Math.cos(u), r * Math.sin(u), Math.sin(u / 2) * x + Math.cos(u / 2) * y]);
    }
  // Half a turn of the eight takes v to -v: the ends meet there.
  return meshOf(
    points,
    quads(n, m, (i, j) => (i < n ? i * m + (j % m) : (2 * m - 1 - j) % m)),
  );
}

/** `count` unit squares that share one edge on the z axis, two triangles each. */
export function sheets(count = 3): Mesh {
  const points: Point[] = [
    [0, 0, 0],
    [0, 0, 1],
  ];
  const faces: number[][] = [];
  for (let sheet = 0; sheet < count; sheet++) {
    const angle = (2 * Math.PI * sheet) / count;
    for (const z of [0, 1]) points.push([Math.cos(angle), Math.sin(angle), z]);
    faces.push([0, 2 + 2 * sheet, 3 + 2 * sheet, 1]);
  }
  return meshOf(points, faces);
}

/** A copy without some triangles. */
export function without(mesh: Surface, removed: (triangle: number) => boolean): Mesh {
  const triangles = mesh.triangles.filter((_, c) => !removed(Math.floor(c / 3)));
  return { positions: mesh.positions.slice(), triangles, groups: [] };
}

/** The unit sphere with five holes of six triangles each, round five of its first twelve vertices. */
export function piercedSphere(): Mesh {
  const sphere = icosphere(2);
  const pierced = new Set([0, 3, 4, 7, 9]);
  return without(sphere, (t) => [0, 1, 2].some((k) => pierced.has(sphere.triangles[3 * t + k])));
}

/** Triangles in the cube from -1 to 1 on vertices of their own, or with `vertices` on so many that they share: a tangle. */
export function randomTriangles(seed: number, count: number, vertices?: number): Mesh {
  const random = new Random(seed);
  const points = Array.from({ length: vertices ?? 3 * count }, (): Point => {
    return [2 * random.unit() - 1, 2 * random.unit() - 1, 2 * random.unit() - 1];
  });
  const faces = Array.from({ length: count }, (_, t) => {
    if (vertices === undefined) return [3 * t, 3 * t + 1, 3 * t + 2];
    const first = Math.floor(vertices * random.unit());
    const second = (first + 1 + Math.floor((vertices - 1) * random.unit())) % vertices;
    let third = second;
    while (third === first || third === second) third = Math.floor(vertices * random.unit());
    return [first, second, third];
  });
  return meshOf(points, faces);
}

/** Triangles of no area on one line, of distinct corners. */
export function collinearTriangles(): Mesh {
  const points: Point[] = [0, 1, 2, 5, 3].map((s) => [s, 2 * s, -s]);
  return meshOf(points, [
    [0, 1, 2],
    [2, 3, 4],
  ]);
}

/** A mesh with its first triangle once more, its second turned round, its third on vertices of its own, and two that have fewer than three corners. */
export function repeated({ positions, triangles }: Surface): Mesh {
  const [a, b, c, d, e, f, g, h, i] = triangles;
  const own = positions.length / 3;
  const copies = [g, h, i].flatMap((v) => [...positions.subarray(3 * v, 3 * v + 3)]);
  return {
    positions: Float64Array.of(...positions, ...copies),
    triangles: Uint32Array.of(...triangles, a, b, c, d, f, e, own, own + 1, own + 2, a, b, a, c, c, c),
    groups: [],
  };
}

/** A closed tube of length 200 and radius 0.02 or less, bent back to itself: genus 1. */
export function longLoop(): Mesh {
  return mapped(torus(24, 5, 1, 0.02), (x, y, z) => [100 * x, y, z]);
}

/** The text of an OBJ object, a cube from (x, 0, 0), whose vertices come after so many others. */
export const boxText = (name: string, x: number, vertex = 0, size = 1) =>
  [
    `o ${name}`,
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `v ${x + size * (i & 1)} ${size * ((i >> 1) & 1)} ${size * (i >> 2)}`),
    ...['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'].map(
      (face) =>
        `f ${face
          .split(' ')
          .map((v) => Number(v) + vertex)
          .join(' ')}`,
    ),
    '',
  ].join('\n');
