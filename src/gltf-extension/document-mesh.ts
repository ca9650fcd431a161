/** Converts a mesh of a gltf-transform document, with all its primitives that have triangles. */
import type { Accessor, Mesh as DocumentMesh } from '@gltf-transform/core';
import { MeshError } from '../base/errors.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { DIVISORS } from '../readers/gltf/accessors.ts';
import { meshOf, pointsOf, type Surface, TRIANGLES } from '../readers/gltf/mesh.ts';

/**
 * Returns null without triangles. @throws MeshError for morph targets; FormatError for bad numbers
 */
export function meshOfDocument(mesh: DocumentMesh): Mesh | null {
  const surfaces: Surface[] = [];
  for (const [k, primitive] of mesh.listPrimitives().entries()) {
    if (primitive.getMode() < TRIANGLES) continue;
    if (primitive.listTargets().length > 0) throw new MeshError('expected one shape, found morph targets');
    const positions = primitive.getAttribute('POSITION');
    if (!positions) continue;
    const path = ['primitives', k];
    surfaces.push({
      path,
      name: mesh.getName(),
      mode: primitive.getMode(),
      points: pointsOf([...path, 'POSITION'], numbersOf(positions), divisorOf(positions)),
      indices: primitive.getIndices() && numbersOf(primitive.getIndices()!),
    });
  }
  const made = surfaces.length > 0 ? meshOf(surfaces, 1) : null;
  return made && made.triangles.length > 0 ? made : null;
}

const numbersOf = (accessor: Accessor): Surface['points']['numbers'] =>
  (accessor.getArray() ?? new Float32Array(0)) as Surface['points']['numbers'];

const divisorOf = (accessor: Accessor): number =>
  accessor.getNormalized() ? (DIVISORS[accessor.getComponentType()] ?? 0) : 0;
