/** The content of a view, whatever its source. */
import type { Asset } from '../../engine/representation.ts';
import type { ReportFinding } from '../../report/finding.ts';
import type { SceneObject, SceneOptions } from '../../scene/records.ts';
import type { Again, ViewFrame } from '../../viewer/document.ts';
import type { FindingLog } from '../findings/finding-log.ts';

export interface Source {
  objects: SceneObject[];
  asked: SceneOptions;
  units: string | null;
  again: Again;
  encoded: ReadonlyMap<Asset, Uint8Array>;
  find(log: FindingLog): Promise<Found>;
  /** Elements that are incomplete without permission. */
  unchecked?: number;
}

export interface Found {
  findings: ReportFinding[];
  /** The last line of `gicollide scene`, without the duration. */
  summary: string | null;
  frames: ViewFrame[];
}
