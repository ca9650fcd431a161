/** What a view is made of, whatever it was loaded from. */
import type { Asset } from '../../query/representation.ts';
import type { ReportFinding } from '../../report/model.ts';
import type { SceneObject, SceneOptions } from '../../scene/report.ts';
import type { Again, ViewFrame } from '../../viewer/document.ts';
import type { FindingLog } from '../findings/finding-log.ts';

export interface Source {
  objects: SceneObject[];
  asked: SceneOptions;
  units: string | null;
  again: Again;
  /** Encoded forms that are at hand. */
  encoded: ReadonlyMap<Asset, Uint8Array>;
  find(log: FindingLog): Promise<Found>;
  /** Elements that are incomplete, and not allowed to be. */
  unchecked?: number;
}

/** What is found of the objects where they stand, and of their frames. */
export interface Found {
  findings: ReportFinding[];
  /** The last line of `gicollide scene`, without the time that it took. */
  summary: string | null;
  frames: ViewFrame[];
}
