/** Makes the report from any engine's answer, and its text as `gicollide check` prints it. */

import { bracketText, counted, printable } from '../base/printable.ts';
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
    witness: outcome.witness === undefined ? (isFound ? witnessIn(nearest) : sharedPoint(outcome)) : outcome.witness,
    bracket: nearest ? { lower: nearest.lower, upper: nearest.upper } : leftOpen(outcome),
    ...(outcome.cells && { cells: outcome.cells }),
    ...(outcome.seed && { seed: outcome.seed }),
    ...(outcome.random && { random: outcome.random }),
    level: outcome.level,
    tests: outcome.tests,
    ms: { load: round(options.loadMs ?? 0), query: round(queryMs) },
  };
}

export const witnessIn = ({ a, b, onA, onB }: Nearest): Witness => ({
  ...{ a: Array.from(onA), b: Array.from(onB) },
  pair: [a, b],
});

function sharedPoint({ point, contacts }: Outcome): Witness | null {
  return point ? { a: point, b: point, pair: contacts.pairs[0] } : null;
}

const leftOpen = ({ upper, lower = 0 }: Outcome): Bracket | null => (upper === undefined ? null : { lower, upper });

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

export function addTolerances(a: Tolerance, b: Tolerance): Tolerance {
  return a && b && { missing: a.missing + b.missing, excess: a.excess + b.excess };
}

const SHOWN_CONTACTS = 10;

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
export function textOfReport(report: Report, asked: TextOptions): string {
  const { a, b } = report;
  const files = `${printable(a.file ?? '')}  ${printable(b.file ?? '')}`;
  const more = asked.quiet ? [] : [...factsOf(report, asked), ...listsOf(report, asked), ...effortOf(report, asked)];
  return `${verdictText(report, asked)}  ${files}\n${more.map((line) => `  ${line}\n`).join('')}`;
}

/** One line about one of many poses. */
export function textOfPose(report: Report, asked: TextOptions, pose: number): string {
  const { contacts } = report;
  const lists = asked.all && contacts.count > 0 ? [countText(report, asked), patchesTogether(contacts.patches)] : [];
  const more = asked.quiet ? [] : [...factsOf(report, asked), ...lists, ...effortOf(report, asked)].filter(Boolean);
  const verdict = verdictText(report, asked);
  return `pose ${pose}: ${verdict}${more.length > 0 ? (verdict === 'undecided' ? ': ' : '; ') : ''}${more.join('; ')}\n`;
}

/** ' mm', or nothing if the unit is unknown. */
export const unitOf = ({ units }: TextOptions): string => (units ? ` ${printable(units)}` : '');

/** The verdict; of a contact with its place, if it is known. */
export function verdictText({ verdict, witness }: Pick<Report, 'verdict' | 'witness'>, asked: TextOptions): string {
  if (verdict !== 'contact') return verdict;
  const { clearance = 0 } = asked;
  const within = clearance > 0 ? ` within ${clearance}${unitOf(asked)}` : '';
  const middle = witness?.a.map((x, k) => x / 2 + witness.b[k] / 2);
  return `contact${within}${middle ? ` at ${point(middle)}${unitOf(asked)}` : ''}`;
}

function factsOf(report: Report, asked: TextOptions): string[] {
  const { verdict, a, b, distance, witness, bracket, class: kind } = report;
  const unit = unitOf(asked);
  const facts = [];
  if (verdict === 'undecided') facts.push(whyUndecided(report, asked));
  if (kind !== undefined) facts.push(describeSolids(report));
  if (distance === 0) facts.push('distance 0');
  else if (distance !== null && witness) {
    const [p, q] = [a, b].map((side, k) => placeText(side, witness.pair[k], k));
    facts.push(`distance ${distance}${unit}: ${point(witness.a)} on ${p}, ${point(witness.b)} on ${q}`);
  } else if (bracket) facts.push(describeBracket(bracket, unit));
  return facts;
}

/** Why nothing is decided, and what to do. */
function whyUndecided(report: Report, asked: TextOptions): string {
  const { seed, random, cells, bracket, tolerance, a, b } = report;
  const { level, budget, source, clearance = 0 } = asked;
  if (seed || random) return 'this search found no proof: leave out --search';
  if (level !== undefined) return `--level ${level} ended the search: raise it, or leave it out`;
  const isTie = bracket && bracket.lower <= clearance && bracket.upper - bracket.lower <= 1e-9 * clearance;
  if (budget !== undefined && !isTie) return `--budget ${budget} ended the search: give it more milliseconds`;
  const beyond = source && tolerance ? Math.max(tolerance.missing, tolerance.excess) : 0;
  // Embedded sources are compared exactly, without a bracket or with a narrow one.
  if (beyond > 0 && !isTie && (bracket || clearance === 0))
    return `the stored surfaces follow their sources to within ${short(beyond)}${unitOf(asked)}, which is too coarse to tell: build finer ones, or check the sources`;
  const isFunction = [a, b].some(({ representation }) => representation === 'frep');
  const limit = `the clearance of ${clearance}${unitOf(asked)}`;
  if (clearance > 0)
    return isFunction
      ? `the distance is too close to ${limit} to tell: choose another --clearance, or raise --resolution`
      : `the distance equals ${limit}, up to rounding: choose a slightly smaller or larger --clearance`;
  if (cells && !cells.complete)
    return 'they touch, or come closer than can be told: the search gave up; move one of them a little';
  const resolution = cells?.resolution ?? asked.resolution ?? 10;
  return `they touch, or come closer than can be told: raise --resolution above ${resolution}`;
}

function effortOf(report: Report, { verbose }: TextOptions): string[] {
  const { engine, bounds, tests, level, ms, a, b } = report;
  if (!verbose) return [];
  const counts = [
    counted(tests.bounds, bounds ? 'sphere test' : 'bound test'),
    counted(tests.hulls, `${nounOf(a, b)} test`),
  ];
  return [`engine ${engine}: ${counts.join(', ')}, to level ${level}, ${ms.query.toFixed(2)} ms`];
}

function listsOf(report: Report, asked: TextOptions): string[] {
  const { contacts, seed, random, cells } = report;
  if (seed) return [...describeSeed(seed, asked), ...describeProof(report)];
  if (random) return [describeRandom(random), ...describeProof(report)];
  if (cells) return describeCells(report, cells, asked);
  if (contacts.count === 0) return [];
  const pairs = contacts.pairs.slice(0, SHOWN_CONTACTS).map(([p, q]) => `${p}-${q}`);
  const [first] = contacts.pairs;
  const [p, q] = [report.a, report.b].map((side, k) => placeText(side, first[k], k));
  const listed = `${countText(report, asked)}: ${pairs.join(' ')}${contacts.count > SHOWN_CONTACTS ? ' ...' : ''}`;
  const points = contacts.points?.slice(0, SHOWN_CONTACTS) ?? [];
  return [
    ...(asked.all ? [listed] : p === 'solid a' && q === 'solid b' ? [] : [`first contact: ${p}, ${q}`]),
    ...points.map(
      ({ from, to, normal, triangleDepth }) =>
        `from ${point(from)} to ${point(to)}, normal ${point(normal)}, triangle depth ${short(triangleDepth)}`,
    ),
    ...describePatches(contacts.patches),
  ];
}

function countText({ contacts }: Report, { maxContacts }: TextOptions): string {
  const more = contacts.complete
    ? ''
    : contacts.count >= maxContacts
      ? ', and more: the list was cut; raise --max-contacts'
      : ', and perhaps more: not all was decided';
  return counted(contacts.count, 'contact') + more;
}

/** 'triangle 3 of a', by the number of the side. */
export function placeText(side: { representation: string }, number: number, k: number): string {
  const noun = nounOf(side);
  return side.representation === 'frep' ? `${noun} ${'ab'[k]}` : `${noun} ${number} of ${'ab'[k]}`;
}

function describePatches(patches: ContactPatch[] = []): string[] {
  if (patches.length === 0) return [];
  const shown = patches.length > SHOWN_CONTACTS ? `; the first ${SHOWN_CONTACTS}` : '';
  const lines = patches.slice(0, SHOWN_CONTACTS).map(({ kind, area, length, centre, normal, outline, pairs }) => {
    const isClosed = outline.every((path) => String(path[0]) === String(path[path.length - 1]));
    const size =
      kind === 'area'
        ? `area ${short(area)}, border ${short(length)}`
        : kind === 'curve'
          ? `${isClosed ? 'closed' : 'open'} curve, length ${short(length)}`
          : 'point';
    return `${size}, centre ${point(centre)}, normal ${point(normal)}, ${counted(pairs, 'pair')}`;
  });
  return [`${countOf(patches)}${shown}:`, ...lines];
}

const countOf = ({ length }: ContactPatch[]): string => `${length} ${length === 1 ? 'patch' : 'patches'}`;

export function patchesTogether(patches: ContactPatch[] = []): string {
  if (patches.length === 0) return '';
  const area = patches.reduce((sum, patch) => sum + patch.area, 0);
  const length = patches.reduce((sum, patch) => sum + (patch.kind === 'curve' ? patch.length : 0), 0);
  const sizes = [...(area > 0 ? [`area ${short(area)}`] : []), ...(length > 0 ? [`length ${short(length)}`] : [])];
  return `${countOf(patches)}${sizes.length > 0 ? ` of ${sizes.join(', ')}` : ''}`;
}

function describeSolids({ class: found, inner, thickness, bracket, reach, reason, verdict }: Report): string {
  const what = inner ? `${inner} is inside ${inner === 'a' ? 'b' : 'a'}` : found;
  const isRounding = found === 'touch' && bracket && thickness?.lower === 0;
  const deep = thickness && thickness.upper > 0 && !isRounding ? `, ${bracketText(thickness)} thick` : '';
  const far = reach ? `; a reaches ${bracketText(reach.a)} into b, b ${bracketText(reach.b)} into a` : '';
  const isTie = found === 'undecided' && verdict !== found && !reason;
  const limit = thickness ? '--tolerance' : '--clearance or --touch-gap';
  const why = isTie ? `too close to ${limit} to tell: choose another length` : reason;
  return `solids: ${what}${deep}${far}${why ? `, ${why}` : ''}`;
}

function describeBracket({ lower, upper }: Bracket, unit: string): string {
  if (lower === Number.POSITIVE_INFINITY) return 'no distance: one of the two is empty';
  return `distance ${upper === Number.POSITIVE_INFINITY ? `at least ${lower}` : `between ${lower} and ${upper}`}${unit}`;
}

function describeCells({ contacts: listed }: Report, cells: CellSearch, { all = false }: TextOptions): string[] {
  const { size, undecided, complete, contacts } = cells;
  const lines = [];
  if (contacts.length > 0) {
    const [{ size: edges, isInside }] = contacts;
    const inside = isInside ? `in a cell of ${edges.map(short).join(' x ')} inside both` : '';
    const cut = listed.complete ? '' : ', and more: the list was cut; raise --max-contacts';
    if (all) lines.push(`${counted(contacts.length, 'cell')} of both${cut}${inside && `; the first ${inside}`}`);
    else if (inside) lines.push(`first contact ${inside}`);
  }
  const gaveUp = complete || contacts.length > 0 ? '' : '; the search gave up there';
  if (undecided > 0) lines.push(`${counted(undecided, 'cell')} of ${size.map(short).join(' x ')} undecided${gaveUp}`);
  return lines;
}

function describeSeed({ answer, complete, cells, tests, slices, points }: SeedSearch, { all }: TextOptions): string[] {
  const { quadric, freeform, perturbation } = tests;
  const met = points.length > 0 ? `, ${counted(points.length, 'point')}, the first at ${point(points[0])}` : '';
  return [
    `the seed paper's search: ${answer}, ${counted(cells, 'cell')}, ${counted(slices, 'slice')}${met}${all && !complete ? '; not every slice was searched' : ''}`,
    `its tests: ${quadric} of quadrics (8), ${freeform} of perturbed ones (9), ${perturbation} of perturbations (10)`,
  ];
}

function describeRandom({ answer, trials, evaluations, point: at }: RandomSearch): string {
  const effort = `${counted(trials, 'trial')}, ${counted(evaluations, 'evaluation')}`;
  return `the random search: ${answer}, ${effort}${at ? `, at ${point(at)}` : ''}`;
}

const describeProof = ({ verdict }: Report): string[] =>
  verdict === 'clear' ? ['proved clear by our own search'] : [];

const NOUNS: Record<string, string> = { voxel: 'cube', frep: 'solid' };

export function nounOf(...sides: { representation: string }[]): string {
  const nouns = sides.map(({ representation }) => NOUNS[representation] ?? 'triangle');
  return nouns.every((noun) => noun === nouns[0]) ? nouns[0] : 'leaf';
}

const short = (v: number): number => Number(v.toPrecision(6));
const point = (x: number[]): string => `(${x.map(short).join(', ')})`;
