/** A translucent surface with sharp edges over an object: bounding volumes, tested triangles. */
import { type BufferGeometry, Group, Mesh, type ShaderMaterial } from 'three';
import { sharpEdges } from '../../../mesh/sharp-edges.ts';
import { type Paint, shaded } from '../../palette.ts';
import type { Shape } from '../../protocol.ts';
import { geometryOf } from './crowd.ts';
import { placeAt } from './drawn.ts';
import type { Space } from './space.ts';
import { createStrokes } from './strokes.ts';
import { type Look, type Style, setTint, surfaceMaterial } from './surface-material.ts';

export function createShell(look: Look, space: Space, style: Style) {
  const group = new Group();
  const material = surfaceMaterial(look, [1, 1, 1], style);
  // Nearer than the surface it lies on.
  material.polygonOffset = false;
  const mesh = new Mesh<BufferGeometry, ShaderMaterial>(undefined, material);
  mesh.frustumCulled = false;
  mesh.renderOrder = 5;
  const edges = createStrokes(look, { paint: [1, 1, 1], width: 1.2, opacity: 0.75, hidden: 0.1, order: 6 });
  group.add(mesh, edges.group);
  group.matrixAutoUpdate = false;
  group.visible = false;
  let about: ArrayLike<number> = [0, 0, 0];
  return {
    group,
    set(shape: Shape | null): void {
      mesh.geometry.dispose();
      group.visible = shape !== null && shape.triangles.length > 0;
      edges.set(shape ? edgesOf(shape) : new Float32Array());
      if (!shape) return;
      about = shape.origin;
      mesh.geometry = geometryOf(shape);
    },
    /** Where the object stands now. */
    place(pose: ArrayLike<number>): void {
      placeAt(group.matrix, space, pose, about);
      group.matrixWorldNeedsUpdate = true;
    },
    setPaint(paint: Paint): void {
      setTint(material, paint);
      edges.setPaint(shaded(paint, 0.75));
    },
    dispose() {
      mesh.geometry.dispose();
      material.dispose();
      edges.dispose();
    },
  };
}

/** x, y, z of both ends each. */
function edgesOf({ positions, triangles }: Shape): Float32Array {
  const ends = sharpEdges({ positions: Float64Array.from(positions), triangles });
  return Float32Array.from({ length: 3 * ends.length }, (_, i) => positions[3 * ends[(i / 3) | 0] + (i % 3)]);
}
