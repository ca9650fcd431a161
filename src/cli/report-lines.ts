/** Formats reports for stdout: JSON, or text. */

import { counted, grouped } from '../base/printable.ts';
import type { Report, SolidClass, Verdict } from '../engine/records.ts';
import { type TextOptions, textOfPose, textOfReport } from '../engine/report.ts';

export interface Style extends TextOptions {
  json: boolean;
  all: boolean;
  expect: Exclude<Verdict, 'undecided'>;
  /** Classes of solids that fail, if these decide. */
  failOn?: readonly SolidClass[] | undefined;
}

export function lineOf(report: Report, style: Style, pose?: number): string {
  if (!style.json) return pose === undefined ? textOfReport(report, style) : textOfPose(report, style, pose);
  const text = JSON.stringify(report);
  // Cheaper than copying the report to add a key.
  return pose === undefined ? `${text}\n` : `{"pose":${pose},${text.slice(1)}\n`;
}

export type Tally = Record<Verdict, number>;

export function summaryOf(tally: Tally, { json }: Style): string {
  const { clear, contact, undecided } = tally;
  const poses = clear + contact + undecided;
  if (json) return `${JSON.stringify({ type: 'summary', poses, ...tally })}\n`;
  const open = undecided > 0 ? `, ${grouped(undecided)} undecided` : '';
  return `${counted(poses, 'pose')}: ${grouped(contact)} contact, ${grouped(clear)} clear${open}\n`;
}
