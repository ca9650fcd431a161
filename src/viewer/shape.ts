/** Surfaces as the page draws them: in singles, about an origin of their own. */
import { boxOf } from '../mesh/extent.ts';
import type { Surface } from '../mesh/topology.ts';
import type { Shape } from './protocol.ts';

/** Centers the surface on its box, so that f32 loses at most 2^-24 of its size anywhere. */
export function shapeOf({ positions, triangles }: Surface): Shape {
  const box = boxOf(positions, triangles);
  const middle = (k: number): number => (triangles.length > 0 ? box[k] / 2 + box[3 + k] / 2 : 0);
  const origin: Shape['origin'] = [middle(0), middle(1), middle(2)];
  const singles = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i++) singles[i] = positions[i] - origin[i % 3];
  return { origin, positions: singles, triangles };
}
