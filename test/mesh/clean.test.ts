import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanMesh, describeLosses, type MeshLosses } from '../../src/mesh/clean.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { long } from '../support/long.ts';
import { box, grid, icosphere, mapped, soup, together, torus } from '../support/shapes.ts';
import { countsSteps, stepsOf } from '../support/steps.ts';
import { analyseTopology } from '../support/topology.ts';

const seed = 20_261_121;

const nothing: MeshLosses = {
  weldedVertices: 0,
  degenerateTriangles: 0,
  duplicateTriangles: 0,
  backFaceTriangles: 0,
  unusedVertices: 0,
  reorientedTriangles: 0,
  invertedPieces: 0,
  invertedTriangles: 0,
  zeroAreaTriangles: 0,
};

function meshOf(positions: number[], triangles: number[]): Mesh {
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

/** Nine coordinates a triangle, in order. */
function coordinates({ positions, triangles }: Surface): number[][] {
  return Array.from({ length: triangles.length / 3 }, (_, t) =>
    [0, 1, 2].flatMap((k) => [...positions.subarray(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3)]),
  );
}

describe('cleanMesh', () => {
  it('gives a clean mesh back as it is', () => {
    for (const mesh of [box(), torus(), grid(3, 5), icosphere(2)]) {
      const { mesh: clean, losses } = cleanMesh(mesh);
      expect(losses).toEqual(nothing);
      expect(clean.positions).toEqual(mesh.positions);
      expect(clean.triangles).toEqual(mesh.triangles);
    }
  });

  it('closes a soup of triangles, in file order', () => {
    const sphere = icosphere(4);
    const { mesh, losses } = cleanMesh(soup(sphere));
    expect(losses).toEqual({ ...nothing, weldedVertices: 3 * 5120 - 2562 });
    expect(analyseTopology(mesh)).toMatchObject({ vertices: 2562, closed: true, genus: 0 });
    expect(coordinates(mesh)).toEqual(coordinates(sphere));
  });

  it('welds 0 with -0, and nothing that is merely close', () => {
    const near = 1 + Number.EPSILON;
    const { mesh, losses } = cleanMesh(meshOf([0, 1, 2, -0, 1, 2, 1, 0, 0, near, 0, 0], [0, 2, 3, 1, 3, 2]));
    expect(losses).toEqual({ ...nothing, weldedVertices: 1, backFaceTriangles: 1 });
    expect([...mesh.positions]).toEqual([0, 1, 2, 1, 0, 0, near, 0, 0]);
  });

  it('keeps one face of each that is listed from both sides', () => {
    const { positions, triangles } = box();
    const backs = triangles.slice().reverse();
    const { mesh, losses } = cleanMesh({
      positions,
      triangles: Uint32Array.of(...triangles, ...backs),
      groups: [],
    });
    expect(losses).toEqual({ ...nothing, backFaceTriangles: 12 });
    expect(mesh.triangles).toEqual(triangles);
    expect(analyseTopology(mesh)).toMatchObject({ triangles: 12, closed: true, genus: 0 });
  });

  it('counts every copy, whichever corner it begins with', () => {
    const { losses } = cleanMesh(
      meshOf([0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5], [0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 2, 1, 2, 1, 0, 1, 1, 2]),
    );
    expect(losses).toEqual({
      ...nothing,
      duplicateTriangles: 2,
      backFaceTriangles: 2,
      degenerateTriangles: 1,
      unusedVertices: 1,
    });
  });

  it('drops vertices that only dropped triangles used', () => {
    const { mesh, losses } = cleanMesh(meshOf([0, 0, 0, 1, 0, 0, 0, 1, 0, 7, 7, 7, 8, 8, 8], [3, 4, 4, 0, 1, 2]));
    expect(losses).toEqual({ ...nothing, degenerateTriangles: 1, unusedVertices: 2 });
    expect([...mesh.triangles]).toEqual([0, 1, 2]);
  });

  it('keeps triangles of exactly zero area, and tells them from thin ones', () => {
    const e = Number.EPSILON;
    const collinear = [0.1, 0.2, 0.3, 0.2, 0.4, 0.6, 0.4, 0.8, 1.2];
    // (1 + e)(1 - e) - 1 rounds to 0, but is -e squared
    const thin = [0, 0, 5, 1 + e, 1, 5, 1, 1 - e, 5];
    const { mesh, losses } = cleanMesh(meshOf([...collinear, ...thin], [0, 1, 2, 3, 4, 5]));
    expect(losses).toEqual({ ...nothing, zeroAreaTriangles: 1 });
    expect(mesh.triangles.length).toBe(6);
  });

  it('turns the fewer triangles of a piece', () => {
    const mesh = together(box(), torus());
    for (const t of [1, 7, 30]) mesh.triangles.subarray(3 * t, 3 * t + 3).reverse();
    const { mesh: clean, losses } = cleanMesh(mesh);
    expect(losses).toEqual({ ...nothing, reorientedTriangles: 3 });
    expect(analyseTopology(clean)).toMatchObject({ components: 2, consistentlyOriented: true });
  });

  it('does not change its input', () => {
    const mesh = soup(box());
    mesh.triangles.subarray(0, 3).reverse();
    const before = [mesh.positions.slice(), mesh.triangles.slice()];
    cleanMesh(mesh);
    expect([mesh.positions, mesh.triangles]).toEqual(before);
  });

  it.skipIf(!countsSteps)('takes a few steps a corner on regular grids, where positions differ in few bits', () => {
    for (const scale of [1, 2 ** -40, 2 ** 60, 0.1]) {
      const mesh = soup(mapped(grid(80), (x, y, z) => [Math.round(80 * x) * scale, Math.round(80 * y) * scale, z]));
      const steps = stepsOf(() => expect(cleanMesh(mesh).mesh.positions.length).toBe(3 * 81 * 81));
      expect(steps).toBeLessThan(64 * mesh.triangles.length);
    }
  });

  it(`agrees with strings and maps on meshes of few positions (seed ${seed})`, { tags: ['quick', 'long'] }, () => {
    fc.assert(
      fc.property(crowdedMeshes(), (mesh) => {
        const { mesh: clean, losses } = cleanMesh(mesh);
        const slow = slowClean(mesh);
        expect(losses).toMatchObject(slow.losses);
        // the orientation may have been changed, so each triangle is compared as a set of three points
        const asSets = coordinates(clean).map((t) => [t.slice(0, 3), t.slice(3, 6), t.slice(6)].map(String).sort());
        expect(asSets).toEqual(slow.triangles);
        expect(losses.weldedVertices + losses.unusedVertices + clean.positions.length / 3).toBe(
          mesh.positions.length / 3,
        );
      }),
      { seed, numRuns: long ? 670 : 300 },
    );
  });

  it(`finds nothing to do the second time (seed ${seed})`, { tags: ['quick', 'long'] }, () => {
    fc.assert(
      fc.property(crowdedMeshes(), (mesh) => {
        const once = cleanMesh(mesh);
        const twice = cleanMesh({ ...once.mesh, groups: [] });
        expect(twice.mesh).toEqual(once.mesh);
        expect(twice.losses).toEqual({ ...nothing, zeroAreaTriangles: once.losses.zeroAreaTriangles });
      }),
      { seed, numRuns: long ? 400 : 200 },
    );
  });
});

describe('describeLosses', () => {
  it.each<[string | null, Partial<MeshLosses>]>([
    [null, {}],
    ['welded 1 vertex', { weldedVertices: 1 }],
    ['dropped 1 duplicate triangle', { duplicateTriangles: 1 }],
    ['dropped 2 unused vertices', { unusedVertices: 2 }],
    [
      'welded 12 vertices, dropped 3 degenerate and 1 duplicate triangles, 2 unused vertices',
      { weldedVertices: 12, degenerateTriangles: 3, duplicateTriangles: 1, unusedVertices: 2 },
    ],
    [
      'dropped 1 degenerate, 2 duplicate and 3 back-face triangles, ' +
        'turned 1 triangle to agree with the others, kept 4 triangles of zero area',
      {
        degenerateTriangles: 1,
        duplicateTriangles: 2,
        backFaceTriangles: 3,
        reorientedTriangles: 1,
        zeroAreaTriangles: 4,
      },
    ],
    ['turned 1 piece of 12 triangles that was inside out', { invertedPieces: 1, invertedTriangles: 12 }],
    [
      'turned 3 triangles to agree with the others, turned 2 pieces of 24 triangles that were inside out',
      { reorientedTriangles: 3, invertedPieces: 2, invertedTriangles: 24 },
    ],
  ])('%s', (line, losses) => {
    expect(describeLosses({ ...nothing, ...losses })).toBe(line);
  });
});

/** Up to 12 vertices on the corners of a cube of edge 1, so that many coincide, with zeros of both signs. */
function crowdedMeshes(): fc.Arbitrary<Mesh> {
  const coordinate = fc.constantFrom(0, -0, 1);
  return fc
    .tuple(fc.array(coordinate, { minLength: 36, maxLength: 36 }), fc.array(fc.nat(11), { maxLength: 60 }))
    .map(([positions, corners]) => meshOf(positions, corners.slice(0, corners.length - (corners.length % 3))));
}

function slowClean({ positions, triangles }: Mesh) {
  const at = (v: number) => [...positions.subarray(3 * v, 3 * v + 3)].map((x) => x + 0).join();
  const used = [...new Set(triangles)];
  const kept = new Map<string, string[]>();
  const losses = {
    weldedVertices: used.length - new Set(used.map(at)).size,
    degenerateTriangles: 0,
    duplicateTriangles: 0,
    backFaceTriangles: 0,
  };
  for (let c = 0; c < triangles.length; c += 3) {
    const corners = [...triangles.subarray(c, c + 3)].map(at);
    const key = [...corners].sort().join(' ');
    const earlier = kept.get(key);
    if (new Set(corners).size < 3) losses.degenerateTriangles++;
    else if (earlier === undefined) kept.set(key, corners);
    else if (`${earlier} ${earlier}`.replaceAll(' ', ',').includes(`${corners}`)) losses.duplicateTriangles++;
    else losses.backFaceTriangles++;
  }
  return { losses, triangles: [...kept.keys()].map((key) => key.split(' ')) };
}
