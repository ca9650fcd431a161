/** `gicollide check`: do two assets touch? */
import { type Command, Option } from 'commander';
import { type CheckOptions, check } from '../../check.ts';
import { InputError, OptionError } from '../../math/errors.ts';
import type { Bracket, CellSearch, Report } from '../../query/report.ts';
import type { Asset } from '../../query/representation.ts';
import { representationOf } from '../../representations/registry.ts';
import { type PoseOptions, parseLength, parseNumbers, parseWhole, poseOf } from '../arguments.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { print } from '../files.ts';
import { readPoses } from '../poses.ts';
import { loadAsset, loadLibrary, type Session } from '../session.ts';

interface CheckFlags extends PoseOptions {
  poses?: string;
  all?: boolean;
  maxContacts: number;
  clearance?: number;
  distance?: boolean;
  budget?: number;
  contactPoints?: boolean;
  level?: number;
  lod?: number;
  resolution?: number;
  subdivision?: 'octants' | 'slices';
  axes?: number;
  source?: boolean;
  expect: 'clear' | 'contact';
  json?: boolean;
}

/** Contacts that a person is shown; --json lists all. */
const SHOWN_CONTACTS = 10;

export function addCheck(program: Command, session: (command: Command) => Session): void {
  const point = parseNumbers(3);
  const axis = parseNumbers(4);
  const matrix = parseNumbers(16);
  program
    .command('check')
    .description('do two assets touch?')
    .argument('<a>', 'an asset that build wrote; or an OBJ file or a .frep.json, built in memory')
    .argument('<b>', 'likewise')
    .option('--pose-a <m>', '16 numbers, row-major 4x4 rigid transform', matrix)
    .option('--pose-b <m>', 'likewise, of b', matrix)
    .option('--translate-a <x,y,z>', 'shift a, after its rotation', point)
    .option('--translate-b <x,y,z>', 'shift b, after its rotation', point)
    .option('--rotate-a <ax,ay,az,degrees>', 'turn a about an axis through the origin', axis)
    .option('--rotate-b <ax,ay,az,degrees>', 'turn b likewise', axis)
    .option(
      '--poses <file>',
      'many poses of b in the frame of a: {"queries":[{"T":[16 numbers]}]} or an array a line; - is stdin',
    )
    .option('--all', 'every contact, not only the first')
    .option('--max-contacts <n>', 'the longest list of contacts', parseWhole(1), 10_000)
    .option('--contact-points', 'where each listed pair touches, and a normal')
    .option('--clearance <len>', 'contact also when closer than, or as close as, this', parseLength)
    .option('--distance', 'the least distance, with witness points')
    .option(
      '--budget <ms>',
      'the best answer within the time: undecided comes with bounds of the distance',
      parseLength,
    )
    .option('--level <n>', 'descend no deeper than this level of the trees', parseWhole(0))
    .option('--lod <m>', 'check geometry images subsampled to 2^m + 1 samples a side, numbers too', parseWhole(1))
    .option(
      '--resolution <a>',
      'search F-reps down to 2^a cells along an axis; what is smaller is undecided; 10 unless given',
      parseWhole(1),
    )
    .addOption(
      new Option(
        '--subdivision <order>',
        'of two F-reps: octants halves all axes in turns; slices x and y, then z, as the seed paper does, and is slower',
      ).choices(['octants', 'slices']),
    )
    .option('--axes <n>', 'of two k-DOP trees: test a pair of nodes on n axes at most, not on all', parseWhole(1))
    .option('--source', 'speak of the source meshes: needs assets with a tolerance')
    .addOption(
      new Option('--expect <verdict>', 'which verdict exits with 0').choices(['clear', 'contact']).default('clear'),
    )
    .option('--json', 'the report as JSON, one line a pose')
    .addHelpText(
      'after',
      `
clear: the stored surfaces share no point, proved. contact: they share one; touching counts.
undecided: --level or --budget ended the search, the distance is within its rounding of --clearance, --source of cubes
that touch, or F-reps that touch or come closer than --resolution tells.
One object wholly inside another does not touch it, but for F-reps: they are solids, their insides collide too.
--axes changes how long a check takes; its verdict, only where --level ends it.
Exit code 0: the expected verdict; 1: the other one; 2: nothing was decided, stderr says why; 3: undecided or a cut list.

  $ gicollide check out/bunny.tiff out/blob.tiff --translate-b 1.5,0,0
  clear  out/bunny.tiff  out/blob.tiff  (1 bound test, 0 triangle tests, 0.03 ms)`,
    )
    .action(async (a: string, b: string, flags: CheckFlags, command: Command) => {
      process.exitCode = await runCheck(a, b, flags, session(command));
    });
}

async function runCheck(fileA: string, fileB: string, flags: CheckFlags, session: Session): Promise<number> {
  if (flags.poses !== undefined) {
    const clashing = (['poseA', 'poseB', 'translateA', 'translateB', 'rotateA', 'rotateB'] as const).find(
      (key) => flags[key] !== undefined,
    );
    if (clashing) {
      const name = clashing.replace(/([AB])$/, (side) => `-${side.toLowerCase()}`);
      throw new OptionError(`--poses gives every pose of b in the frame of a: leave out --${name}`);
    }
  }
  const poseA = poseOf(flags, 'A');
  const poseB = poseOf(flags, 'B');
  await loadLibrary(); // the program's start, not the assets' loading
  const start = performance.now();
  const a = await loadAsset(fileA, session);
  const b = fileB === fileA ? a : await loadAsset(fileB, session);
  const loadMs = performance.now() - start;
  if (flags.source) requireTolerances([fileA, a.asset], [fileB, b.asset]);
  const options: CheckOptions = {
    all: flags.all ?? false,
    maxContacts: flags.maxContacts,
    ...(flags.clearance !== undefined && { clearance: flags.clearance }),
    ...(flags.budget !== undefined && { budget: flags.budget }),
    ...(flags.level !== undefined && { level: flags.level }),
    ...(flags.lod !== undefined && { lod: flags.lod }),
    ...(flags.resolution !== undefined && { resolution: flags.resolution }),
    ...(flags.subdivision !== undefined && { subdivision: flags.subdivision }),
    source: flags.source ?? false,
    distance: flags.distance ?? false,
    contactPoints: flags.contactPoints ?? false,
    ...(flags.axes !== undefined && { axes: flags.axes }),
    fileA,
    fileB,
    loadMs,
  };
  let code: number = EXIT.expected;
  const answer = async (report: Report) => {
    code = Math.max(code, exitCodeOf(report, flags.all ?? false, flags.expect));
    await print(
      flags.json ? `${JSON.stringify(report)}\n` : describeReport(report, flags.all ?? false, flags.maxContacts),
    );
  };
  if (flags.poses === undefined) {
    await answer(check(a.asset, b.asset, { ...options, poseA, poseB }));
  } else {
    let answers = 0;
    for await (const pose of readPoses(flags.poses)) {
      await answer(check(a.asset, b.asset, { ...options, poseB: pose }));
      answers++;
    }
    // Silence must not pass for a verdict: whoever was to write the poses may have failed.
    if (answers === 0) throw new InputError(`--poses ${flags.poses}: expected at least one pose, found none`);
  }
  return code;
}

/** What records no tolerance can say nothing of its source. */
function requireTolerances(...assets: [string, Asset][]): void {
  for (const [file, asset] of assets) {
    const tolerance = representationOf(asset).tolerance(asset);
    if (tolerance === null) {
      throw new OptionError(
        `--source: ${file} records no tolerance, how far it lies from its source; without it nothing is known of that`,
      );
    }
  }
}

function describeReport(report: Report, all: boolean, maxContacts: number): string {
  const { verdict, a, b, contacts, tests, ms, level, distance, witness, bracket } = report;
  const effort =
    `${count(tests.bounds, 'bound test')}, ${count(tests.hulls, `${nounOf(a, b)} test`)}, ` +
    `${verdict === 'undecided' ? `to level ${level}, ` : ''}${ms.query.toFixed(2)} ms`;
  let text = `${verdict}  ${a.file}  ${b.file}  (${effort})\n`;
  if (distance !== null && witness) {
    text += `  distance ${distance}: ${point(witness.a)} on ${nounOf(a)} ${witness.pair[0]} of a, `;
    text += `${point(witness.b)} on ${nounOf(b)} ${witness.pair[1]} of b\n`;
  } else if (bracket) text += `  ${describeBracket(bracket)}\n`;
  if (report.cells) return text + describeCells(report, report.cells, all);
  if (contacts.count === 0) return text;
  const pairs = contacts.pairs.slice(0, SHOWN_CONTACTS).map(([p, q]) => `${p}-${q}`);
  if (all) {
    text += `  ${count(contacts.count, 'contact')}${contacts.complete ? '' : contacts.count >= maxContacts ? ', and more: the list was cut' : ', and perhaps more: not all was decided'}: ${pairs.join(' ')}`;
    text += contacts.count > SHOWN_CONTACTS ? ' ...\n' : '\n';
  } else
    text += `  first contact: ${nounOf(a)} ${contacts.pairs[0][0]} of a, ${nounOf(b)} ${contacts.pairs[0][1]} of b\n`;
  for (const { from, to, normal, depth } of contacts.points?.slice(0, SHOWN_CONTACTS) ?? []) {
    text += `  from ${point(from)} to ${point(to)}, normal ${point(normal)}, depth ${Number(depth.toPrecision(6))}\n`;
  }
  return text;
}

function describeBracket({ lower, upper }: Bracket): string {
  if (lower === Number.POSITIVE_INFINITY) return 'no distance: one of the two is empty';
  return upper === Number.POSITIVE_INFINITY ? `distance at least ${lower}` : `distance between ${lower} and ${upper}`;
}

/** Of two F-reps: where they meet, and what could not be told. */
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

const NOUNS: Record<string, string> = { voxel: 'cube', frep: 'solid' };

/** What the leaves of both are. */
function nounOf(...sides: { representation: string }[]): string {
  const nouns = sides.map(({ representation }) => NOUNS[representation] ?? 'triangle');
  return nouns.every((noun) => noun === nouns[0]) ? nouns[0] : 'leaf';
}

const short = (v: number): number => Number(v.toPrecision(6));
const point = (x: number[]): string => `(${x.map(short).join(' ')})`;
const count = (n: number, name: string): string => `${n} ${name}${n === 1 ? '' : 's'}`;
