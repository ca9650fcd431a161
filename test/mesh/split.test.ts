import { describe, expect, it } from 'vitest';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { splitByGroups } from '../../src/mesh/split.ts';
import { readObj } from '../../src/readers/obj/obj.ts';
import { seeded } from '../support/random.ts';

/** A strip of triangles, as many as `faces` counts; other lines stand between them. */
function strip(...lines: string[]): Mesh {
  let count = 0;
  const text = lines.map((line) => (line === 'f' ? `f ${++count} ${count + 1} ${count + 2}` : line)).join('\n');
  const vertices = Array.from({ length: count + 2 }, (_, i) => `v ${i} ${i % 2} 0\n`).join('');
  return readObj(new TextEncoder().encode(`${vertices}${text}\n`));
}

const outline = (mesh: Mesh) => splitByGroups(mesh).map(({ name, source }) => [name, ...source]);

describe('splitByGroups', () => {
  it('cuts by objects, and groups below them cut nothing', () => {
    const mesh = strip('o a', 'g red', 'f', 'g blue', 'f', 'o b', 'f', 'g red', 'f');
    expect(outline(mesh)).toEqual([
      ['a', 0, 1],
      ['b', 2, 3],
    ]);
  });

  it('cuts by groups where there are no objects', () => {
    expect(outline(strip('g a', 'f', 'g b c', 'f', 'f'))).toEqual([
      ['a', 0],
      ['b c', 1, 2],
    ]);
  });

  it('joins what comes several times under one name', () => {
    expect(outline(strip('o a', 'f', 'o b', 'f', 'o a', 'f', 'o A', 'f'))).toEqual([
      ['a', 0, 2],
      ['b', 1],
      ['A', 3],
    ]);
  });

  it('keeps triangles under no name together', () => {
    expect(outline(strip('f', 'f'))).toEqual([['unnamed', 0, 1]]);
    expect(outline(strip('g x', 'f', 'o a', 'f'))).toEqual([
      ['unnamed', 0],
      ['a', 1],
    ]);
    expect(outline(strip('f', 'o a', 'f', 'o unnamed', 'f'))).toEqual([
      ['unnamed', 0, 2],
      ['a', 1],
    ]);
  });

  it('names like those of object properties are names', () => {
    expect(outline(strip('o __proto__', 'f', 'o constructor', 'f')).map(([name]) => name)).toEqual([
      '__proto__',
      'constructor',
    ]);
  });

  it('gives each element its own vertices in their order, and leaves the mesh alone', () => {
    const mesh = readObj(
      new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 1 0\nv 4 0 9\no a\nf 4 2 1\no b\nf 5 3 4\nf 3 5 2\n'),
    );
    const before = structuredClone(mesh);
    const [a, b] = splitByGroups(mesh).map((element) => element.mesh);
    expect(a).toEqual({
      positions: Float64Array.of(0, 0, 0, 1, 0, 0, 3, 1, 0),
      triangles: Uint32Array.of(2, 1, 0),
      groups: [],
    });
    expect(b.positions).toEqual(Float64Array.of(1, 0, 0, 2, 0, 0, 3, 1, 0, 4, 0, 9));
    expect(b.triangles).toEqual(Uint32Array.of(3, 1, 2, 1, 3, 0));
    expect(mesh).toEqual(before);
  });

  it.each([1, 2, 3, 4, 5])('random runs: every triangle once, its corners where they were: seed %i', (seed) => {
    const random = seeded(seed);
    const vertexCount = 1 + random.below(40);
    const triangleCount = random.below(200);
    const mesh: Mesh = {
      positions: Float64Array.from({ length: 3 * vertexCount }, () => random.between(-1, 1)),
      triangles: Uint32Array.from({ length: 3 * triangleCount }, () => random.below(vertexCount)),
      groups: [],
    };
    const expected: string[] = Array(triangleCount).fill('unnamed');
    for (let first = random.below(9); first < triangleCount; ) {
      const count = Math.min(1 + random.below(20), triangleCount - first);
      const name = `n${random.below(6)}`;
      mesh.groups.push({ kind: 'object', name, first, count });
      expected.fill(name, first, first + count);
      first += count + random.below(3);
    }
    const found: string[] = Array(triangleCount);
    for (const { name, mesh: own, source } of splitByGroups(mesh)) {
      expect(own.triangles).toHaveLength(3 * source.length);
      expect(new Set(own.triangles).size).toBe(own.positions.length / 3);
      source.forEach((t, k) => {
        expect(found[t]).toBeUndefined();
        found[t] = name;
        for (let c = 0; c < 3; c++) {
          const [v, w] = [own.triangles[3 * k + c], mesh.triangles[3 * t + c]];
          expect(own.positions.slice(3 * v, 3 * v + 3)).toEqual(mesh.positions.slice(3 * w, 3 * w + 3));
        }
      });
    }
    expect(found).toEqual(expected);
  });
});
