/** Formats reports for stdout: JSON, or text. */

import { counted, grouped } from '../base/printable.ts';
import type { Report, SolidClass, Verdict } from '../engine/records.ts';
import { briefText, type TextOptions } from '../report/check-text.ts';

export interface Style extends TextOptions {
  json: boolean;
  all: boolean;
  expect: Exclude<Verdict, 'undecided'>;
  /** Classes of solids that fail, if these decide. */
  failOn?: readonly SolidClass[] | undefined;
}

/** Loads the words of further facts only for a report that has some. */
export async function lineOf(report: Report, style: Style): Promise<string> {
  if (style.json) return `${JSON.stringify(report)}\n`;
  return briefText(report, style) ?? (await import('../report/check-details.ts')).textOfReport(report, style);
}

export type Tally = Record<Verdict, number>;

export function summaryOf(tally: Tally, { json }: Style): string {
  const { clear, contact, undecided } = tally;
  const poses = clear + contact + undecided;
  if (json) return `${JSON.stringify({ type: 'summary', poses, ...tally })}\n`;
  const open = undecided > 0 ? `, ${grouped(undecided)} undecided` : '';
  return `${counted(poses, 'pose')}: ${grouped(contact)} contact, ${grouped(clear)} clear${open}\n`;
}
