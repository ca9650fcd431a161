/**
 * What the page asks of its worker, which has the library, and what that answers. Poses are 16
 * numbers, row-major 4x4, rigid; lengths and places are in the common frame, in doubles. Vertices
 * are singles about an origin of their own, which is a double: coordinates may be large.
 */
import type { Bracket, Report } from '../query/report.ts';
import type { ReportFinding } from '../report/model.ts';
import type { ViewDocument } from './document.ts';

/** Triangles to draw. */
export interface Shape {
  /** What the positions are about, in the asset's frame: x, y, z. */
  origin: [number, number, number];
  /** x, y, z each. */
  positions: Float32Array;
  /** Three numbers of vertices each. */
  triangles: Uint32Array;
}

/** What is known of an asset once it is read. */
export interface AssetFacts {
  /** The number of the deepest level; the root's is 0. */
  depth: number;
  /** What bounds it, in the plural: spheres, boxes, k-DOPs, cubes, cells. */
  bounds: string;
  /** Stored; 0 of an F-rep. */
  triangles: number;
  /** The least box with the axes of its own frame. */
  low: [number, number, number];
  high: [number, number, number];
  /** Why it bounds no solid; null where it does. */
  open: string | null;
  /** Whether it is a geometry image, with pages to look at. */
  hasPages: boolean;
}

/** Two objects where they stand. */
export interface PairQuestion {
  /** Numbers of objects. */
  a: number;
  b: number;
  poseA: ArrayLike<number>;
  poseB: ArrayLike<number>;
}

/** What is told at every move: nothing here takes longer than a frame. */
export interface QuickAnswer {
  verdict: Report['verdict'];
  /** Null where it was not found in time. */
  distance: number | null;
  /** What is proved of the distance, where that was not found. */
  bracket?: Bracket;
  /** The nearest points, where they are apart: x, y, z of a, then of b. */
  line: number[] | null;
  engine: Report['engine'];
  tests: Report['tests'];
  /** Of the query alone, milliseconds. */
  ms: number;
  /** Why the engine refuses to answer, one line; null where it answers. */
  problem: string | null;
}

/** What is told when the objects rest for a moment. */
export interface FullAnswer {
  /** Of `check` with everything asked that these two can be asked. */
  report: Omit<Report, 'contacts'>;
  /** What the two have in common, where both are of triangles. */
  contacts: Report['contacts'];
  /** The line that `gicollide check` prints of it, and the command that prints it. */
  text: string;
  command: string;
  problem: string | null;
}

/** What a query looked at. */
export interface Visits {
  /** Pairs of nodes and pairs of triangles that the query tested, as its report counts them. */
  tests: Report['tests'];
  /** How many pairs of nodes were tested at each level of the deeper of the two, from 0. */
  levels: number[];
  /**
   * Of the level that was asked for: volumes of a and of b, each once, in the frame of their asset.
   */
  a: Shape;
  b: Shape;
  /** The triangles of a and of b that were tested against each other, each once. */
  trianglesA: Shape;
  trianglesB: Shape;
  /** Whether a shape has its first 10,000 volumes or triangles alone; counts lack nothing. */
  isCut: boolean;
}

/** The pages of a geometry image, and where their samples lie. */
export interface Pages {
  /** RGBA, 8 bit; what shows nothing is transparent. */
  pages: {
    role: 'geometry' | 'normals' | 'spheres' | 'radii';
    width: number;
    height: number;
    rgba: Uint8ClampedArray;
  }[];
  /** What the places are about, in the asset's frame: x, y, z. */
  origin: [number, number, number];
  /** x, y, z of the sample that each pixel of the first page shows; NaN: none. */
  places: Float32Array;
  /** Every so many samples are shown, both ways: a power of two, 1 but for large images. */
  stride: number;
  /**
   * x, y of a chart's first quad on the first page, quads a side, and the level that its root is
   * of.
   */
  charts: Int32Array;
}

/** Every question and its answer, by name. */
export interface Questions {
  open: { question: { document: ViewDocument; files: Uint8Array[] }; answer: AssetFacts[] };
  surface: { question: { asset: number }; answer: Shape };
  bounds: { question: { asset: number; level: number }; answer: Shape };
  pages: { question: { asset: number }; answer: Pages };
  quick: { question: PairQuestion; answer: QuickAnswer };
  full: { question: PairQuestion; answer: FullAnswer };
  /** What two that touch have in common, as `full` tells it, while they move: without the rest. */
  contacts: { question: PairQuestion; answer: FullAnswer['contacts'] };
  visits: { question: PairQuestion & { level: number }; answer: Visits };
  /** All that touch when these objects stand there, and the others where the document has them. */
  touching: {
    question: { poses: Record<string, ArrayLike<number>> };
    answer: { pairs: { a: string; b: string; class: string }[]; ms: number };
  };
  /**
   * What is found of the whole scene when these objects stand there, as `gicollide scene` would.
   */
  find: { question: { poses: Record<string, ArrayLike<number>> }; answer: { findings: ReportFinding[] } };
}

export type Name = keyof Questions;
export type Question<N extends Name> = Questions[N]['question'];
export type Answer<N extends Name> = Questions[N]['answer'];

export interface Request<N extends Name = Name> {
  id: number;
  name: N;
  question: Question<N>;
}

/** `error`: one line, for the person. */
export type Response = { id: number; answer: unknown } | { id: number; error: string };
