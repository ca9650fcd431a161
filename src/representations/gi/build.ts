/** A closed genus-0 mesh becomes a geometry image: clean, embed, resample, quantise, bound. */
import { MeshError, OptionError } from '../../math/errors.ts';
import { cleanMesh, type MeshLosses } from '../../mesh/clean.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { vertexNormals } from '../../mesh/normals.ts';
import { halfedges, requireClosedGenusZero } from '../../mesh/topology.ts';
import type { Provenance } from '../../query/representation.ts';
import { TOOL } from '../../version.ts';
import { exponentOf, type GeometryImage } from './geometry-image.ts';
import { limitAspect } from './parameterize/aspect.ts';
import { searchCones } from './parameterize/cones.ts';
import { DEFAULT_EMBED_OPTIONS, type Embedding, embed, normalise } from './parameterize/embed.ts';
import { resample } from './resample.ts';
import { buildSphereTree, type SphereMethod } from './sphere-tree.ts';

export interface GiBuildOptions extends Provenance {
  /** Samples along a side, 2^n + 1 with n from 4 to 13; 257 by default. */
  size?: number;
  /** How the bounding spheres are made: `tight` (default) or as the `seed` paper does. */
  spheres?: SphereMethod;
  /** Told what cleaning dropped, before anything else is done. */
  onLosses?: (losses: MeshLosses) => void;
}

const DEFAULT_SIZE = 257;
/** Outside, fourth powers of lengths (squared areas, weights of normals) leave the range of doubles: (2^-53 1e-60)^4 = 2e-304. */
const SMALLEST_EXTENT = 1e-60;
const LARGEST_EXTENT = 1e60;

/** Shares of a build's time, measured on 70k triangles at 257; the progress bar runs evenly by them. */
const SHARES = {
  cones: { from: 0, share: 0.35 },
  simplify: { from: 0.35, share: 0.1 },
  embed: { from: 0.45, share: 0.4 },
  resample: { from: 0.85, share: 0.05 },
  spheres: { from: 0.9, share: 0.1 },
};

/** How long and thin a mesh may look to the embedding, first and where that fails: see aspect.ts. */
const ASPECTS = [2.5, 1];

/**
 * Remeshes a closed genus-0 surface into a geometry image. The same mesh and options give the same image on any engine.
 *
 * @throws MeshError when the mesh is not closed, not of genus 0, not in one piece or not manifold: the line says which
 * @throws OptionError for a size that is not 2^n + 1
 * @example const image = buildGeometryImage(readObj(bytes), { size: 129 });
 */
export function buildGeometryImage(mesh: Mesh, options: GiBuildOptions = {}): GeometryImage {
  const size = options.size ?? DEFAULT_SIZE;
  const spheres = options.spheres ?? 'tight';
  const exponent = exponentOf(size);
  if (exponent < 0) {
    throw new OptionError(`size ${size}: expected 2^n + 1 from 17 to 8193 (17, 33, 65, 129, 257, 513, 1025, ...)`);
  }
  if (spheres !== 'tight' && spheres !== 'seed') {
    throw new OptionError(`spheres ${String(spheres)}: expected tight or seed`);
  }
  const { mesh: clean, losses } = cleanMesh(mesh);
  options.onLosses?.(losses);
  requireClosedGenusZero(clean);
  requireUsableExtent(clean.positions);
  const { positions, triangles } = clean;
  const progress = (stage: keyof typeof SHARES) => (fraction: number) =>
    options.onProgress?.(stage, SHARES[stage].from + SHARES[stage].share * fraction);
  const embedding = embedInPillowcase(positions, triangles, progress);
  const samples = resample(positions, triangles, vertexNormals(positions, triangles), embedding, size);
  progress('resample')(1);
  const { geometry, origin, step } = quantise(samples.positions);
  const tree = buildSphereTree(geometry, exponent, { origin, step }, spheres);
  progress('spheres')(1);
  return {
    representation: 'gi',
    exponent,
    origin,
    step,
    geometry,
    normals: quantiseNormals(samples.normals),
    tree,
    header: {
      tool: TOOL,
      source: options.source ?? null,
      units: options.units ?? null,
      options: { size, spheres, ...options.options },
    },
  };
}

/** Embeds a closed genus-0 mesh, its cones searched. Throws MeshError where it is too degenerate even as a round one. */
function embedInPillowcase(
  positions: Float64Array,
  triangles: Uint32Array,
  progress: (stage: keyof typeof SHARES) => (fraction: number) => void,
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
      const cones = searchCones(closed, progress('cones'));
      return embed(closed, {
        ...DEFAULT_EMBED_OPTIONS,
        cones,
        onProgress: (stage, fraction) => progress(stage)(fraction),
      });
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

function requireUsableExtent(positions: Float64Array): void {
  const { extent, largest } = boundsOf(positions);
  if (!(extent >= SMALLEST_EXTENT && largest <= LARGEST_EXTENT)) {
    throw new MeshError(
      `expected an extent of at least ${SMALLEST_EXTENT} and coordinates up to ${LARGEST_EXTENT}, found ${extent} and ${largest}: scale the mesh`,
    );
  }
  if (extent < largest * 2 ** -36) {
    throw new MeshError(
      `expected a mesh near its origin, found an extent of ${extent} at coordinates of ${largest}: doubles cannot hold 65535 steps there, move the mesh`,
    );
  }
}

function boundsOf(positions: Float64Array) {
  const low = new Float64Array(3).fill(Number.POSITIVE_INFINITY);
  const high = new Float64Array(3).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < positions.length; i++) {
    const k = i % 3;
    if (positions[i] < low[k]) low[k] = positions[i];
    if (positions[i] > high[k]) high[k] = positions[i];
  }
  const extent = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  const largest = Math.max(...low.map(Math.abs), ...high.map(Math.abs));
  return { low, extent, largest };
}

/** One step for all axes, so that a sphere stays a sphere on the grid; half a step is the most a sample moves. */
function quantise(positions: Float64Array): { geometry: Uint16Array; origin: Float64Array; step: number } {
  const { low, extent } = boundsOf(positions);
  const step = extent / 65535;
  const geometry = new Uint16Array(positions.length);
  for (let i = 0; i < positions.length; i++) {
    geometry[i] = Math.min(65535, Math.round((positions[i] - low[i % 3]) / step));
  }
  return { geometry, origin: low, step };
}

/** Component = (q - 32768) / 32767, so that 0 and +-1 are exact. */
function quantiseNormals(normals: Float64Array): Uint16Array {
  const quantised = new Uint16Array(normals.length);
  for (let i = 0; i < normals.length; i++) quantised[i] = Math.round(normals[i] * 32767) + 32768;
  return quantised;
}
