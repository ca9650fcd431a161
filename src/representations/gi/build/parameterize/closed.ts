/** Embeds a closed surface of genus 0 in the pillowcase, its cones searched. */
import { MeshError } from '../../../../math/errors.ts';
import { halfedges } from '../../../../mesh/topology.ts';
import { limitAspect } from './aspect.ts';
import { searchCones } from './cones.ts';
import {
  coarsenToTetrahedron,
  copyOf,
  DEFAULT_EMBED_OPTIONS,
  type Embedding,
  type EmbedOptions,
  embedFrom,
  normalise,
  turnsOf,
} from './embed.ts';
import { simplifyOnce } from './simplify.ts';

/**
 * How long and thin a mesh may look to the embedding, first and where that fails: see aspect.ts.
 */
const ASPECTS = [2.5, 1];

/**
 * A mesh of more vertices is simplified to FEWER once for all, before its cones are known, and
 * relaxes less at the end, when what moves is smaller than what lies between two samples. Measured,
 * 1.3 million triangles, seconds of processor time and dB at 257: 25.2 and 98.1, with both 20.3 and
 * 97.9; three bodies with limbs of 220 to 350 thousand triangles 73.8, 81.8 and 68.4, with the first
 * 74.4, 81.6 and 67.6, with both 74.4, 81.6 and 67.4. Fewer sweeps on the way, and a growth of 2,
 * cost the last one 5 dB.
 */
const MANY = 250_000;
const FEWER = 20_000;
const FINAL_SWEEPS_OF_MANY = 3;

/** Of the cones' part of the progress, what is left for their search then. */
const SEARCH = 0.1;

/** An embedding with bends counted in; and one by lengths alone, made when it is asked for. */
export interface ClosedEmbedding extends Embedding {
  /** Throws MeshError where rounding leaves a vertex no room. */
  plain: () => Embedding;
}

/**
 * @param onProgress told which of the three stages is how far, from 0 to 1
 * @throws MeshError where it is too degenerate even as a round one
 */
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
      const before = count > MANY ? 1 - SEARCH : 0;
      const told = (fraction: number): void => onProgress('cones', fraction);
      const simplified = count > MANY && simplifyOnce(closed, FEWER, (fraction) => told(before * fraction));
      const source = { ...closed, ...(simplified && { simplified }) };
      const cones = searchCones(source, (fraction) => told(before + (1 - before) * fraction));
      const options = {
        ...DEFAULT_EMBED_OPTIONS,
        ...(count > MANY && { finalSweeps: FINAL_SWEEPS_OF_MANY }),
        cones,
      };
      const { mesh, log } = coarsenToTetrahedron(source, { ...options, onProgress });
      const from = (more: Partial<EmbedOptions>): Embedding =>
        embedFrom({ mesh: copyOf(mesh), log }, source.positions, { ...options, ...more });
      const bent = from({ turns: turnsOf(source.positions, triangles), onProgress });
      return { ...bent, plain: () => from({}) };
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      failure = error;
    }
  }
  throw failure;
}
