/** Prints all facts of a report: the lines of `gicollide check`, and those of its many poses. */

import { bracketText, counted, pointText, short } from '../base/printable.ts';
import type { Bracket, CellSearch, ContactPatch, RandomSearch, Report, SeedSearch } from '../engine/records.ts';
import {
  nounOf,
  oneContact,
  partText,
  type TextOptions,
  textOf,
  unitOf,
  verdictText,
  withinText,
} from './check-text.ts';

const SHOWN_CONTACTS = 10;

/** The verdict with its place, both files, and a line for each fact. */
export const textOfReport = (report: Report, asked: TextOptions): string =>
  textOf(
    report,
    asked,
    asked.quiet ? [] : [...factsOf(report, asked), ...listsOf(report, asked), ...effortOf(report, asked)],
  );

/** One line about one of many poses. */
export function textOfPose(report: Report, asked: TextOptions, pose: number): string {
  const { contacts } = report;
  const lists = asked.all && contacts.count > 0 ? [countText(report, asked), patchesTogether(contacts.patches)] : [];
  const more = asked.quiet ? [] : [...factsOf(report, asked), ...lists, ...effortOf(report, asked)].filter(Boolean);
  const verdict = verdictText(report, asked);
  return `pose ${pose}: ${verdict}${more.length > 0 ? (verdict === 'undecided' ? ': ' : '; ') : ''}${more.join('; ')}\n`;
}

function factsOf(report: Report, asked: TextOptions): string[] {
  const { verdict, a, b, distance, witness, bracket, class: kind } = report;
  const unit = unitOf(asked);
  const facts = [];
  if (verdict === 'undecided') facts.push(whyUndecided(report, asked));
  if (kind !== undefined) facts.push(describeSolids(report));
  if (distance === 0) facts.push('distance 0');
  else if (distance !== null && witness) {
    const [p, q] = [a, b].map((side, k) => partText(side, witness.pair[k], k));
    facts.push(`distance ${short(distance)}${unit}: ${pointText(witness.a)} on ${p}, ${pointText(witness.b)} on ${q}`);
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
  const listed = `${countText(report, asked)}: ${pairs.join(' ')}${contacts.count > SHOWN_CONTACTS ? ' ...' : ''}`;
  const points = contacts.points?.slice(0, SHOWN_CONTACTS) ?? [];
  return [
    ...(asked.all ? [listed] : oneContact(report, asked)),
    ...points.map(
      ({ from, to, normal, triangleDepth }) =>
        `from ${pointText(from)} to ${pointText(to)}, normal ${pointText(normal)}, triangle depth ${short(triangleDepth)}`,
    ),
    ...describePatches(contacts.patches),
  ];
}

function countText({ contacts, a, b }: Report, asked: TextOptions): string {
  const more = contacts.complete
    ? ''
    : contacts.count >= asked.maxContacts
      ? ', and more: the list was cut; raise --max-contacts'
      : ', and perhaps more: not all was decided';
  const within = withinText(asked);
  if (!within) return counted(contacts.count, 'contact') + more;
  const noun = nounOf(a, b);
  const parts = noun === 'leaf' ? '' : ` of ${noun}s`;
  return counted(contacts.count, 'pair') + parts + within + more;
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
    return `${size}, centre ${pointText(centre)}, normal ${pointText(normal)}, ${counted(pairs, 'pair')}`;
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
    else if (inside) lines.push(`one contact ${inside}`);
  }
  const gaveUp = complete || contacts.length > 0 ? '' : '; the search gave up there';
  if (undecided > 0) lines.push(`${counted(undecided, 'cell')} of ${size.map(short).join(' x ')} undecided${gaveUp}`);
  return lines;
}

function describeSeed({ answer, complete, cells, tests, slices, points }: SeedSearch, { all }: TextOptions): string[] {
  const { quadric, freeform, perturbation } = tests;
  const met = points.length > 0 ? `, ${counted(points.length, 'point')}, the first at ${pointText(points[0])}` : '';
  return [
    `the seed paper's search: ${answer}, ${counted(cells, 'cell')}, ${counted(slices, 'slice')}${met}${all && !complete ? '; not every slice was searched' : ''}`,
    `its tests: ${quadric} of quadrics (8), ${freeform} of perturbed ones (9), ${perturbation} of perturbations (10)`,
  ];
}

function describeRandom({ answer, trials, evaluations, point: at }: RandomSearch): string {
  const effort = `${counted(trials, 'trial')}, ${counted(evaluations, 'evaluation')}`;
  return `the random search: ${answer}, ${effort}${at ? `, at ${pointText(at)}` : ''}`;
}

const describeProof = ({ verdict }: Report): string[] =>
  verdict === 'clear' ? ['proved clear by our own search'] : [];
