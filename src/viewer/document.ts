/**
 * The page's input: a pair or a scene as plain JSON. The assets' bytes lie beside it, one file
 * each, by number.
 */
import type { BaselineEntry, Said } from '../report/baseline.ts';
import type { ReportFinding } from '../report/finding.ts';
import type { FindingClass } from '../scene/classes.ts';
import type { SceneOptions } from '../scene/records.ts';
import type { Up } from './camera.ts';

export interface ViewDocument {
  gicollide: 'view/1';
  title: string;
  tool: string;
  /** The unit of all lengths; null if unknown. */
  units: string | null;
  /** The axis that points up in the picture (default: z). */
  up?: Up;
  assets: ViewAsset[];
  objects: ViewObject[];
  asked: Asked;
  /** Findings at the initial poses; those in a baseline have its state. */
  findings: ReportFinding[];
  /** Last line of `gicollide scene`; null for a pair or a single asset. */
  summary: string | null;
  frames: ViewFrame[];
  /** File for accepted findings and notes; null if nothing can be saved. */
  baseline: string | null;
  again: Again;
}

export interface ViewAsset {
  name: string;
  representation: string;
  /** Digest of the source file; null if unknown. */
  sha256: string | null;
  bytes: number;
}

export interface ViewObject {
  /** Unique in the scene. */
  name: string;
  asset: number;
  /** 16 numbers, row-major 4x4, rigid. */
  pose: number[];
  /** Source file and element in it; null if unknown. */
  file: string | null;
  element: string | null;
  guid: string | null;
}

export interface Asked
  extends Pick<SceneOptions, 'clearance' | 'solid' | 'tolerance' | 'touchGap' | 'rules' | 'sides' | 'related'> {
  against?: string[];
  still?: string[];
  /** Classes of findings that fail (default: all but touch). */
  failOn?: FindingClass[];
}

export interface ViewFrame {
  time: number | null;
  /** By object name; other objects keep their poses. */
  poses: Record<string, number[]>;
  /** Ids of the findings that first occur in this frame. */
  found?: string[];
  /** True if an object that moves touches another, comes too close, or may do so. */
  touches?: true;
}

/** The baseline as the server has read it, to begin with and whenever the file has changed. */
export interface BaselineNews {
  /** Another one if any entry differs. */
  revision: string;
  /** Where the file says that its schema is. */
  $schema?: string | undefined;
  entries: BaselineEntry[];
  /** State, acceptance and note of each finding of the document. */
  findings: Pick<ReportFinding, 'id' | 'state' | 'accepted' | 'note'>[];
  /** After a save: findings that others have changed, too, and that were not saved. */
  conflicts?: string[];
}

/** A person's decision about a finding, and the one that the page showed before. */
export interface BaselineChange extends Said {
  id: string;
  seen: Said;
}

/**
 * Data for repeating the query on the command line. `check` names the two files in the order of
 * `objects`; `scene` names the scene's inputs, then two objects.
 */
export interface Again {
  command: 'check' | 'scene';
  files: string[];
  /** The file of findings that is shown: `check --finding` asks one of them again. */
  findings?: string;
  /** Options that affect every answer, as words: `--solid`, `auto`. */
  options: string[];
}
