/** `gicollide cubes`: finds which of many models collide, and in which cubes of one grid. */
import { totalmem } from 'node:os';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { Exclusion, excludedText } from '../../base/patterns.ts';
import type { OpenGpu } from '../../gpu/open.ts';
import { transformMesh } from '../../mesh/mesh.ts';
import { elementsOf, withoutElements } from '../../readers/elements.ts';
import { MESH_ENDINGS } from '../../readers/formats.ts';
import type { MeshFile } from '../../readers/mesh-file.ts';
import { writeObj } from '../../readers/obj/obj.ts';
import type { Level } from '../../report/finding.ts';
import { loadKinds, sniffKind } from '../../representations/kinds.ts';
import {
  type Collisions,
  collideAllPairs,
  collideSorted,
  commonCubes,
  requireFewModels,
  totalPairCount,
} from '../../representations/voxel/bulk/collide.ts';
import { openWorkers } from '../../representations/voxel/bulk/cube-workers.ts';
import { partitionAll } from '../../representations/voxel/bulk/partition-all.ts';
import { cubesInSlab } from '../../representations/voxel/bulk/slabs.ts';
import { requireEdge } from '../../representations/voxel/make/partition.ts';
import { cubeSurface } from '../../representations/voxel/tree/cube-mesh.ts';
import type { VoxelSet } from '../../representations/voxel/tree/cube-set.ts';
import { type CubeSet, cellsOf, cubesIn } from '../../representations/voxel/tree/cube-set.ts';
import { cover, elementsTold, fileTold, type ToldElements } from '../../scene/coverage.ts';
import type { IncompleteAllowance } from '../../scene/rules.ts';
import { TOOL } from '../../version.ts';
import { threadsFor } from '../../work/schedule.ts';
import {
  addExclude,
  addIncomplete,
  addName,
  addOutside,
  addReading,
  addStrict,
  DEVICES,
  type DeviceName,
  notes,
  parseJobs,
  parsePositive,
} from '../arguments.ts';
import { requireEnding, requireWritable, writeWhole } from '../atomic-write.ts';
import { addBaselineOptions, type BaselineFlags } from '../findings/baseline-file.ts';
import { FindingLog } from '../findings/finding-log.ts';
import { addReportOptions, type ReportFlags } from '../findings/report-flags.ts';
import { addShardOption, BLOB, type ShardFlags, type Share, takeShare } from '../flags.ts';
import { onDevice } from '../gpu-device.ts';
import { loadAsset, readInput } from '../inputs/load.ts';
import { readOrNotes, trianglesOf } from '../inputs/mesh.ts';
import { expandFiles, identityOf, kindOf, nameOf, prefixes } from '../inputs/name.ts';
import { type Input, openGiven } from '../inputs/open.ts';
import { type CubesLine, cubesLine, tellCubes } from '../print-cubes.ts';
import { notThere, sayUnchecked } from '../scene/print-scene.ts';
import { about, keepingWarnings, requireInputs, type Session, saySkipped } from '../session.ts';
import { keepCubes, type Model, type Part, partOf } from '../shards/cubes.ts';
import { createProgress } from '../terminal.ts';
import { parseUnits, requireOneUnit, unitOf } from '../units.ts';

interface CubesFlags extends ReportFlags, BaselineFlags, ShardFlags {
  precision?: number;
  units?: string;
  fill?: boolean;
  jobs?: number;
  workers?: number;
  allPairs?: boolean;
  device: DeviceName;
  expect: 'clear' | 'contact';
  obj?: string;
  split?: 'elements' | 'groups';
  allowIncomplete?: IncompleteAllowance[];
  exclude?: string[];
  strict?: boolean;
  json?: boolean;
}

/** First bytes of a file, enough to recognize its kind. */
const HEAD = 64;
/** Files open at a time: some systems allow only a few hundred. */
const MOST_OPEN = 200;
/** Maximum bytes per brick during the comparison: 16 in its set, 52 beside it. */
const BRICK_BYTES = 68;

export function defineCubes(command: Command, session: (command: Command) => Session): void {
  addReading(addIncomplete(addExclude(addOutside(addStrict(addName(command))))))
    .option('--precision <len>', 'edge of a cube; required for meshes', parsePositive)
    .option('--units <name>', 'unit of files without one (m, cm, mm, in, ...); nothing is converted', parseUnits)
    .option('--fill', 'add the inside of closed meshes')
    .addOption(
      new Option(
        '--split <what>',
        'elements (or groups): compare the objects of each file only with those of the other files',
      ).choices(['elements', 'groups']),
    )
    .option('--jobs <n>', 'maximum number of threads (also --workers) [default: number of processors]', parseJobs(1))
    .addOption(new Option('--workers <n>', 'the first name of --jobs').argParser(parseJobs(0)).hideHelp())
    .option('--all-pairs', 'compare every cube with every other, as the paper does: the same answer, slowly')
    .addOption(
      new Option(
        '--device <name>',
        'device that makes and compares cubes. gpu needs the package webgpu; auto uses it if --all-pairs has much to compare',
      )
        .choices(DEVICES)
        .default('auto'),
    )
    .addOption(
      new Option('--expect <verdict>', 'verdict with exit code 0').choices(['clear', 'contact']).default('clear'),
    )
    .option('--obj <file>', 'write the colliding cubes, one object a pair')
    .option('--json', 'print one JSON object');
  addShardOption(command, 'space, of about equal cost');
  addBaselineOptions(addReportOptions(command, BLOB))
    .addHelpText(
      'after',
      notes(
        `Meshes may have any format of docs/meshes.md. A single file gives its elements as models: objects, solids, nodes.
--split compares the objects of several files, file with file: pipe-2 of pipes.obj is pipes/pipe-2.
Two models collide if they share a cube: they touch there, or are closer than a cube's diagonal. Smaller cubes tell more.
Use gicollide scene for exact answers, objects with poses, one set against another, clearances, and pairs that may touch.
Use cubes for thousands of models if a cube's width is close enough, and for filled models.
Exit code 0: the expected verdict; 1: the other one; 2: nothing was decided, or an element is incomplete.
With --baseline, 1 and 3 are only for new or worse findings (docs/baseline.md).
With --shard, all of this is about the share; gicollide merge joins the shares (docs/projects.md).`,
        `  $ gicollide cubes building.obj --precision 0.05
  pipe-2-01  wall-2-007  14 common cubes, from (3.2 0.05 2.1) to (3.45 0.2 2.3)
  1 of 163,306 pairs of 572 models collide, in 14 cubes of 0.05`,
      ),
    )
    .action(async (models: string[], flags: CubesFlags, command: Command) => {
      process.exitCode = await runCubes(models, flags, session(command));
    });
}

async function runCubes(args: string[], given: CubesFlags, asking: Session): Promise<number> {
  const session = keepingWarnings(asking);
  await loadKinds();
  const { share, flags } = await takeShare(given);
  requireInputs(args, session);
  const { files, problems, skipped } = await expandFiles(args, [...MESH_ENDINGS, '.voxel']);
  if (problems.length > 0) throw new InputError(problems[0]);
  const isIncomplete = saySkipped(skipped, flags, session);
  if (flags.precision !== undefined) requireEdge(flags.precision);
  if (flags.obj !== undefined) requireTarget(flags.obj, files, share);
  if (flags.split !== undefined) requireSplittable(files, share);
  const log = await FindingLog.open(flags, files);
  // Each of several files is one model.
  if (files.length > 1) requireFewModels(files.length, flags);
  const exclusion = new Exclusion(flags.exclude);
  const { models, incomplete, leftOut } = await loadModels(files, flags, exclusion, session);
  exclusion.requireMatched();
  if (session.global.verbose) for (const line of exclusion.lines()) session.log.info(line);
  const covered = cover(
    { made: models.length, incomplete, leftOut, unread: [] },
    { allow: flags.allowIncomplete ?? [] },
  );
  sayUnchecked(covered, leftOut, session);
  if (models.length < 2) {
    const others = [...excludedText(exclusion.facts()), ...notThere(covered, leftOut)];
    const few = models.length === 1 ? 'one' : 'none';
    const twice = others.length > 0 ? [] : ['a file given twice counts once'];
    throw new OptionError(
      [`${args.join(' ')}: expected two models or more, found ${few}`, ...others, ...twice].join('; '),
    );
  }
  requireFewModels(models.length, flags);
  if (flags.split !== undefined) requireNames(models);
  const start = performance.now();
  // `--workers 0` is this thread alone, as is 1.
  const workers = openWorkers(threadsFor(flags.jobs ?? (flags.workers === 0 ? 1 : flags.workers)));
  try {
    const names = models.map(({ name }) => name);
    const part = partOf(models, share, flags);
    const collide = flags.allPairs ? collideAllPairs : collideSorted;
    let sets: CubeSet[] | undefined;
    const made = async (device?: OpenGpu): Promise<CubeSet[]> => {
      sets ??= await cubesOfModels(part, flags, workers, session, device);
      return sets;
    };
    // The number of cubes decides whether a GPU is worth it, so for `auto` the processor makes
    // them.
    const isWorthIt = flags.device === 'auto' && paysOnGpu(await made(), flags);
    const collisions = await onDevice({ name: flags.device, isWorthIt }, session, async (device) =>
      collide(await made(device), workers, { names, device }),
    );
    const seconds = (performance.now() - start) / 1000;
    const counts = (await made()).map(({ masks }) => cubesIn(masks));
    const asked = askedOf(collisions, models, counts, flags);
    if (flags.obj !== undefined) await writeWhole(flags.obj, objOf(collisions, asked.found, names));
    const line = { ...lineOf(collisions, asked, models, seconds, flags), ...exclusion.facts() };
    const beside = { covered, warnings: [...session.warnings.values()] };
    const kept = {
      ...{ inputs: args, incomplete: isIncomplete, fill: flags.fill ?? false, expect: flags.expect },
      ...beside,
    };
    await keepCubes(share, models, { pairs: collisions.pairs, counts }, line, kept);
    const run = {
      ...{ names, isAsked: asked.isAsked, expect: flags.expect, isShare: part.slab !== null, isIncomplete },
      ...beside,
    };
    return await tellCubes(line, run, log, flags, session);
  } finally {
    await workers.close();
  }
}

/** Pairs of cubes for two seconds of a processor. A GPU needs less, but longer to open. */
const MOST_ON_PROCESSOR = 2 ** 28;

/** True if a GPU is faster: for many pairs of cubes with --all-pairs. Bricks were not measured. */
function paysOnGpu(sets: readonly CubeSet[], { allPairs }: CubesFlags): boolean {
  return allPairs === true && totalPairCount(sets.map(({ masks }) => cubesIn(masks))) > MOST_ON_PROCESSOR;
}

/**
 * Opens files, and refuses bad ones by their first bytes before any is read whole. Null for pipes
 * and for files beyond MOST_OPEN, which are checked when they are read.
 */
async function openModels(files: string[], inputs: (Input | null)[], flags: CubesFlags, session: Session) {
  for (const file of files) {
    const input = inputs.length < MOST_OPEN ? openGiven(file, session) : null;
    inputs.push(input);
    if (!input?.source) continue;
    requireKindOf(nameOf(file, session), await input.source.read(0, Math.min(HEAD, input.source.size)), flags);
  }
}

/** Returns true if the file has cubes. @param bytes the whole file, or its beginning */
function requireKindOf(file: string, bytes: Uint8Array, flags: CubesFlags): boolean {
  const kind = sniffKind(bytes);
  if (kind && kind.name !== 'voxel') {
    throw new InputError(`${file}: expected cubes (build -f voxel) or a mesh, found ${kind.name}`);
  }
  if (kind && flags.fill) throw new OptionError('--fill: expected meshes, found stored cubes; build them with --fill');
  if (kind) return true;
  if (flags.precision === undefined) {
    throw new OptionError(`${file}: expected --precision, the edge of the cubes that this mesh becomes`);
  }
  return false;
}

/** Each asset and mesh is a model; elements are models for a single mesh and with --split. */
async function loadModels(
  files: string[],
  flags: CubesFlags,
  exclusion: Exclusion,
  session: Session,
): Promise<LoadedModels> {
  const models: Model[] = [];
  const told: ToldElements = { incomplete: [], leftOut: [] };
  const called = new Map(files.map((file) => [file, nameOf(file, session)]));
  // Paths replace base names that are not unique.
  const bases = new Map<string, number>();
  for (const name of called.values()) bases.set(basename(name), (bases.get(basename(name)) ?? 0) + 1);
  const isSplit = files.length === 1 || flags.split !== undefined;
  const prefixOf = prefixes(files, session);
  const inputs: (Input | null)[] = [];
  const label = flags.units === undefined ? undefined : { option: '--units', units: flags.units };
  let first: readonly [string, string | null] | undefined;
  const takeUnit = async (path: string, own: string | null): Promise<void> => {
    const told = [path, await about(path, () => unitOf(own, label))] as const;
    first ??= told;
    requireOneUnit(first, told, [
      'set the unit with --units',
      'set the unit with --units',
      'build one with --scale and --units',
    ]);
  };
  try {
    await openModels(files, inputs, flags, session);
    for (const [n, file] of files.entries()) {
      const path = called.get(file)!;
      const name = bases.get(basename(path)) === 1 ? basename(path) : path;
      const prefix = prefixOf(file);
      if (prefix !== '' && exclusion.leavesOut(prefix.slice(0, -1))) continue;
      const isOut = (element: string): boolean => exclusion.leavesOut(prefix + element);
      const input = await readInput(inputs[n] ?? file, session);
      if (requireKindOf(path, input.bytes, flags)) {
        const cubes = (await loadAsset(input, session)).asset as VoxelSet;
        requirePrecision(path, cubes, flags.precision, models);
        await takeUnit(path, cubes.header.units);
        models.push({ name, file: path, cubes, mesh: null });
        continue;
      }
      if (input.content === 'model')
        throw new InputError(`${path}: expected a mesh or cubes, found a model of functions`);
      const read = await readOrNotes(file, input.bytes, session);
      if ('meshes' in read) await takeUnit(path, read.units);
      const all = 'meshes' in read ? read.notes : read;
      const notes = all.filter(({ element }) => element === null || !isOut(element));
      const made = 'meshes' in read ? read : null;
      const left = made && flags.exclude ? withoutElements(made, isOut) : made;
      const own = isSplit
        ? elementsTold(notes, path, (element) => prefixOf(file) + element)
        : fileTold(notes, path, { name, isMade: left !== null });
      told.incomplete.push(...own.incomplete);
      told.leftOut.push(...own.leftOut);
      await about(path, () => {
        if (!left) return;
        if (isSplit) models.push(...elementsAsModels(path, left, prefix));
        else models.push({ name, file: path, cubes: null, mesh: trianglesOf(left) });
      });
    }
    return { models, ...told };
  } finally {
    for (const input of inputs) await input?.source?.close?.();
  }
}

interface LoadedModels extends ToldElements {
  models: Model[];
}

function elementsAsModels(file: string, read: MeshFile, prefix: string): Model[] {
  return elementsOf(read, 'elements').map(({ name, mesh, primitive, matrix }) => {
    if (!mesh)
      throw new InputError(`${name}: expected triangles, found a ${primitive!.shape}; gicollide scene takes it`);
    return { name: prefix + name, file, cubes: null, mesh: transformMesh(mesh, matrix) };
  });
}

/** Only cubes of one grid can be compared: the grid of --precision, or of the first file. */
function requirePrecision(file: string, cubes: VoxelSet, precision: number | undefined, before: Model[]): void {
  if (precision !== undefined && cubes.precision !== precision) {
    throw new OptionError(`--precision ${precision}: ${file} has cubes of ${cubes.precision}`);
  }
  const [first] = before;
  if (first?.cubes && first.cubes.precision !== cubes.precision) {
    throw new InputError(
      `${file}: expected cubes of ${first.cubes.precision}, as in ${first.file}, found cubes of ${cubes.precision}`,
    );
  }
}

async function cubesOfModels(
  { models, slab }: Part,
  flags: CubesFlags,
  workers: ReturnType<typeof openWorkers>,
  session: Session,
  device: OpenGpu | undefined,
): Promise<CubeSet[]> {
  const meshes = models.filter((model) => model.mesh !== null);
  const progress = createProgress('cubes', session.global);
  try {
    const made = await partitionAll(
      meshes.map(({ mesh }) => mesh as NonNullable<Model['mesh']>),
      flags.precision ?? 1,
      workers,
      {
        fill: flags.fill ?? false,
        mostBricks: bricksInMemory(models),
        names: meshes.map(({ name, file }) => `${file}: ${name}`),
        device,
        onProgress: (done) => progress.update('cubes', done / meshes.length),
      },
    );
    let next = 0;
    const nothing = new Uint32Array(0);
    return models.map(({ cubes, mesh }) => {
      const set = cubes ?? (mesh ? made[next++] : { precision: flags.precision ?? 1, keys: nothing, masks: nothing });
      return slab ? cubesInSlab(set, slab) : set;
    });
  } finally {
    progress.stop();
  }
}

function bricksInMemory(models: readonly Model[]): number {
  const given = models.reduce((sum, { cubes }) => sum + (cubes?.keys.length ?? 0) / 2, 0);
  // Without a limit, the system returns 0 or more than there is.
  const limit = process.constrainedMemory?.() || Infinity;
  return Math.max(2 ** 10, Math.floor(Math.min(totalmem(), limit) / BRICK_BYTES) - given);
}

function extentOf(set: CubeSet): { low: number[]; high: number[] } {
  const cells = cellsOf(set);
  const low = [0, 1, 2].map((axis) => cells[axis]);
  const high = low.slice();
  for (let i = 0; i < cells.length; i++) {
    low[i % 3] = Math.min(low[i % 3], cells[i]);
    high[i % 3] = Math.max(high[i % 3], cells[i]);
  }
  return { low: low.map((k) => k * set.precision), high: high.map((k) => (k + 1) * set.precision) };
}

interface Asked {
  pairs: number;
  totalPairCount: number;
  found: number[];
  isAsked(a: string, b: string): boolean;
}

/** Selects all pairs; with --split only those between two files. @param counts cubes per model */
function askedOf(
  { pairs, cubes, work }: Collisions,
  models: readonly Model[],
  counts: readonly number[],
  { split }: CubesFlags,
): Asked {
  const all = Array.from(cubes, (_, p) => p);
  const whole = { pairs: work.pairs, totalPairCount: work.totalPairCount };
  if (split === undefined) return { ...whole, found: all, isAsked: () => true };
  const modelsOf = new Map<string, number>();
  const cubesOf = new Map<string, number>();
  for (const [m, { file }] of models.entries()) {
    modelsOf.set(file, (modelsOf.get(file) ?? 0) + 1);
    cubesOf.set(file, (cubesOf.get(file) ?? 0) + counts[m]);
  }
  const files = new Map(models.map(({ name, file }) => [name, file]));
  return {
    // Two-tuples between files are those of the files' sums.
    pairs: totalPairCount([...modelsOf.values()]),
    totalPairCount: totalPairCount([...cubesOf.values()]),
    found: all.filter((p) => models[pairs[2 * p]].file !== models[pairs[2 * p + 1]].file),
    isAsked: (a, b) => files.get(a) !== files.get(b),
  };
}

function lineOf(collisions: Collisions, asked: Asked, models: Model[], seconds: number, flags: CubesFlags): CubesLine {
  const { pairs, cubes, work, precision } = collisions;
  const level: Level = flags.expect === 'clear' ? 'error' : 'note';
  const found = asked.found.map((p) => ({
    a: models[pairs[2 * p]].name,
    b: models[pairs[2 * p + 1]].name,
    cubes: cubes[p],
    ...extentOf(commonCubes(collisions, p)),
    level,
  }));
  return cubesLine(found, {
    ...{ precision, models: work.models, pairs: asked.pairs, cubes: work.cubes },
    totalPairCount: asked.totalPairCount,
    ...{ method: flags.allPairs ? 'all-pairs' : 'sorted', ms: Math.round(1000 * seconds) },
  });
}

function objOf(collisions: Collisions, found: readonly number[], names: string[]): Uint8Array {
  const positions: number[] = [];
  const triangles: number[] = [];
  const groups: { kind: 'object'; name: string; first: number; count: number }[] = [];
  for (const p of found) {
    const surface = cubeSurface(commonCubes(collisions, p));
    const first = positions.length / 3;
    groups.push({
      kind: 'object',
      name: `${names[collisions.pairs[2 * p]]}+${names[collisions.pairs[2 * p + 1]]}`,
      first: triangles.length / 3,
      count: surface.triangles.length / 3,
    });
    for (const x of surface.positions) positions.push(x);
    for (const v of surface.triangles) triangles.push(first + v);
  }
  const mesh = { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups };
  return writeObj(mesh, `cubes in which models collide, ${TOOL}`);
}

/** Refuses colliding names: objects of both pipes.obj and pipes.glb are called pipes/... */
function requireNames(models: readonly Model[]): void {
  const files = new Map<string, string>();
  for (const { name, file } of models) {
    const other = files.get(name);
    if (other !== undefined) throw new InputError(`${file}: expected names of its own, found ${name}, as in ${other}`);
    files.set(name, file);
  }
}

function requireSplittable(files: readonly string[], { shard }: Share): void {
  if (files.length < 2)
    throw new OptionError('--split: expected two files or more; the objects of a single file are compared anyway');
  if (shard && shard.count > 1)
    throw new OptionError('--split: needs all of space, and a shard has a part; leave out --shard');
}

function requireTarget(obj: string, files: string[], { shard }: Share): void {
  if (shard && shard.count > 1)
    throw new OptionError('--obj: needs all of space, and a shard has a part; leave out --shard');
  if (files.some((file) => identityOf(file) === identityOf(obj))) {
    throw new InputError(`${obj}: would overwrite the input`);
  }
  if (obj === '' || kindOf(obj) === 'folder' || /[\\/]$/.test(obj)) {
    throw new InputError(`${obj}: expected a name for the OBJ file, found a folder`);
  }
  requireEnding(obj, ['.obj'], 'OBJ');
  requireWritable(obj);
}
