/** Reports as stdout has them: JSON, or lines for a person. */

import { textOfReport } from '../pair/report-text.ts';
import type { Report, SolidClass, Verdict } from '../query/report.ts';

/** What the command line says of how to answer. */
export interface Style {
  json: boolean;
  all: boolean;
  maxContacts: number;
  expect: Exclude<Verdict, 'undecided'>;
  /** Classes of solids that fail, where these decide. */
  failOn?: readonly SolidClass[] | undefined;
}

/** @param pose the number of the pose, where there are many */
export function lineOf(report: Report, { json, all, maxContacts }: Style, pose?: number): string {
  if (!json) return textOfReport(report, all, maxContacts);
  const text = JSON.stringify(report);
  // Cheaper than a copy of the report that has one more key.
  return pose === undefined ? `${text}\n` : `{"pose":${pose},${text.slice(1)}\n`;
}

/** How many poses had which verdict. */
export type Tally = Record<Verdict, number>;

/** The last line of many poses. */
export function summaryOf(tally: Tally, { json }: Style): string {
  const { clear, contact, undecided } = tally;
  const poses = clear + contact + undecided;
  if (json) return `${JSON.stringify({ type: 'summary', poses, ...tally })}\n`;
  return `${count(poses, 'pose')}: ${clear} clear, ${contact} contact, ${undecided} undecided\n`;
}

const count = (n: number, name: string): string => `${n} ${name}${n === 1 ? '' : 's'}`;
