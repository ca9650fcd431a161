/** What was quadratic stays cheap: blocks of code entered, which no machine and no load changes. */
import { describe, expect, test } from 'vitest';
import { cleanMesh } from '../../../../src/mesh/clean.ts';
import { cutToManifold } from '../../../../src/mesh/manifold.ts';
import type { Mesh } from '../../../../src/mesh/mesh.ts';
import { buildGeometryImage } from '../../../../src/representations/gi/make/index.ts';
import { components } from '../../../../src/representations/gi/make/segment/regions.ts';
import { cutIntoFewDisks } from '../../../../src/representations/gi/make/segment/segment.ts';
import { spreadSeeds } from '../../../../src/representations/gi/make/segment/spread-seeds.ts';
import { seeded } from '../../../support/random.ts';
import { bumpySphere, icosphere, randomTriangles, together, without } from '../../../support/shapes.ts';
import { countsSteps, stepsOf } from '../../../support/steps.ts';

/** A flat fan whose rim is a line: its triangles are needles, and the boxes of all hold the hub. */
function needles(count: number): Mesh {
  const positions = [0, 0, 0];
  const triangles: number[] = [];
  for (let i = 0; i <= count; i++) {
    positions.push(i / count, 1, 0);
    if (i < count) triangles.push(0, i + 1, i + 2);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

/** A sphere with a third triangle at many of its edges, which are cut: as many slits. */
function withFins(levels: number, count: number): Mesh {
  const { positions, triangles } = icosphere(levels);
  const every = Math.floor(triangles.length / 3 / count);
  const fins = Array.from({ length: count }, (_, i) => {
    const [a, b] = [triangles[3 * i * every], triangles[3 * i * every + 1]];
    const points = [0, 1, 2].map((k) => positions[3 * a + k]);
    const others = [0, 1, 2].map((k) => positions[3 * b + k]);
    const tip = points.map((x, k) => 0.55 * (x + others[k]));
    return { positions: Float64Array.of(...points, ...others, ...tip), triangles: Uint32Array.of(0, 1, 2) };
  });
  return together({ positions, triangles }, ...fins);
}

const stepsAt33 = (mesh: Mesh): number => stepsOf(() => buildGeometryImage(mesh, { size: 33, fit: 'off' }));

describe.runIf(countsSteps)('steps of a build at 33 x 33', () => {
  test('a fan of 2,000 needles: 130 million', { tags: ['long'] }, () => {
    expect(stepsAt33(needles(2000))).toBeLessThan(180_000_000);
  });

  test('a tangle of 1,000 triangles on 100 vertices, seed 5: 47 million', { tags: ['all'] }, () => {
    expect(stepsAt33(randomTriangles(5, 1000, 100))).toBeLessThan(50_000_000);
  });

  test('edges of three triangles: four times as many take no more than eight times the steps', {
    tags: ['long'],
  }, () => {
    const few = stepsAt33(withFins(3, 60));
    const many = stepsAt33(withFins(4, 240));
    expect(many).toBeLessThan(8 * few);
  });

  test('a surface of 64 holes: given up for more disks than there may be in a twentieth of the steps', {
    tags: ['all'],
  }, () => {
    const holed = without(bumpySphere(6, 4), (t) => t % 80 === 0);
    const { mesh } = cutToManifold(cleanMesh(holed).mesh);
    const [{ triangles }] = components(mesh);
    const all = stepsOf(() => expect(cutIntoFewDisks(mesh, triangles, 1000)).not.toBeNull());
    const few = stepsOf(() => expect(cutIntoFewDisks(mesh, triangles, 30)).toBeNull());
    expect(20 * few).toBeLessThan(all);
  });

  test('seeds: 0.6 blocks a seed and point, of 10,242 points on a sphere', { tags: ['all'] }, () => {
    const { positions } = icosphere(5);
    const count = positions.length / 3;
    expect(stepsOf(() => spreadSeeds(positions, count))).toBeLessThan(count ** 2);
  });
});

test('seeds are those of the plain way, ties and all, seed 4', { tags: ['all'] }, () => {
  const random = seeded(4);
  const points = Float64Array.from({ length: 1500 }, () => Math.floor(random.between(0, 6)));
  const seeds = spreadSeeds(points, 200);
  const away = (p: number, q: number): number =>
    [0, 1, 2].reduce((sum, k) => sum + (points[3 * p + k] - points[3 * q + k]) ** 2, 0);
  const taken: number[] = [];
  for (const seed of seeds) {
    let best = -1;
    let most = -2;
    for (let p = 0; p < 500; p++) {
      const nearest = Math.min(
        ...(taken.length > 0 ? taken : [0]).map((q) => (p === q && taken.length > 0 ? -1 : away(p, q))),
      );
      if (nearest > most) [best, most] = [p, nearest];
    }
    expect(seed).toBe(best);
    taken.push(seed);
  }
});
