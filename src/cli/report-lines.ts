/** Formats reports for stdout: JSON, or text. */

import type { Report, SolidClass, Verdict } from '../engine/records.ts';
import { textOfReport } from '../engine/report.ts';

export interface Style {
  json: boolean;
  all: boolean;
  maxContacts: number;
  expect: Exclude<Verdict, 'undecided'>;
  /** Classes of solids that fail, if these decide. */
  failOn?: readonly SolidClass[] | undefined;
}

export function lineOf(report: Report, { json, all, maxContacts }: Style, pose?: number): string {
  if (!json) return textOfReport(report, { all, maxContacts });
  const text = JSON.stringify(report);
  // Cheaper than copying the report to add a key.
  return pose === undefined ? `${text}\n` : `{"pose":${pose},${text.slice(1)}\n`;
}

export type Tally = Record<Verdict, number>;

export function summaryOf(tally: Tally, { json }: Style): string {
  const { clear, contact, undecided } = tally;
  const poses = clear + contact + undecided;
  if (json) return `${JSON.stringify({ type: 'summary', poses, ...tally })}\n`;
  return `${count(poses, 'pose')}: ${clear} clear, ${contact} contact, ${undecided} undecided\n`;
}

const count = (n: number, name: string): string => `${n} ${name}${n === 1 ? '' : 's'}`;
