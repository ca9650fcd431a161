/** The building of scripts/make-building.mjs as an IFC file: the same solids, each in a frame of its own. */
import type { Building } from '../../scripts/make-building.mjs';
import { ifcWriter } from './ifc.ts';

/** Classes of the building's kinds, and what follows the tag of each. */
const CLASSES: Readonly<Record<string, [name: string, more: string]>> = {
  wall: ['IFCWALL', '$'],
  slab: ['IFCSLAB', '.FLOOR.'],
  column: ['IFCCOLUMN', '$'],
  beam: ['IFCBEAM', '$'],
  door: ['IFCDOOR', '$,$,$,$,$'],
  window: ['IFCWINDOW', '$,$,$,$,$'],
  pipe: ['IFCPIPESEGMENT', '$'],
  duct: ['IFCDUCTSEGMENT', '$'],
  conduit: ['IFCCABLECARRIERSEGMENT', '$'],
  stair: ['IFCSTAIR', '$'],
};

/**
 * Millimetres, as there. Each element stands at the low corner of its box, its points about that; all numbers
 * are multiples of 1/16, so that nothing is rounded. Elements of one shape share its items.
 */
export function buildingAsIfc({ obj, elements }: Pick<Building, 'obj' | 'elements'>): string {
  const writer = ifcWriter({ unit: 'mm' });
  const maps = new Map<string, string>();
  const solids = solidsOf(obj);
  for (const { name, kind, low } of elements) {
    const { points, faces } = solids.get(name)!;
    const own = points.map((p) => p.map((x, axis) => x - low[axis]));
    const key = JSON.stringify([own, faces]);
    const map = maps.get(key) ?? writer.map([writer.solid(own, faces)]);
    maps.set(key, map);
    const [type, more] = CLASSES[kind];
    const shape = writer.shape([writer.mapped(map)], 'MappedRepresentation');
    writer.product(type, { name, placement: writer.placement(low), shape, more });
  }
  return writer.text();
}

/** The objects of an OBJ file by name, their corners numbered from 0. */
function solidsOf(obj: string): Map<string, { points: number[][]; faces: number[][] }> {
  const solids = new Map<string, { points: number[][]; faces: number[][] }>();
  let [solid, before, count] = [{ points: [] as number[][], faces: [] as number[][] }, 0, 0];
  for (const line of obj.split('\n')) {
    const [word, ...rest] = line.split(' ');
    if (word === 'o') {
      solid = { points: [], faces: [] };
      before = count;
      solids.set(rest[0], solid);
    } else if (word === 'v') count += Math.sign(solid.points.push(rest.map(Number)));
    else if (word === 'f') solid.faces.push(rest.map((v) => Number(v) - 1 - before));
  }
  return solids;
}
