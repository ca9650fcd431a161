/** Embeds a closed surface of genus 0 in the pillowcase, its cones searched. */
import { MeshError } from '../../../../math/errors.ts';
import { halfedges } from '../../../../mesh/topology.ts';
import { limitAspect } from './aspect.ts';
import { searchCones } from './cones.ts';
import { DEFAULT_EMBED_OPTIONS, type Embedding, embed, normalise, turnsOf } from './embed.ts';

/**
 * How long and thin a mesh may look to the embedding, first and where that fails: see aspect.ts.
 */
const ASPECTS = [2.5, 1];

/**
 * @param onProgress told which of the three stages is how far, from 0 to 1
 * @throws MeshError where it is too degenerate even as a round one
 */
export function embedClosed(
  positions: Float64Array,
  triangles: Uint32Array,
  onProgress: (stage: 'cones' | 'simplify' | 'embed', fraction: number) => void,
): Embedding {
  const twin = halfedges(triangles, positions.length / 3);
  let failure: unknown;
  for (const most of ASPECTS) {
    const closed = {
      positions: normalise(limitAspect(positions, triangles, most), triangles),
      triangles,
      twin,
    };
    try {
      const cones = searchCones(closed, (fraction) => onProgress('cones', fraction));
      return embed(closed, {
        ...DEFAULT_EMBED_OPTIONS,
        cones,
        turns: turnsOf(closed.positions, triangles),
        onProgress,
      });
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      failure = error;
    }
  }
  throw failure;
}
