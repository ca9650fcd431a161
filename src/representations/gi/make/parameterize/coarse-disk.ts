/**
 * Coarsens a disk to test a placement of its rim in milliseconds.
 *
 * The form has a few hundred inner vertices and at most as many on the rim, chosen evenly by arc
 * length. Every coarse vertex is one of the disk's, so its rim's places are those of the disk.
 */
import { nextInTriangle as next, previousInTriangle as previous } from '../../../../mesh/topology.ts';
import { type DiskEmbedding, type EmbedDiskOptions, embedDisk } from './disk.ts';
import { closeDisk, type Disk, requireDisk } from './disk-mesh.ts';
import { normalise } from './embed.ts';
import { type HalfedgeMesh, simplify } from './simplify.ts';

interface CoarseDisk extends Disk {
  boundary: Int32Array;
  /** Index of each vertex in the source's `boundary`, ascending. */
  rim: Int32Array;
}

const COARSE_INNER = 400;
/** Largest number of inner vertices to simplify with care; above it, some are removed first. */
const THINNED = 3200;
const MOST_PASSES = 60;
/** During thinning. */
const MOST_NEIGHBOURS = 12;
const COARSE_RIM = 120;
/**
 * Measured at 257: final and coarse sweeps of 8 and 8 give as many dB as 20 and 30 in 15 % less
 * time of the build, but at worst 1.8 times the stretch; 8 and 16 are between.
 */
const COARSE_EMBED: EmbedDiskOptions = { sweeps: 3, finalSweeps: 8, growth: 1.6, coarseSweeps: 16, aspect: 2 };

/** Throws MeshError if it is no disk. */
export function coarsenDisk(disk: Disk): CoarseDisk {
  const { boundary, triangles } = disk;
  const { twin } = requireDisk(disk);
  const count = disk.positions.length / 3;
  const rimCount = boundary.length;
  const target = Math.min(rimCount, COARSE_RIM) + COARSE_INNER;
  if (count <= target) {
    return { ...disk, boundary: Int32Array.from(boundary), rim: Int32Array.from({ length: rimCount }, (_, i) => i) };
  }
  const inOrder = Int32Array.from(boundary);
  const closed = closeDisk({ positions: normalise(disk.positions, triangles), triangles, boundary: inOrder, twin });
  const { mesh, infinity } = closed;
  const onRim = new Uint8Array(infinity + 1);
  for (const v of inOrder) onRim[v] = 1;
  const kept = [infinity];
  const along = arcLength(disk);
  for (let i = 0, last = -1; i < rimCount; i++) {
    const share = Math.floor((along[i] * COARSE_RIM) / 4);
    if (share !== last) kept.push(boundary[i]);
    last = share;
  }
  const { origin, outgoing } = mesh;
  const alive = thin(mesh, closed.positions, rimCount + THINNED, onRim);
  const log = simplify(mesh, closed.positions, {
    target: target + 1,
    keep: kept,
    // A rim vertex only moves along the rim. Through the vertex at infinity, the link condition
    // detects chords.
    mayCollapse: ({ twin: across }, h) => onRim[origin[h]] === 0 || onRim[origin[across[h]]] === 1,
  });
  const dead = alive.map((lives) => 1 - lives);
  for (let i = 0; i < log.count; i++) {
    dead[Math.floor(log.halfedge[i] / 3)] = 1;
    dead[Math.floor(mesh.twin[log.halfedge[i]] / 3)] = 1;
  }
  const number = new Int32Array(infinity);
  const positions: number[] = [];
  for (let v = 0; v < infinity; v++) {
    if (outgoing[v] < 0) continue;
    number[v] = positions.length / 3;
    positions.push(disk.positions[3 * v], disk.positions[3 * v + 1], disk.positions[3 * v + 2]);
  }
  const faces: number[] = [];
  for (let h = 0; h < triangles.length; h += 3) {
    if (dead[h / 3] === 0) faces.push(number[origin[h]], number[origin[h + 1]], number[origin[h + 2]]);
  }
  const rim = Int32Array.from({ length: rimCount }, (_, i) => i).filter((i) => outgoing[boundary[i]] >= 0);
  return {
    positions: Float64Array.from(positions),
    triangles: Uint32Array.from(faces),
    boundary: rim.map((i) => number[boundary[i]]),
    rim,
  };
}

/**
 * Collapses inner vertices, short edges first, until about `target` are left, or few can be. It
 * ignores shape, and takes an eighth of the time of `simplify`. Returns 1 for every remaining
 * triangle.
 */
function thin(
  { origin, twin, outgoing }: HalfedgeMesh,
  positions: Float64Array,
  target: number,
  fixed: Uint8Array,
): Uint8Array {
  const lives = new Uint8Array(origin.length / 3).fill(1);
  const count = outgoing.length;
  let alive = count;
  if (alive <= target) return lives;
  const mark = new Int32Array(count);
  const touched = new Int32Array(count);
  let stamp = 0;
  // About the square of a mean edge, since the area is 4.
  let limit = 8 / alive;
  for (let pass = 1; alive > target && pass <= MOST_PASSES; pass++) {
    const before = alive;
    for (let u = 0; u < count && alive > target; u++) {
      if (outgoing[u] < 0 || fixed[u] === 1 || touched[u] === pass || u === count - 1) continue;
      let best = -1;
      let least = limit;
      let valence = 0;
      stamp++;
      let e = outgoing[u];
      do {
        valence++;
        const to = origin[next(e)];
        mark[to] = stamp;
        const dx = positions[3 * to] - positions[3 * u];
        const dy = positions[3 * to + 1] - positions[3 * u + 1];
        const dz = positions[3 * to + 2] - positions[3 * u + 2];
        const length = dx * dx + dy * dy + dz * dz;
        if (length <= least) {
          least = length;
          best = e;
        }
        e = twin[previous(e)];
      } while (e !== outgoing[u]);
      if (best < 0 || valence > MOST_NEIGHBOURS) continue;
      const t = twin[best];
      let shared = 0;
      let neighbours = 0;
      e = t;
      do {
        neighbours++;
        if (mark[origin[next(e)]] === stamp) shared++;
        e = twin[previous(e)];
      } while (e !== t);
      const w = origin[previous(best)];
      const x = origin[previous(t)];
      if (shared !== 2 || valence + neighbours - 4 > MOST_NEIGHBOURS) continue;
      if (hasThreeNeighbours(twin, outgoing[w]) || hasThreeNeighbours(twin, outgoing[x])) continue;
      const v = origin[t];
      e = best;
      do {
        touched[origin[next(e)]] = pass;
        origin[e] = v;
        e = twin[previous(e)];
      } while (e !== best);
      const a = twin[next(best)];
      const b = twin[previous(best)];
      const c = twin[next(t)];
      const d = twin[previous(t)];
      twin[a] = b;
      twin[b] = a;
      twin[c] = d;
      twin[d] = c;
      outgoing[u] = -1;
      outgoing[v] = b;
      outgoing[w] = a;
      outgoing[x] = c;
      lives[Math.floor(best / 3)] = 0;
      lives[Math.floor(t / 3)] = 0;
      alive--;
    }
    if (before - alive < 0.15 * before) limit *= 2;
  }
  return lives;
}

function hasThreeNeighbours(twin: Int32Array, first: number): boolean {
  let count = 0;
  let e = first;
  do {
    count++;
    e = twin[previous(e)];
  } while (e !== first && count < 4);
  return count < 4;
}

/**
 * Embeds a coarse form in 3 to 10 ms; `perimeter` is that of the whole disk, as in `embedDisk`. Its
 * stretch is close enough to the disk's to compare two candidates. Measured, relative to the
 * disk's: bumpy spheres less a vertex's triangles 1.08, 1.17, 1.07, bunny less one 1.20, tube 0.97.
 */
export function estimateDisk(coarse: CoarseDisk, perimeter: ArrayLike<number>): DiskEmbedding {
  return embedDisk(
    coarse,
    Float64Array.from(coarse.rim, (i) => perimeter[i]),
    COARSE_EMBED,
  );
}

/** Arc length to each rim vertex, 4 in all; an empty edge counts a thousandth of the mean. */
export function arcLength({ positions: p, boundary }: Disk): Float64Array {
  const count = boundary.length;
  const lengths = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const u = 3 * boundary[i];
    const v = 3 * boundary[i + 1 < count ? i + 1 : 0];
    const x = p[v] - p[u];
    const y = p[v + 1] - p[u + 1];
    const z = p[v + 2] - p[u + 2];
    lengths[i] = Math.sqrt(x * x + y * y + z * z);
    sum += lengths[i];
  }
  const floor = sum > 0 ? sum / (1000 * count) : 1;
  let whole = 0;
  for (let i = 0; i < count; i++) whole += Math.max(floor, lengths[i]);
  const along = new Float64Array(count);
  for (let i = 0, s = 0; i < count; s += Math.max(floor, lengths[i++])) along[i] = (4 * s) / whole;
  return along;
}
