import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeBuilding } from '../../scripts/make-building.mjs';
import { build } from '../../src/api.ts';
import { check } from '../../src/engine/prepared.ts';
import { translation } from '../../src/math/pose.ts';
import { splitByGroups } from '../../src/mesh/split.ts';
import { readObj } from '../../src/readers/obj/obj.ts';
import { some } from '../support/long.ts';
import { signedVolume } from '../support/shapes.ts';
import { analyseTopology } from '../support/topology.ts';

const make = (storeys: number, seed: number) => makeBuilding({ storeys, seed });

describe('the building of scripts/make-building.mjs', () => {
  const building = make(2, 1);
  const parts = splitByGroups(readObj(new TextEncoder().encode(building.obj)));

  it('has hundreds of elements, each named once, in boxes as stated', () => {
    expect(parts.map(({ name }) => name)).toEqual(building.elements.map(({ name }) => name));
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
    expect(parts.length).toBeGreaterThan(200);
    building.elements.forEach(({ low, high, triangles }, i) => {
      const { positions } = parts[i].mesh;
      expect(parts[i].mesh.triangles).toHaveLength(3 * triangles);
      for (let axis = 0; axis < 3; axis++) {
        const values = positions.filter((_, k) => k % 3 === axis);
        expect([Math.min(...values), Math.max(...values)]).toEqual([low[axis], high[axis]]);
      }
    });
  });

  it('has closed elements in one piece that face outward', () => {
    for (const { name, mesh } of parts) {
      const expected = { name, closed: true, components: 1, consistentlyOriented: true, nonManifoldVertices: 0 };
      expect({ name, ...analyseTopology(mesh) }).toMatchObject(expected);
      expect(signedVolume(mesh)).toBeGreaterThan(0);
    }
  });

  // Exact predicates on the triangles, where the script reasons about convex parts; pairs whose boxes are apart are clear.
  it.each(
    some(1, [
      [2, 2],
      [2, 1],
    ]),
  )(
    '%i storeys, seed %i: what clashes or touches is in contact, every other pair is clear',
    { tags: ['all', 'long'] },
    (storeys, seed) => {
      const { obj, elements, clashes, touches } = make(storeys, seed);
      const trees = splitByGroups(readObj(new TextEncoder().encode(obj))).map(({ mesh }) =>
        build(mesh, { format: 'obb' }),
      );
      const pairs = (list: { a: string; b: string }[]) => list.map(({ a, b }) => `${a} ${b}`);
      const stated = [...pairs(clashes), ...pairs(touches)].sort();
      const found: string[] = [];
      for (let i = 0; i < trees.length; i++) {
        for (let j = i + 1; j < trees.length; j++) {
          const [p, q] = [elements[i], elements[j]];
          if ([0, 1, 2].some((axis) => p.low[axis] > q.high[axis] || q.low[axis] > p.high[axis])) continue;
          if (check(trees[i], trees[j]).verdict === 'contact') found.push([p.name, q.name].sort().join(' '));
        }
      }
      expect(found.sort()).toEqual(stated);
      expect(new Set(stated).size).toBe(stated.length);
      expect(clashes.length).toBeGreaterThanOrEqual(3 * storeys);
      expect(touches.length).toBeGreaterThan(100 * storeys);
      for (const { depth } of clashes) expect(depth).toBeGreaterThanOrEqual(20);
    },
  );

  it('no step along an axis that is shorter than the stated depth takes a clash apart: seed 1', () => {
    const numbers = new Map(building.elements.map(({ name }, i) => [name, i]));
    const tree = (i: number) => build(parts[i].mesh, { format: 'obb' });
    for (const { a, b, depth } of building.clashes) {
      const [i, j] = [numbers.get(a)!, numbers.get(b)!];
      const [first, second] = [tree(i), tree(j)];
      const [p, q] = [building.elements[i], building.elements[j]];
      for (const direction of [-1, 1]) {
        for (let axis = 0; axis < 3; axis++) {
          const step = [0, 0, 0];
          step[axis] = direction * 0.99 * depth;
          const aInB = step.every((x, k) => q.low[k] <= p.low[k] + x && p.high[k] + x <= q.high[k]);
          const bInA = step.every((x, k) => p.low[k] + x <= q.low[k] && q.high[k] <= p.high[k] + x);
          if (aInB || bInA) continue; // surfaces need not meet
          const poseA = translation(step[0], step[1], step[2]);
          expect([a, b, axis, check(first, second, { poseA }).verdict]).toEqual([a, b, axis, 'contact']);
        }
      }
    }
  });

  it('is the same again, and another one for another seed', () => {
    expect(make(2, 1)).toEqual(building);
    expect(make(2, 2).obj).not.toBe(building.obj);
    expect(() => make(0, 1)).toThrow(RangeError);
    expect(() => make(61, 1)).toThrow('storeys: expected 1 to 60');
    expect(() => make(1, 0.5)).toThrow(RangeError);
  });

  it('is made with arithmetic that every engine rounds alike', () => {
    const script = readFileSync(new URL('../../scripts/make-building.mjs', import.meta.url), 'utf8');
    const calls = new Set([...script.matchAll(/Math\.(\w+)\(/g)].map(([, name]) => name));
    expect([...calls].sort()).toEqual(['floor', 'imul', 'max', 'min', 'sqrt']);
    expect(script).not.toContain(' ** ');
    expect(/^v .*(e|N|u|-0( |$))/m.test(building.obj)).toBe(false);
  });
});
