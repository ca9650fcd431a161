/** Build jobs as plain data, so that threads and other machines can run them. */
import type { Compression } from '../../containers/pixels.ts';
import type { Split } from '../../readers/elements.ts';
import type { ObjParser } from '../../readers/mesh-file.ts';
import type { PageRole } from '../../representations/gi/format/pages.ts';
import type { ChartChoice } from '../../representations/gi/make/charts/one-square.ts';
import type { FitChoice } from '../../representations/gi/make/fit-charts.ts';
import type { SphereMethod } from '../../representations/gi/tree/sphere-tree.ts';
import type { NamedPlace } from '../inputs/name.ts';

export interface BuildFlags {
  split?: Split;
  units?: string;
  scale?: number;
  weld?: number;
  chordTolerance?: string;
  /** How OBJ is parsed, to the same bits: the key of a build leaves it out. */
  parser?: ObjParser;
  /** Patterns of names, sorted: elements that are left out. */
  exclude?: string[];
  size: number | 'auto';
  psnr?: number;
  fit?: FitChoice;
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

export interface PlanFlags extends BuildFlags {
  /** A comma-separated list, or `all`. */
  format: string;
  out: string;
  flat?: boolean;
}

export const BUILD_DEFAULTS = {
  format: 'gi',
  out: 'out/',
  size: 'auto',
  compression: 'deflate',
  fit: 'auto',
  charts: 'auto',
  spheres: 'tight',
  k: 24,
  bits: 16,
  nodeBytes: 40,
} as const satisfies PlanFlags;

const FLAGS = [
  ...['split', 'units', 'scale', 'weld', 'chordTolerance', 'exclude', 'size', 'psnr', 'fit', 'maxError', 'charts'],
  ...['embedSource', 'compression', 'pages', 'spheres', 'parser'],
  ...['k', 'bits', 'nodeBytes', 'precision', 'fill'],
];

export const buildFlagsOf = (flags: BuildFlags): BuildFlags =>
  Object.fromEntries(
    Object.entries(flags).filter(([name, value]) => FLAGS.includes(name) && value !== undefined),
  ) as unknown as BuildFlags;

export interface BuildInput {
  file: string;
  /** One output per format of the job; a model has only one. */
  outputs: string[];
  /** Base name for the outputs of a split mesh's solids. */
  solids?: string;
}

/** Work for one thread: a file, or several whose elements' names may collide and are numbered. */
export interface BuildJob {
  kind: 'mesh' | 'model';
  inputs: BuildInput[];
  formats: readonly string[];
  flags: BuildFlags;
}

export interface BuildRun {
  /** Identities of all inputs, which no output may overwrite. */
  inputs: ReadonlySet<string>;
  named?: NamedPlace;
  measures: boolean;
  force?: boolean;
  /** True if outputs are only inspected. */
  looks?: boolean;
  cache?: CachePlace;
  /** Threads for one large tree, where jobs run one after the other. */
  threads?: number;
}

/** A cache that jobs share; the user's cache if there is no folder. */
export interface CachePlace {
  folder?: string;
}

export interface OutputFacts {
  output: string;
  source: string;
  sha256: string;
  /** Paths of the files that the input references. */
  beside: readonly string[];
  element?: string;
  format: string;
  /** Digest of the request, 64 hexadecimal digits. */
  request: string;
}

/** Facts about an asset for output lines, beside names and sizes; the cache stores them. */
export interface AssetFacts {
  fields: Record<string, unknown>;
  /** Its kind and size: geometry image 257 x 257. */
  what: string;
  /** Its source: 3,674 triangles. */
  of?: string;
  /** Bound on an image's distance from its mesh: within 0.003 of the mesh. */
  bound?: string;
  /** Bytes of the source as an OBB tree, if that is smaller. */
  exact?: number;
  /** The reason for its layout, for --verbose. */
  why?: string;
  /** Mean quality of an image: 84.1 dB. */
  quality?: string | undefined;
  /** The same in both directions, for --verbose. */
  measures?: string;
}

export interface MadeRecord extends OutputFacts {
  status: 'built' | 'cached';
  bytes: Uint8Array;
  facts: AssetFacts;
  seconds: number;
}

export interface DoneRecord extends OutputFacts {
  status: 'built' | 'cached' | 'fresh';
  size: number;
  /** Absent if the output is fresh. */
  facts?: AssetFacts;
  seconds?: number;
}

export interface StaleRecord extends OutputFacts {
  status: 'missing' | 'stale';
  reason: string;
}

interface FailedRecord {
  status: 'failed';
  source: string;
  message: string;
}

/** Elements of a file that `exclude` left out; or the file itself, by its own name. */
export interface ExcludedRecord {
  status: 'excluded';
  source: string;
  names: string[];
  isWhole?: true;
}

export type JobRecord = MadeRecord | DoneRecord | StaleRecord | FailedRecord | ExcludedRecord;
export type BuildRecord = Exclude<JobRecord, MadeRecord>;
