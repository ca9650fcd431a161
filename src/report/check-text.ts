/** Prints reports of `gicollide check` that need no more than a verdict and two triangles. */

import { pointText, printable } from '../base/printable.ts';
import type { CheckOptions } from '../engine/options.ts';
import type { Report } from '../engine/records.ts';

/** What was asked, as far as the text depends on it. */
export interface TextOptions
  extends Pick<CheckOptions, 'all' | 'clearance' | 'level' | 'budget' | 'source' | 'resolution'> {
  maxContacts: number;
  /** Unit of the lengths, if it is known. */
  units?: string | null;
  /** True to add the engine, its counts and the time. */
  verbose?: boolean;
  /** True for the verdict alone. */
  quiet?: boolean;
}

/** The verdict with its place, both files, and a line for each fact. */
export const textOf = ({ a, b, ...report }: Report, asked: TextOptions, lines: readonly string[]): string =>
  `${verdictText(report, asked)}  ${printable(a.file ?? '')}  ${printable(b.file ?? '')}\n${lines.map((line) => `  ${line}\n`).join('')}`;

/** Null if the report has facts that only check-details.ts describes. */
export function briefText(report: Report, asked: TextOptions): string | null {
  const { verdict, distance, bracket, class: kind, cells, seed, random, contacts } = report;
  if (asked.quiet) return textOf(report, asked, []);
  const isPlain = verdict !== 'undecided' && distance === null && !bracket && kind === undefined;
  if (!isPlain || cells || seed || random || contacts.points || contacts.patches || asked.all || asked.verbose)
    return null;
  return textOf(report, asked, oneContact(report, asked));
}

/** Empty if nothing is in contact, or for two F-reps, which have no parts. */
export function oneContact({ contacts, a, b }: Report, asked: TextOptions): string[] {
  if (contacts.count === 0 || (a.representation === 'frep' && b.representation === 'frep')) return [];
  const within = withinText(asked);
  return [`one ${within ? `pair${within}` : 'contact'}: ${partsText([a, b], contacts.pairs[0])}`];
}

/** ' mm', or nothing if the unit is unknown. */
export const unitOf = ({ units }: TextOptions): string => (units ? ` ${printable(units)}` : '');

/** ` within 0.5 mm`, or nothing without a clearance. */
export const withinText = (asked: TextOptions): string =>
  asked.clearance ? ` within ${asked.clearance}${unitOf(asked)}` : '';

/** The verdict; of a contact with its place, if it is known. */
export function verdictText({ verdict, witness }: Pick<Report, 'verdict' | 'witness'>, asked: TextOptions): string {
  if (verdict !== 'contact') return verdict;
  const middle = witness?.a.map((x, k) => x / 2 + witness.b[k] / 2);
  return `contact${withinText(asked)}${middle ? ` at ${pointText(middle)}${unitOf(asked)}` : ''}`;
}

type Side = Pick<Report['a'], 'representation'>;

/** `triangle 3 of a, solid b` */
export const partsText = (sides: readonly Side[], numbers: readonly number[]): string =>
  sides.map((side, k) => partText(side, numbers[k], k)).join(', ');

/** 'triangle 3 of a', by the number of the side. */
export function partText(side: Side, number: number, k: number): string {
  const noun = nounOf(side);
  return side.representation === 'frep' ? `${noun} ${'ab'[k]}` : `${noun} ${number} of ${'ab'[k]}`;
}

const NOUNS: Record<string, string> = { voxel: 'cube', frep: 'solid' };

export function nounOf(...sides: Side[]): string {
  const nouns = sides.map(({ representation }) => NOUNS[representation] ?? 'triangle');
  return nouns.every((noun) => noun === nouns[0]) ? nouns[0] : 'leaf';
}
