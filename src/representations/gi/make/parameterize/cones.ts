/**
 * Chooses the four vertices that become the pillowcase's cone points.
 *
 * On a proxy of a few hundred vertices every choice can be tried in full. Farthest-point sampling
 * over the proxy's edges spreads ten candidates, so the tips of extremities come first. Four cones
 * have three pairings. Greedy swaps follow while one lowers the stretch. This gains 2-4 dB over the
 * four vertices that simplification leaves.
 *
 * Measured at 257, worst loss over six bodies: proxies of 100 1.3 dB in half the time, 500 0.4 in
 * twice, 1000 1.8 in four times; 6 candidates 1.3 in half the time, 16 1.2 in twice. The proxy's
 * stretch and the quality agree only within a decibel: a finer search finds other cones, no better
 * ones.
 */
import { MeshError } from '../../../../base/errors.ts';
import { furthest } from '../segment/patch.ts';
import {
  type ClosedMesh,
  type Coarse,
  coarsenToTetrahedron,
  type Embedding,
  type EmbedOptions,
  embedFrom,
  normalise,
  simplifying,
} from './embed.ts';
import { collapseTo } from './simplify.ts';

export interface Cones {
  vertices: Int32Array;
  opposite: 1 | 2 | 3;
}

const PROXY_VERTICES = 250;
const CANDIDATES = 10;
/** A swap must gain this factor, so that the search ends. */
const LEAST_GAIN = 1.001;
const PROXY_EMBED: EmbedOptions = { sweeps: 3, finalSweeps: 8, growth: 1.6 };

export function searchCones(
  mesh: ClosedMesh,
  onProgress?: (stage: 'simplify' | 'cones', fraction: number) => void,
): Cones {
  const { proxy, vertices } = coarsen(mesh, PROXY_VERTICES, (fraction) => onProgress?.('simplify', fraction));
  const candidates = spread(proxy, Math.min(CANDIDATES, vertices.length));
  const tried = new Map<string, Trial | null>();
  let best: Trial | null = null;
  const attempt = (set: number[]): Trial | null => {
    const key = set
      .slice()
      .sort((a, b) => a - b)
      .join();
    let trial = tried.get(key);
    if (trial === undefined) {
      trial = tryCones(proxy, set);
      tried.set(key, trial);
      onProgress?.('cones', Math.min(0.95, tried.size / 60));
    }
    return trial;
  };
  best = attempt(candidates.slice(0, 4));
  for (let improved = true; improved; ) {
    improved = false;
    for (let i = 0; i < 4; i++) {
      for (const candidate of candidates) {
        const current: number[] = best?.set ?? candidates.slice(0, 4);
        if (current.includes(candidate)) continue;
        const swapped = current.slice();
        swapped[i] = candidate;
        const trial = attempt(swapped);
        if (trial && (!best || trial.stretch * LEAST_GAIN < best.stretch)) {
          best = trial;
          improved = true;
        }
      }
    }
  }
  onProgress?.('cones', 1);
  if (!best) {
    throw new MeshError('expected a mesh that flattens within 46 bits, found no four vertices that it folds at');
  }
  return { vertices: Int32Array.from(best.set, (v) => vertices[v]), opposite: best.opposite };
}

interface Trial {
  set: number[];
  opposite: 1 | 2 | 3;
  stretch: number;
}

function tryCones(proxy: ClosedMesh, set: number[]): Trial | null {
  let best: Trial | null = null;
  let coarse: Coarse;
  try {
    coarse = coarsenToTetrahedron(proxy, { cones: { vertices: set, opposite: 1 } });
  } catch {
    return null; // these four leave no legal collapse, so try others
  }
  for (const opposite of [1, 2, 3] as const) {
    let embedding: Embedding;
    try {
      embedding = embedFrom(coarse, proxy.positions, {
        ...PROXY_EMBED,
        cones: { vertices: set, opposite },
      });
    } catch {
      continue; // these four leave no room, so try others
    }
    if (!best || embedding.stretch < best.stretch) best = { set, opposite, stretch: embedding.stretch };
  }
  return best;
}

function coarsen(
  mesh: ClosedMesh,
  target: number,
  onProgress: (fraction: number) => void,
): { proxy: ClosedMesh; vertices: Int32Array } {
  const count = mesh.positions.length / 3;
  if (count <= target) {
    // Without the simplification: each trial collapses the proxy afresh.
    const { positions, triangles, twin } = mesh;
    return { proxy: { positions, triangles, twin }, vertices: Int32Array.from({ length: count }, (_, v) => v) };
  }
  const simplification = mesh.simplification ?? simplifying(mesh);
  const log = collapseTo(simplification, { target, onProgress });
  const { mesh: coarse } = simplification;
  const dead = new Uint8Array(coarse.origin.length / 3);
  for (let i = 0; i < log.count; i++) {
    dead[(log.halfedge[i] / 3) | 0] = 1;
    dead[(coarse.twin[log.halfedge[i]] / 3) | 0] = 1;
  }
  const number = new Int32Array(count).fill(-1);
  const vertices: number[] = [];
  for (let v = 0; v < count; v++) {
    if (coarse.outgoing[v] < 0) continue;
    number[v] = vertices.length;
    vertices.push(v);
  }
  const faceNumber = new Int32Array(dead.length);
  let faces = 0;
  for (let f = 0; f < dead.length; f++) faceNumber[f] = dead[f] ? -1 : faces++;
  const triangles = new Int32Array(3 * faces);
  const twin = new Int32Array(3 * faces);
  for (let f = 0; f < dead.length; f++) {
    if (dead[f]) continue;
    for (let k = 0; k < 3; k++) {
      const h = 3 * faceNumber[f] + k;
      const other = coarse.twin[3 * f + k];
      triangles[h] = number[coarse.origin[3 * f + k]];
      twin[h] = 3 * faceNumber[(other / 3) | 0] + (other % 3);
    }
  }
  const positions = new Float64Array(3 * vertices.length);
  vertices.forEach((v, i) => {
    positions.set(mesh.positions.subarray(3 * v, 3 * v + 3), 3 * i);
  });
  return {
    proxy: { positions: normalise(positions, triangles), triangles, twin },
    vertices: Int32Array.from(vertices),
  };
}

/** Farthest-point sampling along edges, starting at the vertex farthest from vertex 0. */
function spread(mesh: ClosedMesh, count: number): number[] {
  const vertexCount = mesh.positions.length / 3;
  const fromZero = new Float64Array(vertexCount).fill(Number.POSITIVE_INFINITY);
  lowerDistances(mesh, 0, fromZero);
  const chosen = [furthest(fromZero)];
  const distance = new Float64Array(vertexCount).fill(Number.POSITIVE_INFINITY);
  while (chosen.length < count) {
    lowerDistances(mesh, chosen[chosen.length - 1], distance);
    chosen.push(furthest(distance));
  }
  return chosen;
}

/** Lowers distances by paths along edges from `source`; a few hundred vertices need no heap. */
function lowerDistances(mesh: ClosedMesh, source: number, distance: Float64Array): void {
  distance[source] = 0;
  const { positions, triangles } = mesh;
  for (let changed = true; changed; ) {
    changed = false;
    for (let h = 0; h < triangles.length; h++) {
      const a = triangles[h];
      const b = triangles[h % 3 === 2 ? h - 2 : h + 1];
      const dx = positions[3 * a] - positions[3 * b];
      const dy = positions[3 * a + 1] - positions[3 * b + 1];
      const dz = positions[3 * a + 2] - positions[3 * b + 2];
      const through = distance[a] + Math.sqrt(dx * dx + dy * dy + dz * dz);
      if (through < distance[b]) {
        distance[b] = through;
        changed = true;
      }
    }
  }
}
