/** A building as IFC: what touches and what clashes is what the generator planned, by exact arithmetic of its own. */
import { expect, test } from 'vitest';
import { makeBuilding } from '../../scripts/make-building.mjs';
import { build, createScene } from '../../src/browser.ts';
import { readMeshFile } from '../../src/readers/formats.ts';
import { buildingAsIfc } from '../support/ifc-building.ts';
import { long } from '../support/long.ts';

test.each(long ? [1, 2, 3] : [1])(
  'the classes of all contacts of a building (seed %i)',
  { tags: ['all', 'long'] },
  async (seed) => {
    const building = makeBuilding({ storeys: long ? 4 : 2, seed });
    const file = await readMeshFile(new TextEncoder().encode(buildingAsIfc(building)), {
      open: () => expect.unreachable(),
    });
    expect(file).toMatchObject({ units: 'mm', warnings: [] });
    expect(file.nodes.map(({ name }) => name.split('/')[1])).toEqual(building.elements.map(({ name }) => name));
    expect(file.meshes.length).toBeLessThan(file.nodes.length / 2);

    const assets = file.meshes.map(({ mesh }) => build(mesh, { format: 'obb' }));
    const objects = file.nodes.map(({ name, mesh, matrix }) => {
      return { name: name.split('/')[1], asset: assets[mesh!], pose: matrix };
    });
    const { findings } = await createScene(objects).findings();
    const found = new Map<string, string[]>();
    for (const { class: kind, a, b } of findings) {
      const pair = [a.name, b.name].sort().join(' and ');
      found.set(kind, [...(found.get(kind) ?? []), pair]);
    }
    const pairs = (all: { a: string; b: string }[]) => all.map(({ a, b }) => `${a} and ${b}`).sort();
    expect([...found.keys()].sort()).toEqual(['overlap', 'touch']);
    expect(found.get('overlap')!.sort()).toEqual(pairs(building.clashes));
    expect(found.get('touch')!.sort()).toEqual(pairs(building.touches));
  },
);
