/** What is asked of mesh files and models, as plain data: whoever has the files can do it. */
import type { Compression } from '../../containers/pixels.ts';
import type { Split } from '../../readers/elements.ts';
import type { ChartChoice } from '../../representations/gi/build/charts/one-square.ts';
import type { PageRole } from '../../representations/gi/format/page-roles.ts';
import type { SphereMethod } from '../../representations/gi/tree/sphere-tree.ts';
import type { NamedPlace } from '../file-source.ts';

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
  charts?: ChartChoice;
  compression: Compression;
  pages?: PageRole[];
  spheres: SphereMethod;
  k: number;
  bits: number;
  nodeBytes: number;
  precision?: number;
  fill?: boolean;
}

/** Where assets go, and of which formats. */
export interface PlanFlags extends BuildFlags {
  /** A comma list, or `all`. */
  format: string;
  out: string;
  flat?: boolean;
}

/** What holds where nobody says. */
export const BUILD_DEFAULTS = {
  format: 'gi',
  out: 'out/',
  size: 257,
  compression: 'deflate',
  charts: 'auto',
  spheres: 'tight',
  k: 24,
  bits: 16,
  nodeBytes: 40,
} as const satisfies PlanFlags;

const FLAGS = [
  ...['split', 'units', 'scale', 'size', 'psnr', 'fit', 'maxError', 'charts', 'embedSource'],
  ...['compression', 'pages', 'spheres'],
  ...['k', 'bits', 'nodeBytes', 'precision', 'fill'],
];

/** Those that say how assets are built: a job is plain data, and goes to threads and machines. */
export const buildFlagsOf = (flags: BuildFlags): BuildFlags =>
  Object.fromEntries(
    Object.entries(flags).filter(([name, value]) => FLAGS.includes(name) && value !== undefined),
  ) as unknown as BuildFlags;

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

/** What all jobs of a run share; plain data, too. */
export interface BuildRun {
  /** Identities of all inputs: none is overwritten. */
  inputs: ReadonlySet<string>;
  /** Where the inputs may lie, if a project names them. */
  named?: NamedPlace;
  /** Whether the quality of images is measured: somebody reads of it. */
  measures: boolean;
  /** Whether what is fresh is built, too. */
  force?: boolean;
  /** Whether outputs are looked at alone. */
  looks?: boolean;
  /** Where what was built before is looked for. */
  cache?: CachePlace;
}

/** The cache that jobs share; that of the user where it is not said. */
export interface CachePlace {
  folder?: string;
}

/** What is known of an output, whatever becomes of it. */
export interface OutputFacts {
  output: string;
  /** The name of the input. */
  source: string;
  /** Digest of the input's bytes. */
  sha256: string;
  /** Where the files are that the input names. */
  beside: readonly string[];
  element?: string;
  format: string;
  /** The digest of the request, 64 hexadecimal digits. */
  request: string;
}

/** What lines say of an asset beside its names and sizes; the cache keeps it. */
export interface AssetFacts {
  /** Fields of a line of JSON. */
  fields: Record<string, unknown>;
  /** What it is: 257 x 257. */
  what: string;
  /** What it was made of: 3674 triangles. */
  of?: string;
  /** Of an image, how far from its source it is at most: within 0.003. */
  bound?: string;
  /** What its author wants to know: why it has this layout, and what was measured of it. */
  why?: string;
  measures?: string;
}

/** An output that is made, and not written yet. */
export interface MadeRecord extends OutputFacts {
  status: 'built' | 'cached';
  bytes: Uint8Array;
  facts: AssetFacts;
  /** That building took. */
  seconds: number;
}

/** An output that was there, or has been written. */
export interface DoneRecord extends OutputFacts {
  status: 'built' | 'cached' | 'fresh';
  /** Of the file. */
  size: number;
  /** Unless it is fresh. */
  facts?: AssetFacts;
  seconds?: number;
}

/** An output that is not what would be built. */
export interface StaleRecord extends OutputFacts {
  status: 'missing' | 'stale';
  /** Why it is stale. */
  reason: string;
}

/** An input that is no output. */
export interface FailedRecord {
  status: 'failed';
  /** The name of the input. */
  source: string;
  message: string;
}

/** What a job gives, one after the other. */
export type JobRecord = MadeRecord | DoneRecord | StaleRecord | FailedRecord;
/** What is left of it when all is written. */
export type BuildRecord = Exclude<JobRecord, MadeRecord>;
