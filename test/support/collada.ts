/** Texts of COLLADA, as programs write them, and three's loader of them. */
import { DOMParser } from 'linkedom';
import { Vector3 } from 'three';
import type { Random } from './random.ts';

/** A file of geometries, and of nodes of its scene. */
export const daeOf = (
  geometries: string,
  nodes: string,
  { asset = '<unit meter="1"/><up_axis>Z_UP</up_axis>', more = '' } = {},
): string => `<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>${asset}</asset>
<library_geometries>${geometries}</library_geometries>
${more}
<library_visual_scenes><visual_scene id="s">${nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
`;

/** A geometry of points, with whatever primitives. */
export const geometryOf = (id: string, points: readonly number[][], primitives: string): string =>
  `<geometry id="${id}" name="${id} name"><mesh>
<source id="${id}-p"><float_array id="${id}-a" count="${3 * points.length}">${points.flat().join(' ')}</float_array>
<technique_common><accessor source="#${id}-a" count="${points.length}" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="${id}-v"><input semantic="POSITION" source="#${id}-p"/></vertices>
${primitives.replaceAll('INPUT', `<input semantic="VERTEX" source="#${id}-v" offset="0"/>`)}
</mesh></geometry>`;

export const trianglesText = (triangles: readonly number[][]): string =>
  `<triangles count="${triangles.length}">INPUT<p>${triangles.flat().join(' ')}</p></triangles>`;

/** A scene of geometries at nodes below nodes; the loader of three knows all of it. */
export function randomDae(random: Random): string {
  const points = () => Array.from({ length: 6 + random.below(20) }, () => [0, 1, 2].map(() => random.between(-5, 5)));
  const geometry = (id: string): string => {
    const all = points();
    const corner = () => random.below(all.length);
    const triangles = Array.from({ length: 1 + random.below(9) }, () => [corner(), corner(), corner()]);
    // A second input at each corner, whose numbers must not be read as points.
    const wide = (numbers: number[]) => numbers.flatMap((v) => [v, 0]).join(' ');
    const more = `<source id="${id}-n"><float_array id="${id}-na" count="3">0 0 1</float_array><technique_common>
<accessor source="#${id}-na" count="1" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>`;
    // The loader cuts polygons along other diagonals.
    const faces = triangles.slice(0, 5);
    const list = `<polylist count="${faces.length}">INPUT<input semantic="NORMAL" source="#${id}-n" offset="1"/>
<vcount>${faces.map(({ length }) => length).join(' ')}</vcount><p>${wide(faces.flat())}</p></polylist>`;
    // The loader reads only the last <p> of polygons, and as a triangle.
    const polygons = `<polygons count="1">INPUT<p>${triangles[0].join(' ')}</p></polygons>`;
    const kinds = random.below(3);
    const primitives = kinds === 0 ? trianglesText(triangles) : kinds === 1 ? list : polygons;
    return geometryOf(id, all, primitives).replace('<vertices', `${kinds === 1 ? more : ''}<vertices`);
  };
  const transform = (): string => {
    const numbers = (count: number, low: number, high: number) =>
      Array.from({ length: count }, () => random.between(low, high)).join(' ');
    return [
      `<translate>${numbers(3, -9, 9)}</translate>`,
      // The loader takes the axis for a unit vector.
      `<rotate>${random.pick(['0 0 1', '0.6 0 -0.8', '-1 0 0'])} ${random.pick([0, 90, 180, 33.3, -200])}</rotate>`,
      `<scale>${numbers(3, 0.5, 2)}</scale>`,
    ]
      .slice(0, random.below(4))
      .join('');
  };
  let count = 0;
  // If a node has nothing else, the loader forgets the transformations of the other one.
  const alone = '<instance_node url="#shared"/><node/>';
  const node = (depth: number): string =>
    `<node id="n${count}" name="n${count++}">${transform()}
${random.below(4) > 0 ? `<instance_geometry url="#g${random.below(3)}"/>` : alone}
${depth > 0 ? Array.from({ length: random.below(3) }, () => node(depth - 1)).join('') : ''}</node>`;
  const shared = `<library_nodes><node id="shared" name="shared">${transform()}<instance_geometry url="#g1"/></node></library_nodes>`;
  const meter = random.pick(['1', '0.01', '0.0254']);
  return daeOf(['g0', 'g1', 'g2'].map(geometry).join('\n'), Array.from({ length: 3 }, () => node(2)).join('\n'), {
    asset: `<unit name="u" meter="${meter}"/><up_axis>Y_UP</up_axis>`,
    more: shared,
  });
}

/** Coordinates of all triangles' corners, as three's loader has them: single precision. */
export async function threeCorners(text: string): Promise<number[][]> {
  const { ColladaLoader } = await import('three/examples/jsm/loaders/ColladaLoader.js');
  const known = globalThis as Record<string, unknown>;
  known.DOMParser = DOMParser;
  try {
    const { scene } = new ColladaLoader().parse(text, '')!;
    scene.updateMatrixWorld(true);
    const corners: number[][] = [];
    scene.traverse((object) => {
      const { geometry } = object as { geometry?: import('three').BufferGeometry };
      if (!geometry) return;
      const { position } = geometry.attributes;
      const order = geometry.index
        ? Array.from(geometry.index.array)
        : Array.from({ length: position.count }, (_, k) => k);
      for (const k of order)
        corners.push(new Vector3().fromBufferAttribute(position, k).applyMatrix4(object.matrixWorld).toArray());
    });
    return corners;
  } finally {
    delete known.DOMParser;
  }
}
