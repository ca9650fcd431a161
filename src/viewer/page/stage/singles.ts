/** The chosen two, drawn singly with matrices in doubles up to the eye. */
import { type BufferGeometry, Group, Mesh, type ShaderMaterial } from 'three';
import type { Palette } from '../../palette.ts';
import { placeAt } from './drawn.ts';
import type { Places } from './places.ts';
import type { Space } from './space.ts';
import { type Look, setTint, surfaceMaterial } from './surface-material.ts';
import type { Surfaces } from './surfaces.ts';

export function createSingles(look: Look, space: Space, places: Places, surfaces: Surfaces) {
  const group = new Group();
  const materials = [surfaceMaterial(look), surfaceMaterial(look)];
  const meshes = materials.map((material) => {
    const mesh = new Mesh<BufferGeometry, ShaderMaterial>(undefined, material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    mesh.visible = false;
    group.add(mesh);
    return mesh;
  });
  return {
    ...{ group, materials },
    /** Draws these two where they stand now; null: nothing. */
    place(pair: readonly (number | null)[]): void {
      for (const [k, mesh] of meshes.entries()) {
        const object = pair[k];
        const crowd = object === null ? undefined : surfaces.crowdOf(object);
        mesh.visible = crowd !== undefined;
        if (!crowd || object === null) continue;
        mesh.geometry = crowd.geometry;
        placeAt(mesh.matrix, space, places.poseOf(object), surfaces.shapeOf(object)!.origin);
        mesh.matrixWorldNeedsUpdate = true;
      }
    },
    setPalette({ a, b }: Palette): void {
      setTint(materials[0], a);
      setTint(materials[1], b);
    },
    dispose() {
      for (const material of materials) material.dispose();
    },
  };
}
