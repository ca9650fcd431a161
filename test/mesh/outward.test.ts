/** Triangles turned outward: volumes by the sum of cones, insides as the shapes were made. */
import { describe, expect, test } from 'vitest';
import { build, containsPoint } from '../../src/index.ts';
import { cleanMesh } from '../../src/mesh/clean.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { orientOutward } from '../../src/mesh/outward.ts';
import { seeded } from '../support/random.ts';
import {
  box,
  finnedBox,
  grid,
  icosphere,
  mapped,
  octasphere,
  openCylinder,
  signedVolume,
  tetrahedron,
  together,
  torus,
} from '../support/shapes.ts';
import { analyseTopology } from '../support/topology.ts';

const moved = (mesh: Mesh, x: number, y = 0, z = 0, scale = 1): Mesh =>
  mapped(mesh, (u, v, w) => [scale * u + x, scale * v + y, scale * w + z]);

function turned(mesh: Mesh, which: (t: number) => boolean = () => true): Mesh {
  const triangles = mesh.triangles.slice();
  for (let t = 0; t < triangles.length; t += 3) if (which(t / 3)) triangles.subarray(t, t + 3).reverse();
  return { ...mesh, triangles };
}

/** The volume of each of several meshes in one, as orientOutward leaves them. */
function volumesAfter(meshes: Mesh[]): number[] {
  const { positions, triangles } = together(...meshes);
  orientOutward({ positions, triangles });
  let at = 0;
  return meshes.map((mesh) => {
    const own = triangles.subarray(at, at + mesh.triangles.length);
    at += own.length;
    expect(analyseTopology({ positions, triangles: own }).consistentlyOriented).toBe(true);
    return signedVolume({ positions, triangles: own });
  });
}

test.each([1, 2, 3])('parts that meet at edges, some open, any windings, seed %i', { tags: ['all'] }, (seed) => {
  const random = seeded(seed);
  const closed: [Mesh, number[]][] = [
    [box(), [0, 0, 0]],
    // Shares an edge with the first.
    [moved(box(), 1, 1), [1, 1, 0]],
    [moved(torus(), 4), [5, 0, 0]],
    [moved(icosphere(1), 8), [8, 0, 0]],
    [moved(octasphere(2), 12), [12, 0, 0]],
    [moved(tetrahedron(), 16), [16, 0, 0]],
  ];
  const center = ([{ positions }, p]: [Mesh, number[]]): number[] => {
    const low = [0, 1, 2].map((k) => positions.reduce((m, x, i) => (i % 3 === k ? Math.min(m, x) : m), Infinity));
    const high = [0, 1, 2].map((k) => positions.reduce((m, x, i) => (i % 3 === k ? Math.max(m, x) : m), -Infinity));
    return p[0] === 5 ? p : low.map((x, k) => (x + high[k]) / 2);
  };
  const open = [moved(openCylinder(), 20), moved(grid(4), 24)];
  const fin = moved(finnedBox(), 28);
  const all = together(...closed.map(([mesh]) => mesh), ...open, fin);
  const share = [0.1, 0.5, 0.9][seed % 3];
  const { mesh } = cleanMesh(turned(all, () => random.next() < share));
  let at = 0;
  for (const [{ triangles }] of closed) {
    expect(signedVolume({ ...mesh, triangles: mesh.triangles.subarray(at, at + triangles.length) })).toBeGreaterThan(
      0.1,
    );
    at += triangles.length;
  }
  expect(
    signedVolume({ ...mesh, triangles: mesh.triangles.subarray(-fin.triangles.length).subarray(0, 36) }),
  ).toBeCloseTo(1);
  // An open surface has no inside.
  const closedParts = together(...closed.map(([part]) => part));
  const image = build(
    turned(closedParts, () => random.next() < share),
    { size: 17 },
  );
  for (const part of closed) expect(containsPoint(image, center(part)), String(center(part))).toBe('inside');
  for (const x of [4, 6, 10, 20]) expect(containsPoint(image, [x, 0, 0.01])).toBe('outside');
});

describe('cavities', () => {
  const outer = box(4);
  const inner = moved(icosphere(1), 0, 0, 0, 0.5);
  const center = [0, 1, 2].map(
    (k) =>
      (Math.min(...outer.positions.filter((_, i) => i % 3 === k)) +
        Math.max(...outer.positions.filter((_, i) => i % 3 === k))) /
      2,
  );
  const hollow = moved(inner, center[0], center[1], center[2]);
  const core = moved(inner, center[0], center[1], center[2], 0.5);
  const signs = (...meshes: Mesh[]) => volumesAfter(meshes).map(Math.sign);

  test('a shell turned inward in another stays', () => {
    expect(signs(outer, turned(hollow))).toEqual([1, -1]);
    expect(signs(turned(hollow), outer)).toEqual([-1, 1]);
  });
  test('a source that is inside out as a whole keeps its cavity', () => {
    expect(signs(turned(outer), hollow)).toEqual([1, -1]);
  });
  test('a cavity with a few triangles turned is mended', () => {
    expect(
      signs(
        outer,
        turned(hollow, (t) => t > 2),
      ),
    ).toEqual([1, -1]);
  });
  test('a cavity stays beside any windings of the outer shell', () => {
    expect(
      signs(
        turned(outer, (t) => t % 2 === 0),
        turned(hollow),
      ),
    ).toEqual([1, -1]);
  });
  test('a shell of mixed windings in another is a solid', () => {
    expect(
      signs(
        outer,
        turned(hollow, (t) => t % 2 === 0),
      ),
    ).toEqual([1, 1]);
  });
  test('a solid in a solid, and one in a cavity, stay', () => {
    expect(signs(outer, hollow)).toEqual([1, 1]);
    expect(signs(outer, turned(hollow), core)).toEqual([1, -1, 1]);
    expect(signs(turned(outer), hollow, turned(core))).toEqual([1, -1, 1]);
  });
  test('a shell inside out within a cavity is turned', () => {
    expect(signs(outer, turned(hollow), turned(core))).toEqual([1, -1, 1]);
  });
  test('one beside another is turned, though its box is within', () => {
    const ring = torus(32, 8, 2, 0.3);
    expect(signs(ring, turned(moved(icosphere(1), 0, 0, 0, 0.2)))).toEqual([1, 1]);
    const bead = moved(icosphere(1), 2, 0, 0, 0.1);
    expect(signs(ring, turned(bead))).toEqual([1, -1]);
  });
});

test('pieces turned as a whole are told apart from triangles that disagreed', () => {
  const { positions, triangles } = together(
    turned(box()),
    turned(moved(icosphere(1), 5), (t) => t < 3),
    turned(grid(2)),
  );
  expect(orientOutward({ positions, triangles })).toEqual({ triangles: 3, pieces: 1, inPieces: 12 });
});

test('an open piece turns the smaller part of its area, a flat closed one the fewer triangles', () => {
  // Two small triangles and a large one at a square's corner.
  const positions = Float64Array.of(0, 0, 0, 9, 0, 0, 0, 9, 0, -1, 0, 0, -1, 1, 0);
  const triangles = Uint32Array.of(0, 2, 1, 0, 2, 3, 2, 4, 3);
  orientOutward({ positions, triangles });
  expect([...triangles]).toEqual([0, 2, 1, 0, 3, 2, 2, 3, 4]);
});
