/**
 * What the page is given: a pair or a scene, as the command line has read it. Everything in it is
 * plain JSON; the assets' bytes lie beside it, one file each, under their numbers.
 */
import type { ReportFinding } from '../report/model.ts';
import type { FindingClass } from '../scene/classes.ts';
import type { SceneOptions } from '../scene/report.ts';

export interface ViewDocument {
  gicollide: 'view/1';
  /** What is shown, in a few words: names of files. */
  title: string;
  /** Name and version of what wrote this. */
  tool: string;
  /** The unit of all lengths; null where none is known. */
  units: string | null;
  assets: ViewAsset[];
  objects: ViewObject[];
  /** What the objects are asked, by `createScene`. */
  asked: Asked;
  /** What was found where the objects stand; what a baseline knows has its state. */
  findings: ReportFinding[];
  /** The last line that `gicollide scene` prints; null for a pair and a lone asset. */
  summary: string | null;
  /** Where objects stand, frame after frame; an empty list where nothing moves. */
  frames: ViewFrame[];
  /** The file that accepted findings and notes go to; null where nothing can be saved. */
  baseline: string | null;
  /** How the command line is asked about two of the objects. */
  again: Again;
}

/** An asset, which any number of objects share. */
export interface ViewAsset {
  name: string;
  /** The tag: gi, kdop, obb, voxel, frep. */
  representation: string;
  /** Of the file that it was made of; null where none is known. */
  sha256: string | null;
  /** Of its encoded form, which is what the page reads. */
  bytes: number;
}

export interface ViewObject {
  /** Of this object alone. */
  name: string;
  /** Its number in `assets`. */
  asset: number;
  /** Where it stands: 16 numbers, row-major 4x4, rigid. */
  pose: number[];
  /** The file that it comes from, and the element there; null where none is known. */
  file: string | null;
  element: string | null;
  /** The GlobalId of IFC. */
  guid: string | null;
}

/** Of SceneOptions what is plain JSON. */
export interface Asked extends Pick<SceneOptions, 'clearance' | 'solid' | 'tolerance' | 'touchGap' | 'rules'> {
  /** Names of objects. */
  against?: string[];
  still?: string[];
  /** The classes of findings that fail; all but touch unless given. */
  failOn?: FindingClass[];
}

export interface ViewFrame {
  time: number | null;
  /** By the names of objects; the others stay where they were. */
  poses: Record<string, number[]>;
  /** Ids of the findings that are met first in this frame; absent where there are none. */
  found?: string[];
}

/**
 * `check`: the two files are named, in the order of `objects`. `scene`: the inputs of the scene, of
 * which two objects are then named.
 */
export interface Again {
  command: 'check' | 'scene';
  files: string[];
  /** Options that every answer depends on, as words: `--solid`, `auto`. */
  options: string[];
}
