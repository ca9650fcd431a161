/**
 * Questions of the page to its worker, and the answers, with surfaces as the page draws them. Poses
 * are 16 numbers, row-major 4x4, rigid. Lengths and places are in the common frame, in doubles.
 * Vertices are f32 about an own double origin, since coordinates may be large.
 */

import { short } from '../base/printable.ts';
import type { Bracket, Report } from '../engine/records.ts';
import { creased } from '../mesh/crease-normals.ts';
import { boxOf } from '../mesh/extent.ts';
import type { Surface } from '../mesh/topology.ts';
import type { ReportFinding } from '../report/finding.ts';
import type { ViewDocument } from './document.ts';
import type { Place, VisibleFraming } from './framing.ts';
import type { Judged } from './judged.ts';

import type { VisitedLevel } from './view-state.ts';

export interface Shape {
  /** The positions' origin in the asset's frame. */
  origin: [number, number, number];
  positions: Float32Array;
  triangles: Uint32Array;
  /** Of length 1, x, y, z for each vertex. Without normals, a surface is drawn in facets. */
  normals?: Float32Array;
}

export interface AssetFacts {
  /** The deepest level; the root is on level 0. */
  depth: number;
  bounds: string;
  /** Stored triangles; 0 for an F-rep. */
  triangles: number;
  /** The smallest axis-aligned box in its own frame. */
  low: [number, number, number];
  high: [number, number, number];
  /** The reason why it bounds no solid; null if it does. */
  open: string | null;
  hasPages: boolean;
}

export interface PairQuestion {
  a: number;
  b: number;
  poseA: ArrayLike<number>;
  poseB: ArrayLike<number>;
  /** Judge by this finding's question. Default: by the rules about the two. */
  finding?: string | null;
}

export interface QuickAnswer {
  /** `near`: apart, and within the clearance. */
  verdict: Report['verdict'] | 'near';
  /** Set if surfaces are apart, and one solid is inside the other. */
  class?: 'inside';
  judged: Judged;
  /** Null if it was not found in time. */
  distance: number | null;
  /** Proven bounds of the distance, if that was not found. */
  bracket?: Bracket;
  /** The nearest points, if apart, or a common one of two F-reps: x, y, z of a, then of b. */
  line: number[] | null;
  engine: Report['engine'];
  tests: Report['tests'];
  /** Milliseconds of the query alone. */
  ms: number;
  /** One line if the engine refuses to answer; otherwise null. */
  problem: string | null;
}

export interface FullAnswer {
  report: Omit<Report, 'contacts'>;
  judged: Judged;
  contacts: Report['contacts'];
  text: string;
  command: string;
  problem: string | null;
}

/** One or two objects at their places, and the place where they meet. */
export interface FramingQuestion extends Place {
  objects: { object: number; pose: ArrayLike<number> }[];
  /** The direction towards the viewer now. */
  from?: readonly number[];
  isOrthographic: boolean;
}

export interface Visits {
  tests: Report['tests'];
  /** Tested pairs of nodes per level of the deeper one, from 0. */
  levels: number[];
  /** The requested level or front: volumes of a and of b, each once, in their assets' frames. */
  a: Shape;
  b: Shape;
  /** Triangles of a and of b that were tested against each other, each once. */
  trianglesA: Shape;
  trianglesB: Shape;
  /** True if a shape has only its first 10,000 volumes or triangles; counts are complete. */
  isCut: boolean;
}

export interface Pages {
  /** RGBA, 8 bit; transparent if empty. */
  pages: {
    role: 'geometry' | 'normals' | 'spheres' | 'radii';
    width: number;
    height: number;
    rgba: Uint8ClampedArray;
  }[];
  /** The places' origin in the asset's frame: x, y, z. */
  origin: [number, number, number];
  /** x, y, z of the sample at each pixel of the first page; NaN: none. */
  places: Float32Array;
  /** Shows every stride-th sample both ways: a power of two, 1 except for large images. */
  stride: number;
  /** x, y of a chart's first quad on the first page, quads per side, level of its root. */
  charts: Int32Array;
}

export interface Questions {
  /** `isLazy`: reads an asset when a question first needs it, and returns no facts. */
  open: { question: { document: ViewDocument; files: Uint8Array[]; isLazy?: boolean }; answer: AssetFacts[] };
  surface: { question: { asset: number }; answer: Shape };
  bounds: { question: { asset: number; level: number }; answer: Shape };
  pages: { question: { asset: number }; answer: Pages };
  quick: { question: PairQuestion; answer: QuickAnswer };
  full: { question: PairQuestion; answer: FullAnswer };
  /** `through`: number of the object that hides the contact from everywhere; null: none does. */
  framing: { question: FramingQuestion; answer: VisibleFraming };
  contacts: { question: PairQuestion; answer: FullAnswer['contacts'] };
  visits: { question: PairQuestion & { level: VisitedLevel }; answer: Visits };
  /** All contacts with these objects moved, the others at their initial poses. */
  touching: {
    question: { poses: Record<string, ArrayLike<number>> };
    answer: { pairs: { a: string; b: string; class: string }[]; ms: number };
  };
  find: { question: { poses: Record<string, ArrayLike<number>> }; answer: { findings: ReportFinding[] } };
  /** Findings of another worker, by which pairs are judged from now on. */
  learn: { question: { findings: readonly ReportFinding[] }; answer: null };
}

export type Name = keyof Questions;
export type Question<N extends Name> = Questions[N]['question'];
export type Answer<N extends Name> = Questions[N]['answer'];

export interface Request<N extends Name = Name> {
  id: number;
  name: N;
  question: Question<N>;
}

/** `error`: one line for the user. */
export type Response = { id: number; answer: unknown } | { id: number; error: string };

/** Centers the surface on its box, so that f32 loses at most 2^-24 of its size anywhere. */
export function shapeOf({ positions, triangles }: Surface): Shape {
  const box = boxOf(positions, triangles);
  const middle = (k: number): number => (triangles.length > 0 ? box[k] / 2 + box[3 + k] / 2 : 0);
  const origin: Shape['origin'] = [middle(0), middle(1), middle(2)];
  const singles = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i++) singles[i] = positions[i] - origin[i % 3];
  return { origin, positions: singles, triangles };
}

/** With normals. Copies of vertices at sharp edges follow the surface's own. */
export function roundShapeOf(surface: Surface): Shape {
  const { normals, ...whole } = creased(surface);
  return { ...shapeOf(whole), normals };
}

/**
 * A common point of two surfaces that touch, in words; nothing if curves or areas show the contact,
 * as they do not for F-reps and cubes.
 */
export function meetingText({ report: { distance, witness }, contacts: { patches } }: FullAnswer): string {
  if (distance !== 0 || !witness || patches) return '';
  return `at ${witness.a.map(short).join(', ')}`;
}
