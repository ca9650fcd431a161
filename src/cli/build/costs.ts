/**
 * Predicts a job's cost from its options and file sizes, without reading files. Threads use it to
 * share memory, and shards to finish together.
 */
import { statSync } from 'node:fs';
import { extensionOf, STDIN } from '../inputs/name.ts';
import type { BuildFlags, BuildJob } from './job.ts';

/** CPU milliseconds, and peak memory in bytes. */
export interface Cost {
  ms: number;
  bytes: number;
}

const known = new WeakMap<BuildJob, Cost>();

/** Returns the same for the same files and options, on any machine. */
export function predict(job: BuildJob): Cost {
  const before = known.get(job);
  if (before) return before;
  const cost = { ms: 0, bytes: 0 };
  for (const { file } of job.inputs) {
    const triangles = trianglesIn(file);
    for (const format of job.formats) {
      const own = costOf(format, triangles, job.flags);
      cost.ms += own.ms;
      cost.bytes = Math.max(cost.bytes, own.bytes);
    }
  }
  known.set(job, cost);
  return cost;
}

/** Approximate file bytes per triangle. */
const TEXT_BYTES = 36;
const BINARY_BYTES = 30;
const TEXT = ['.obj', '.off', '.ifc'];

/** Estimates the number of triangles from the file size; 0 for a missing file. */
function trianglesIn(file: string): number {
  if (file === STDIN) return 0;
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size / (TEXT.includes(extensionOf(file)) ? TEXT_BYTES : BINARY_BYTES);
}

/** The size that `auto` chooses for most models. */
const AUTO_SIZE = 513;
/** Triangles up to which an image's charts are chosen among many. */
const FEW = 5000;

/**
 * Measured with balls in OBJ; time is two thirds of the CPU time on a busy machine, memory the peak
 * of a process:
 *
 *   5,000 triangles    gi 65, 257, 513: 137, 214, 330 MB; gi 1025: 415 MB; obb 108 MB
 *   50,000             gi 65, 257, 513: 230, 209, 328 MB; obb 173 MB
 *   300,000            obb 251 MB
 *   1,000,000          gi 257: 617 MB; obb 556 MB
 */
function costOf(format: string, triangles: number, { size, fit }: BuildFlags): Cost {
  switch (format) {
    case 'gi': {
      const samples = (size === 'auto' ? AUTO_SIZE : size) ** 2;
      const ofMesh = Math.min(triangles, FEW) * 0.15 + triangles * 0.02;
      return { ms: 100 + ofMesh + samples * (fit ? 0.02 : 0.004), bytes: 2e8 + triangles * 600 + samples * 350 };
    }
    case 'frep':
      return { ms: 20, bytes: 1e8 };
    case 'obb':
      return { ms: 20 + triangles * 0.015, bytes: 1e8 + triangles * 600 };
    default:
      return { ms: 20 + triangles * 0.004, bytes: 1e8 + triangles * 500 };
  }
}
