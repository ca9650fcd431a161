/** Embeds a closed surface of genus 0 in the pillowcase, its cones searched. */
import { MeshError } from '../../../../base/errors.ts';
import { halfedges } from '../../../../mesh/topology.ts';
import { limitAspect } from './aspect.ts';
import { searchCones } from './cones.ts';
import {
  coarsenToTetrahedron,
  DEFAULT_EMBED_OPTIONS,
  type Embedding,
  type EmbedOptions,
  embedFrom,
  normalise,
  simplifying,
  turnsOf,
} from './embed.ts';

/** Limits on the aspect, the second for when the first fails: see aspect.ts. */
const ASPECTS = [2.5, 1];

/**
 * A mesh of more vertices relaxes less at the end, where moves are below the sample distance. Fewer
 * sweeps on the way, and a growth of 2, cost a body with limbs 5 dB.
 */
const MANY = 250_000;
const FINAL_SWEEPS_OF_MANY = 3;

interface ClosedEmbedding extends Embedding {
  /** Throws MeshError if rounding leaves a vertex no room. */
  plain: () => Embedding;
}

/** Throws MeshError if it is too degenerate even at the last aspect. */
export function embedClosed(
  positions: Float64Array,
  triangles: Uint32Array,
  onProgress: (stage: 'cones' | 'simplify' | 'embed', fraction: number) => void,
): ClosedEmbedding {
  const count = positions.length / 3;
  const twin = halfedges(triangles, count);
  let failure: unknown;
  for (const most of ASPECTS) {
    const closed = {
      positions: normalise(limitAspect(positions, triangles, most), triangles),
      triangles,
      twin,
    };
    try {
      const source = { ...closed, simplification: simplifying(closed) };
      const cones = searchCones(source, onProgress);
      const options = {
        ...DEFAULT_EMBED_OPTIONS,
        ...(count > MANY && { finalSweeps: FINAL_SWEEPS_OF_MANY }),
        cones,
      };
      const coarse = coarsenToTetrahedron(source, options);
      const from = (more: Partial<EmbedOptions>): Embedding =>
        embedFrom(coarse, source.positions, { ...options, ...more });
      const bent = from({ turns: turnsOf(source.positions, triangles), onProgress });
      return { ...bent, plain: () => from({}) };
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      failure = error;
    }
  }
  throw failure;
}
