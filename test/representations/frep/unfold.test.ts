/** A solid's octree, held to exact values at points. */
import { describe, expect, test } from 'vitest';
import { OptionError } from '../../../src/base/errors.ts';
import { BoundTree } from '../../../src/engine/bound-tree.ts';
import { reachOfFrep } from '../../../src/representations/frep/tree/cell-function.ts';
import { evaluateCube } from '../../../src/representations/frep/tree/evaluate.ts';
import type { FrepObject } from '../../../src/representations/frep/tree/program.ts';
import {
  cellsOfLevel,
  classifyBox,
  coreOfFrep,
  hullOfFrep,
  levelsOfFrep,
  unfoldFrep,
} from '../../../src/representations/frep/tree/unfold.ts';
import {
  affine,
  ball,
  constant,
  type Dyadic,
  dyadic,
  either,
  exactValue,
  minus,
  objectFrom,
  objectOf,
  perturbed,
  plus,
  quadric,
  randomProgram,
  size,
  sum,
  times,
  waves,
} from '../../support/frep-programs.ts';
import { long } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';

const shapes: Record<string, () => FrepObject> = {
  ball: () => objectFrom((to) => ball(to, 0.7, [0.1, 0, -0.1]), { half: 3, center: [1, 2, -5], resolution: 4 }),
  'slab, thin': () => objectFrom((to) => affine(to, 1, 2, 3, 0.5), { domain: [1, 0.3, 2 ** -7], resolution: 3 }),
  far: () => objectFrom((to) => ball(to, 0.7), { half: 0.3, center: [1e5 + 0.1, -1e4, 1e6], resolution: 3 }),
  'small numbers': () =>
    objectFrom(
      (to) =>
        quadric(
          to,
          [-1, -1, -1, 0, 0, 0, 0.1, 0.2, 0.1, 0.4].map((x) => 1e-161 * x),
        ),
      { resolution: 4 },
    ),
  'a hole': () => objectFrom((to) => quadric(to, [1, 2, 3, 0, 0, 0, 0, 0, 0, -0.5]), { resolution: 3 }),
  'waves alone': () => objectFrom((to) => waves(to, [0.5, 9, 7, 5, 1, 0.3, -9, 8, 3, 2]), { resolution: 3 }),
  'a union': () =>
    objectFrom((to) => either(to, ball(to, 0.6, [-0.4, 0, 0]), ball(to, 0.5, [0.5, 0.1, 0])), { resolution: 4 }),
  tiny: () => objectFrom((to) => ball(to, 0.7), { half: 1e-8, center: [0.1, 0.2, 0.3], resolution: 3 }),
};
for (const seed of [7, 8])
  shapes[`waves, seed ${seed}`] = () => {
    const random = seeded(seed);
    return objectFrom(
      (to) => {
        const noise = waves(to, [0.15, 6, 2, 1, random.next(), 0.1, -2, 5, 4, random.next()]);
        perturbed(to, sum(to, ball(to, 0.6), noise), affine(to, 1, 0.5, 0, 0.1), random.between(-1, 0.5));
      },
      { resolution: 3 },
    );
  };
for (const seed of [1, 2, 3, 4, 5, 6])
  shapes[`random, seed ${seed}`] = () => {
    const random = seeded(seed);
    return objectOf(randomProgram(random, { leaves: 4, operations: 4 }), {
      half: random.between(0.1, 4),
      center: [random.between(-5, 5), 0, 1],
      domain: [1, random.between(0.1, 1), 1],
      resolution: 3,
    });
  };

interface Node {
  id: number;
  isLeaf: boolean;
  level: number;
  middle: number[];
  axes: Float64Array[];
  half: number[];
}

function nodesOf(object: FrepObject): Node[] {
  const tree = new BoundTree((node, into) => unfoldFrep(object, node, into));
  const nodes: Node[] = [];
  const pending = [0];
  while (pending.length > 0) {
    const i = pending.pop() as number;
    const b = tree.bounds.subarray(16 * i, 16 * i + 16);
    const isLeaf = tree.isLeaf(i);
    expect(b[3]).toBe(0);
    nodes.push({
      id: isLeaf ? ~tree.link[i] : tree.own[i],
      isLeaf,
      level: tree.level[i],
      middle: [b[0], b[1], b[2]],
      axes: [b.slice(4, 7), b.slice(8, 11), b.slice(12, 15)],
      half: [b[7], b[11], b[15]],
    });
    if (isLeaf) {
      expect(tree.count[i]).toBe(1);
      continue;
    }
    const first = tree.firstChild(i);
    for (let k = 0; k < tree.count[i]; k++) pending.push(first + k);
  }
  return nodes;
}

/** center + half u: exactly. */
const placed = ({ center, half }: FrepObject, u: number[]): Dyadic[] =>
  u.map((c, k) => plus(dyadic(center[k]), times(dyadic(half), dyadic(c))));
/** Axes are at right angles to 2^-51, and bounds wider by 2^-45. */
const isWithin = (p: ArrayLike<Dyadic>, { middle, axes, half }: Node): boolean =>
  axes.every((axis, n) => {
    let along = dyadic(0);
    for (let k = 0; k < 3; k++) along = plus(along, times(minus(p[k], dyadic(middle[k])), dyadic(axis[k])));
    return minus(size(along), dyadic(half[n])).m <= 0n;
  });

/** Whether x, a point in doubles of the asset's frame, is in the solid: exactly, times `half`. */
function isInSolid({ program, domain, center, half }: FrepObject, x: ArrayLike<number>): boolean {
  const d = dyadic(half);
  // u = (x - center) / half to 2^-1000, which is far below what is proved of a core.
  const u = [0, 1, 2].map((k): Dyadic => {
    const c = minus(dyadic(x[k]), dyadic(center[k]));
    const shift = Math.max(0, 1000 + c.e - d.e);
    return { m: (c.m << BigInt(shift)) / d.m, e: c.e - d.e - shift };
  });
  return exactValue(program, domain, u).high.m >= 0n;
}

const isAbout = ({ program, domain }: FrepObject, u: number[]): boolean =>
  u.every((c, k) => Math.abs(c) <= domain[k]) && evaluateCube(program, u[0], u[1], u[2]) > 0;

const hull = new Float64Array(24);

describe.each(Object.keys(shapes))('%s', (name) => {
  const object = shapes[name]();
  const nodes = nodesOf(object);
  const leaves = nodes.filter(({ isLeaf }) => isLeaf);

  test('numbers are those of one node each, and below 2^31; levels are counted', () => {
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
    for (const { id, level, isLeaf } of nodes) {
      expect(id >= 0 && id < 2 ** 31).toBe(true);
      expect(level <= levelsOfFrep(object)).toBe(true);
      if (!isLeaf) expect(level).toBeLessThan(levelsOfFrep(object));
    }
  });

  test('holds every point of the solid', { tags: ['quick', 'long'] }, () => {
    const random = seeded(100);
    let inside = 0;
    for (let sample = 0; sample < (long ? 80 : 40); sample++) {
      let u = object.domain.map((d) => (random.below(6) === 0 ? d * (random.below(2) * 2 - 1) : random.between(-d, d)));
      const isHeld = (x: number[]): boolean => exactValue(object.program, object.domain, x.map(dyadic)).low.m >= 0n;
      if (!isHeld(u)) continue;
      // On to just before the surface, one way or another.
      const way = u.map(() => random.between(-1, 1));
      for (let step = 0.5; step > 1e-9; step /= 2) {
        const next = u.map((c, k) => c + step * way[k]);
        if (isAbout(object, next)) u = next;
      }
      if (!isHeld(u)) continue;
      inside++;
      const p = placed(object, u);
      expect(leaves.some((leaf) => isWithin(p, leaf))).toBe(true);
      for (let level = 0; level < 3; level++)
        expect(nodes.some((node) => node.level === level && isWithin(p, node)) || level > 0).toBe(true);
      expect(p.reduce((sum, c) => plus(sum, times(c, c)), dyadic(0)).m >= 0n).toBe(true);
      const reach = dyadic(reachOfFrep(object));
      expect(
        minus(
          p.reduce((sum, c) => plus(sum, times(c, c)), dyadic(0)),
          times(reach, reach),
        ).m <= 0n,
      ).toBe(true);
    }
    expect(inside + (name.startsWith('random') ? 1 : 0)).toBeGreaterThan(0);
  });

  test('hulls hold their cells; cores are in the solid and in the hull; leaves above the last level are inside', {
    tags: ['all', 'long'],
  }, () => {
    const random = seeded(101);
    for (let n = 0; n < Math.min(leaves.length, long ? 100 : 50); n++) {
      const leaf = random.pick(leaves);
      const { id, level, middle, axes, half } = leaf;
      for (const [n, axis] of axes.entries())
        for (const [m, other] of axes.entries())
          expect(axis[0] * other[0] + axis[1] * other[1] + axis[2] * other[2]).toBeCloseTo(n === m ? 1 : 0, 14);
      expect(hullOfFrep(object, id, hull)).toBe(8);
      for (let corner = 0; corner < 8; corner++)
        for (let k = 0; k < 3; k++) {
          let x = middle[k];
          for (let n = 0; n < 3; n++) x += ((corner >> n) & 1 ? 1 : -1) * half[n] * axes[n][k];
          const reach = Math.max(Math.abs(middle[k]), ...half);
          expect(Math.abs(hull[3 * corner + k] - x)).toBeLessThanOrEqual(2 ** -49 * reach);
        }
      const count = coreOfFrep(object, id, hull);
      expect([0, 1, 8]).toContain(count);
      if (level < levelsOfFrep(object)) expect(count).toBe(8);
      for (let corner = 0; corner < count; corner++) {
        const p = hull.slice(3 * corner, 3 * corner + 3);
        expect(isWithin(Array.from(p, dyadic), leaf)).toBe(true);
        expect(isInSolid(object, p), `cell ${id}`).toBe(true);
      }
      if (count < 8) continue;
      for (let sample = 0; sample < 3; sample++) {
        const p = [0, 1, 2].map((k) => hull[k] + (hull[21 + k] - hull[k]) * (0.001 + 0.998 * random.next()));
        expect(isInSolid(object, p), `cell ${id}`).toBe(true);
      }
    }
  });

  test('cellsOfLevel tells the cells that are unfolded, leaves above the level too', () => {
    for (let level = 1; level <= Math.min(3, levelsOfFrep(object)); level++) {
      const cells = cellsOfLevel(object, level);
      const expected = nodes.filter((node) => node.level === level || (node.isLeaf && node.level < level));
      expect(cells.length / 6).toBe(expected.length);
    }
    expect(cellsOfLevel(object, 0)).toHaveLength(6);
    for (const level of [-1, 0.5, levelsOfFrep(object) + 1])
      expect(() => cellsOfLevel(object, level)).toThrow(OptionError);
  });

  test('boxes are inside or outside as is said', { tags: ['quick', 'long'] }, () => {
    const random: Random = seeded(102);
    for (let trial = 0; trial < (long ? 60 : 30); trial++) {
      const u = [0, 1, 2].map(() => random.between(-1, 1));
      const h = [0, 1, 2].map(() => random.between(0, random.pick([0.01, 0.1, 0.6])));
      const where = classifyBox(object, [...u, ...h]);
      for (let sample = 0; where !== 0 && sample < 4; sample++) {
        const p = u.map((c, k) => plus(dyadic(c), times(dyadic(h[k]), dyadic(random.below(3) - 1))));
        const value = exactValue(object.program, object.domain, p);
        if (where > 0) expect(value.high.m >= 0n).toBe(true);
        else expect(value.low.m < 0n).toBe(true);
      }
    }
  });
});

test('cells of a union end at the surface as those of its part that is there', () => {
  const alone = objectFrom((to) => ball(to, 0.3, [-0.4, 0, 0]), { resolution: 5 });
  const beside = objectFrom((to) => either(to, ball(to, 0.3, [-0.4, 0, 0]), ball(to, 0.2, [0.6, 0, 0])), {
    resolution: 5,
  });
  const known = new Map(nodesOf(beside).map((node) => [node.id, node]));
  const leaves = nodesOf(alone).filter(({ isLeaf }) => isLeaf);
  const cut = leaves.filter(({ half }) => Math.max(...half) > 1.01 * Math.min(...half));
  expect(cut.length).toBeGreaterThan(leaves.length / 3);
  for (const { id, middle, half } of leaves) {
    const node = known.get(id);
    for (let k = 0; k < 3; k++) {
      expect(node?.middle[k]).toBeCloseTo(middle[k], 12);
      expect(node?.half[k]).toBeCloseTo(half[k], 12);
    }
  }
});

test('an empty solid has a root, no children and no core', () => {
  const empty = objectFrom((to) => constant(to, -1), { resolution: 5 });
  const nodes = nodesOf(empty);
  expect(nodes.map(({ id, isLeaf }) => [id, isLeaf])).toEqual([[0, false]]);
  expect(coreOfFrep(empty, 0, hull)).toBe(0);
  expect(cellsOfLevel(empty, 3)).toEqual([]);
  expect(hullOfFrep(empty, 0, hull)).toBe(8);
});

test('a solid that is all of its domain: the outermost cells stay open, the others are leaves', () => {
  const full = objectFrom((to) => constant(to, 1), { resolution: 4 });
  const leaves = nodesOf(full).filter(({ isLeaf }) => isLeaf);
  expect(leaves.some(({ level }) => level < 4)).toBe(true);
  const volume = leaves.reduce((sum, { half: [x, y, z] }) => sum + 8 * x * y * z, 0);
  expect(volume).toBeCloseTo(8, 9);
});

test('the last level has the last number that 31 bits hold', () => {
  const object = objectFrom((to) => ball(to, 0.7), { resolution: 20 });
  expect(levelsOfFrep(object)).toBe(10);
  // The last cell of level 10, far corner, and the first of it.
  hullOfFrep(object, (8 ** 11 - 1) / 7 - 1, hull);
  expect([...hull.subarray(21, 24)].map((x) => x.toFixed(9))).toEqual(['1.000000000', '1.000000000', '1.000000000']);
  expect(hull[0]).toBeCloseTo(1 - 2 ** -9, 12);
  hullOfFrep(object, (8 ** 10 - 1) / 7, hull);
  expect(hull[0]).toBeCloseTo(-1, 12);
  expect(hull[21]).toBeCloseTo(-1 + 2 ** -9, 12);
});

// The centre is proved to be inside, and then rounded in proportion to |center| / half.
test('a core of one point, rounded, is in the solid', { tags: ['quick', 'long'] }, () => {
  const random = seeded(3);
  for (let trial = 0; trial < (long ? 200 : 100); trial++) {
    const center: [number, number, number] = [random.between(1e3, 1e4), 0, 0];
    // The face is just beyond the centre of cell 8: by 1e-14 of the model cube.
    const object = objectFrom((to) => affine(to, -1, 0, 0, 0.5 + 1e-14), { center, resolution: 1 });
    if (coreOfFrep(object, 8, hull) === 1) expect(isInSolid(object, hull)).toBe(true);
  }
});

// The eight corners fall together to one double, which may be farther from the cell's middle than the cell is wide.
test('a core so far from the origin that cells are smaller than what coordinates are rounded to', {
  tags: ['quick', 'long'],
}, () => {
  const object = objectFrom((to) => affine(to, -1, 0, 0, -0.0005), {
    center: [1e14 + 0.125, 0, 0],
    half: 1,
    resolution: 10,
  });
  const random = seeded(4);
  for (let trial = 0; trial < (long ? 600 : 300); trial++) {
    const id = (8 ** 10 - 1) / 7 + random.below(8 ** 10);
    const count = coreOfFrep(object, id, hull);
    for (let corner = 0; corner < count; corner++)
      expect(isInSolid(object, hull.subarray(3 * corner, 3 * corner + 3))).toBe(true);
  }
});
