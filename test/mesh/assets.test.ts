import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { makeAssets } from '../../scripts/make-assets.mjs';
import { cleanMesh, describeLosses } from '../../src/mesh/clean.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { signedVolume } from '../support/shapes.ts';
import { analyseTopology } from '../support/topology.ts';

const folder = new URL('../../assets/', import.meta.url);
const assets = makeAssets();
const meshes = Object.keys(assets).filter((name) => name.endsWith('.obj'));

/** Enough of OBJ for files of our own making: one comment line, then `v x y z`, then `f i j k ...`. */
function parse(text: string): Mesh {
  const lines = text.trimEnd().split('\n').slice(1);
  const numbers = (key: string) =>
    lines.filter((line) => line[0] === key).map((line) => line.slice(2).split(' ').map(Number));
  const triangles = numbers('f').flatMap((face) =>
    face.slice(2).flatMap((_, k) => [face[0], face[k + 1], face[k + 2]]),
  );
  return {
    positions: Float64Array.from(numbers('v').flat()),
    triangles: Uint32Array.from(triangles, (v) => v - 1),
    groups: [],
  };
}

describe('assets/', () => {
  it.each(Object.keys(assets))('%s is what scripts/make-assets.mjs makes, to the byte', (name) => {
    expect(readFileSync(new URL(name, folder), 'utf8') === assets[name]).toBe(true);
  });

  it('takes less than 3 MB', () => {
    expect(Object.values(assets).reduce((sum, text) => sum + text.length, 0)).toBeLessThan(3e6);
  });

  it('is made with arithmetic that every engine rounds alike', () => {
    const script = readFileSync(new URL('../../scripts/make-assets.mjs', import.meta.url), 'utf8');
    const calls = new Set([...script.matchAll(/Math\.(\w+)\(/g)].map(([, name]) => name));
    expect([...calls].filter((name) => !/^(sqrt|abs|floor|min|max|imul|fround)$/.test(name))).toEqual([]);
    expect(script.match(/\w \*\* \w+/g)).toEqual(['2 ** 32']);
  });

  describe.each(meshes)('%s', (name) => {
    const mesh = parse(assets[name]);
    const topology = analyseTopology(mesh);

    it('says in its first line what made it', () => {
      expect(assets[name]).toMatch(/^# gicollide sample: .*\n/);
      expect(assets[name]).not.toMatch(/e-|e\+|NaN|undefined|-0[ \n]/);
    });

    it('loses nothing in cleaning', () => {
      expect(describeLosses(cleanMesh(mesh).losses)).toBeNull();
    });

    it('is closed and faces outward', () => {
      expect(topology).toMatchObject({ closed: true, components: 1, consistentlyOriented: true });
      expect(signedVolume(mesh)).toBeGreaterThan(0);
      expect(analyseTopology(mesh)).toMatchObject({
        closed: true,
        components: 1,
        consistentlyOriented: true,
        genus: name === 'torus.obj' ? 1 : 0,
      });
    });

    it('has the counts that SOURCES.md states', () => {
      const { vertices, triangles, genus } = topology;
      expect(assets['SOURCES.md']).toContain(`| ${name} | ${vertices} | ${triangles} | ${genus} |`);
    });

    it('is centred, with a diagonal of about 1', () => {
      const sides = [0, 1, 2].map((axis) => {
        const values = mesh.positions.filter((_, i) => i % 3 === axis);
        const [low, high] = [values.reduce((p, q) => Math.min(p, q)), values.reduce((p, q) => Math.max(p, q))];
        expect(Math.abs(low + high)).toBeLessThan(2e-6);
        return high - low;
      });
      expect(Math.hypot(...sides)).toBeGreaterThan(0.85);
      expect(Math.hypot(...sides)).toBeLessThan(1.001);
    });
  });

  it('bunny.obj has float32 numbers, and is the package, moved and scaled', () => {
    const { positions, triangles } = parse(assets['bunny.obj']);
    const bunny: { positions: number[][]; cells: number[][] } = createRequire(import.meta.url)('bunny');
    expect(triangles).toEqual(Uint32Array.from(bunny.cells.flat()));
    const printed = Float32Array.from(positions);
    for (let v = 3; v < positions.length; v++) {
      const moved = (bunny.positions[(v / 3) | 0][v % 3] - bunny.positions[0][v % 3]) / 16;
      expect(Math.abs(printed[v] - printed[v % 3] - moved)).toBeLessThan(1e-7);
    }
  });
});
