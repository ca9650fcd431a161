/** Makes the report from any engine's answer, and its text as `gicollide check` prints it. */

import { bracketText, printable } from '../base/printable.ts';
import type { CheckOptions } from './options.ts';
import {
  type Bracket,
  type CellSearch,
  type ContactPatch,
  type Engine,
  type Nearest,
  nothingMeasured,
  type Outcome,
  type RandomSearch,
  type Report,
  type SeedSearch,
  type Tolerance,
  type Witness,
} from './records.ts';
import type { Asset } from './representation.ts';

export interface Answer {
  outcome: Outcome;
  engine: Engine;
  /** Null if another engine answered, or no distance was asked for. */
  nearest: Nearest | null;
}

export const TOUCHING: Nearest = { ...nothingMeasured(), upper: 0 };

interface Circumstances {
  tolerance: Tolerance;
  distance: boolean;
  queryMs: number;
}

export function reportOf(
  answer: Answer,
  options: CheckOptions,
  a: Asset,
  b: Asset,
  circumstances: Circumstances,
): Report {
  const { outcome, engine, nearest } = answer;
  const { tolerance, distance, queryMs } = circumstances;
  const isFound = nearest !== null && nearest.a >= 0;
  return {
    verdict: outcome.verdict,
    a: { file: options.fileA ?? null, representation: a.representation },
    b: { file: options.fileB ?? null, representation: b.representation },
    path: engine === 'closest' || engine === 'common' ? 'common' : 'native',
    engine,
    ...(options.bounds && { bounds: options.bounds }),
    tolerance,
    contacts: outcome.contacts,
    distance: distance && isFound && nearest.isComplete ? nearest.upper : null,
    witness: isFound
      ? { a: Array.from(nearest.onA), b: Array.from(nearest.onB), pair: [nearest.a, nearest.b] }
      : sharedPoint(outcome),
    bracket: nearest ? { lower: nearest.lower, upper: nearest.upper } : leftOpen(outcome),
    ...(outcome.cells && { cells: outcome.cells }),
    ...(outcome.seed && { seed: outcome.seed }),
    ...(outcome.random && { random: outcome.random }),
    level: outcome.level,
    tests: outcome.tests,
    ms: { load: round(options.loadMs ?? 0), query: round(queryMs) },
  };
}

function sharedPoint({ point, contacts }: Outcome): Witness | null {
  return point ? { a: point, b: point, pair: contacts.pairs[0] } : null;
}

const leftOpen = ({ upper, lower = 0 }: Outcome): Bracket | null => (upper === undefined ? null : { lower, upper });

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

export function addTolerances(a: Tolerance, b: Tolerance): Tolerance {
  return a && b && { missing: a.missing + b.missing, excess: a.excess + b.excess };
}

const SHOWN_CONTACTS = 10;

export function textOfReport(
  report: Report,
  { all = false, maxContacts }: { all?: boolean; maxContacts: number },
): string {
  const { verdict, a, b, contacts, tests, ms, level, distance, witness, bracket } = report;
  const effort =
    `${count(tests.bounds, report.bounds ? 'sphere test' : 'bound test')}, ${count(tests.hulls, `${nounOf(a, b)} test`)}, ` +
    `${verdict === 'undecided' ? `to level ${level}, ` : ''}${ms.query.toFixed(2)} ms`;
  let text = `${verdict}  ${printable(a.file ?? '')}  ${printable(b.file ?? '')}  (${effort})\n`;
  text += describeSolids(report);
  if (distance !== null && witness) {
    text += `  distance ${distance}: ${point(witness.a)} on ${nounOf(a)} ${witness.pair[0]} of a, `;
    text += `${point(witness.b)} on ${nounOf(b)} ${witness.pair[1]} of b\n`;
  } else if (bracket) text += `  ${describeBracket(bracket)}\n`;
  if (report.seed) return text + describeSeed(report.seed, all) + describeProof(report);
  if (report.random) return text + describeRandom(report.random) + describeProof(report);
  if (report.cells) return text + describeCells(report, report.cells, all);
  if (contacts.count === 0) return text;
  const pairs = contacts.pairs.slice(0, SHOWN_CONTACTS).map(([p, q]) => `${p}-${q}`);
  if (all) {
    text += `  ${count(contacts.count, 'contact')}${contacts.complete ? '' : contacts.count >= maxContacts ? ', and more: the list was cut' : ', and perhaps more: not all was decided'}: ${pairs.join(' ')}`;
    text += contacts.count > SHOWN_CONTACTS ? ' ...\n' : '\n';
  } else
    text += `  first contact: ${nounOf(a)} ${contacts.pairs[0][0]} of a, ${nounOf(b)} ${contacts.pairs[0][1]} of b\n`;
  for (const { from, to, normal, triangleDepth } of contacts.points?.slice(0, SHOWN_CONTACTS) ?? []) {
    text += `  from ${point(from)} to ${point(to)}, normal ${point(normal)}, triangle depth ${short(triangleDepth)}\n`;
  }
  return text + describePatches(contacts.patches);
}

function describePatches(patches: ContactPatch[] = []): string {
  const lines = patches.slice(0, SHOWN_CONTACTS).map(({ kind, area, length, centre, normal, outline, pairs }) => {
    const isClosed = outline.every((path) => String(path[0]) === String(path[path.length - 1]));
    const size =
      kind === 'area'
        ? `area ${short(area)}, border ${short(length)}`
        : kind === 'curve'
          ? `${isClosed ? 'closed' : 'open'} curve, length ${short(length)}`
          : 'point';
    return `  ${size}, centre ${point(centre)}, normal ${point(normal)}, ${count(pairs, 'pair')}\n`;
  });
  if (patches.length === 0) return '';
  const shown = patches.length > SHOWN_CONTACTS ? `; the first ${SHOWN_CONTACTS}` : '';
  return `  ${countOf(patches)}${shown}:\n${lines.join('')}`;
}

const countOf = ({ length }: ContactPatch[]): string => `${length} ${length === 1 ? 'patch' : 'patches'}`;

export function patchesTogether(patches: ContactPatch[] = []): string {
  if (patches.length === 0) return '';
  const area = patches.reduce((sum, patch) => sum + patch.area, 0);
  const length = patches.reduce((sum, patch) => sum + (patch.kind === 'curve' ? patch.length : 0), 0);
  const sizes = [...(area > 0 ? [`area ${short(area)}`] : []), ...(length > 0 ? [`length ${short(length)}`] : [])];
  return `${countOf(patches)}${sizes.length > 0 ? ` of ${sizes.join(', ')}` : ''}`;
}

function describeSolids({ class: found, inner, thickness, bracket, reach, reason }: Report): string {
  if (found === undefined) return '';
  const what = inner ? `${inner} is inside ${inner === 'a' ? 'b' : 'a'}` : found;
  const isRounding = found === 'touch' && bracket && thickness?.lower === 0;
  const deep = thickness && thickness.upper > 0 && !isRounding ? `, ${bracketText(thickness)} thick` : '';
  const far = reach ? `; a reaches ${bracketText(reach.a)} into b, b ${bracketText(reach.b)} into a` : '';
  return `  solids: ${what}${deep}${far}${reason ? `, ${reason}` : ''}\n`;
}

function describeBracket({ lower, upper }: Bracket): string {
  if (lower === Number.POSITIVE_INFINITY) return 'no distance: one of the two is empty';
  return upper === Number.POSITIVE_INFINITY ? `distance at least ${lower}` : `distance between ${lower} and ${upper}`;
}

function describeCells(report: Report, { size, undecided, complete, contacts }: CellSearch, all: boolean): string {
  let text = '';
  if (contacts.length > 0) {
    const [{ size: edges, isInside, point: at }] = contacts;
    const cut = report.contacts.complete ? '' : ', and more: the list was cut';
    text += all ? `  ${count(contacts.length, 'cell')} of both${cut}; the first` : '  first contact';
    text += ` at ${point(at)}${isInside ? `, in a cell of ${edges.map(short).join(' x ')} inside both` : ''}\n`;
  }
  const gaveUp = complete || contacts.length > 0 ? '' : '; the search gave up there';
  if (undecided > 0) text += `  ${count(undecided, 'cell')} of ${size.map(short).join(' x ')} undecided${gaveUp}\n`;
  return text;
}

function describeSeed({ answer, complete, cells, tests, slices, points }: SeedSearch, all: boolean): string {
  const { quadric, freeform, perturbation } = tests;
  const met = points.length > 0 ? `, ${count(points.length, 'point')}, the first at ${point(points[0])}` : '';
  return (
    `  the seed paper's search: ${answer}, ${count(cells, 'cell')}, ${count(slices, 'slice')}${met}${all && !complete ? '; not every slice was searched' : ''}\n` +
    `  its tests: ${quadric} of quadrics (8), ${freeform} of perturbed ones (9), ${perturbation} of perturbations (10)\n`
  );
}

function describeRandom({ answer, trials, evaluations, point: at }: RandomSearch): string {
  const effort = `${count(trials, 'trial')}, ${count(evaluations, 'evaluation')}`;
  return `  the random search: ${answer}, ${effort}${at ? `, at ${point(at)}` : ''}\n`;
}

function describeProof({ verdict, witness }: Report): string {
  if (witness) return `  proved to be in both: ${point(witness.a)}\n`;
  return verdict === 'clear' ? '  proved clear by our own search\n' : '  nothing is proved: that search can be wrong\n';
}

const NOUNS: Record<string, string> = { voxel: 'cube', frep: 'solid' };

export function nounOf(...sides: { representation: string }[]): string {
  const nouns = sides.map(({ representation }) => NOUNS[representation] ?? 'triangle');
  return nouns.every((noun) => noun === nouns[0]) ? nouns[0] : 'leaf';
}

const short = (v: number): number => Number(v.toPrecision(6));
const point = (x: number[]): string => `(${x.map(short).join(' ')})`;
const count = (n: number, name: string): string => `${n} ${name}${n === 1 ? '' : 's'}`;
