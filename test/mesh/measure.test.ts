/** Area and closedness of surfaces: known shapes, holes, corners that are stored many times. */
import { describe, expect, test } from 'vitest';
import { measureSurface } from '../../src/mesh/measure.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, icosphere, soup, torus } from '../support/shapes.ts';

/** Edges, by the text of their ends, with an odd number of triangles. */
function openEdgesByText({ positions, triangles }: Surface): number {
  const at = (c: number): string => positions.subarray(3 * triangles[c], 3 * triangles[c] + 3).join(' ');
  const odd = new Set<string>();
  for (let c = 0; c < triangles.length; c++) {
    const [p, q] = [at(c), at(c % 3 === 2 ? c - 2 : c + 1)].sort();
    if (p === q) continue;
    const key = `${p} - ${q}`;
    if (!odd.delete(key)) odd.add(key);
  }
  return odd.size;
}

describe.each([
  ['box', box()],
  ['ball', icosphere(2)],
  ['bumpy ball', bumpySphere(1, 2)],
  ['torus', torus(10, 6)],
])('%s', (_, mesh) => {
  test('is closed, by indices and as a soup', () => {
    for (const surface of [mesh, soup(mesh)]) expect(measureSurface(surface).openEdges).toBe(0);
    expect(measureSurface(soup(mesh)).area).toBe(measureSurface(mesh).area);
  });

  test('with triangles taken out is open as counting has it, seed 4', () => {
    const random = seeded(4);
    for (const keep of [0.9, 0.5, 0.1]) {
      const triangles = mesh.triangles.slice();
      let end = 0;
      for (let t = 0; t < triangles.length; t += 3) {
        if (random.next() > keep) continue;
        triangles.set(mesh.triangles.subarray(t, t + 3), end);
        end += 3;
      }
      const part = { positions: mesh.positions, triangles: triangles.slice(0, end) };
      expect(measureSurface(soup(part)).openEdges).toBe(openEdgesByText(part));
    }
  });
});

test('an area; of two cubes that share an edge each closes itself; of a segment there is no edge that opens', () => {
  const { positions, triangles } = box();
  const { area } = measureSurface(box());
  const side = Math.sqrt(area / 6);
  const [low, high] = [Math.min(...positions), Math.max(...positions)];
  expect(high - low).toBeCloseTo(side, 12);
  const moved = positions.map((x, i) => (i % 3 === 2 ? x : x + (high - low)));
  const two = {
    positions: Float64Array.of(...positions, ...moved),
    triangles: Uint32Array.of(...triangles, ...triangles.map((v) => v + positions.length / 3)),
  };
  expect(measureSurface(two)).toMatchObject({ area: 2 * area, openEdges: 0 });
  const segment = { positions: Float64Array.of(0, 0, 0, 1, 0, 0), triangles: Uint32Array.of(0, 1, 1) };
  expect(measureSurface(segment)).toMatchObject({ area: 0, openEdges: 0 });
});
