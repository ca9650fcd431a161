/** What is asked of mesh files and models, as plain data: whoever has the files can do it. */
import type { Compression } from '../../containers/pixels.ts';
import type { Split } from '../../readers/elements.ts';
import type { SphereMethod } from '../../representations/gi/tree/sphere-tree.ts';

/** How assets are built, as the command line and project files say it. */
export interface BuildFlags {
  split?: Split;
  units?: string;
  scale?: number;
  size: number | 'auto';
  psnr?: number;
  fit?: boolean;
  /** A length, or a percentage of the diagonal. */
  maxError?: string;
  embedSource?: boolean;
  compression: Compression;
  spheres: SphereMethod;
  k: number;
  bits: number;
  nodeBytes: number;
  precision?: number;
  fill?: boolean;
}

/** One file, and where what it becomes goes. */
export interface BuildInput {
  file: string;
  /** Of a mesh in each of the job's formats; of a model its only one. */
  outputs: string[];
  /** Of a split mesh's solids, of whichever their names are made. */
  solids?: string;
}

/**
 * Work for one thread: a file, or several whose elements' names may meet, since these are numbered
 * in their order.
 */
export interface BuildJob {
  kind: 'mesh' | 'model';
  inputs: BuildInput[];
  formats: readonly string[];
  flags: BuildFlags;
}

/** What all jobs of a run share. */
export interface BuildRun {
  /** Identities of all inputs: none is overwritten. */
  inputs: ReadonlySet<string>;
  /** Whether the quality of images is measured: somebody reads of it. */
  measures: boolean;
}

/** One output. */
export interface BuiltRecord {
  status: 'built';
  /** The line of --json. */
  line: Record<string, unknown>;
  /** The line of text. */
  text: string;
}

/** An input that is no output. */
export interface FailedRecord {
  status: 'failed';
  message: string;
}

export type BuildRecord = BuiltRecord | FailedRecord;
