/** What the library can be asked about an asset, whatever it holds: each call ends with an answer or with an InputError of one line. */

import {
  type Asset,
  build,
  check,
  collideSorted,
  commonCubes,
  createLibrary,
  InputError,
  identity,
  type Pose,
  prepare,
  representationOf,
  rotation,
  type Surface,
  translation,
  writeObj,
} from '../../src/api.ts';
import { memorySource } from '../../src/containers/byte-source.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import type { CheckOptions } from '../../src/engine/options.ts';
import { compose } from '../../src/math/pose.ts';
import { drawFrep } from '../../src/picture/frep.ts';
import { drawGeometryImage } from '../../src/picture/geometry-image.ts';
import type { FrepObject } from '../../src/representations/frep/tree/program.ts';
import type { GeometryImage } from '../../src/representations/gi/tree/geometry-image.ts';
import type { VoxelSet } from '../../src/representations/voxel/tree/cube-set.ts';
import type { Random } from '../support/random.ts';

const { read, write, openImage } = createLibrary(sharpCodec);

/** What was found wrong, and with which call. */
export interface Finding {
  call: string;
  error: string;
}

export interface Calls {
  /** How many calls were made, and how many of them refused. */
  made: number;
  refused: number;
  findings: Finding[];
}

const MOST_SHOWN = 400;

/** Asks one file, and the asset in it, everything; `begins` is told of each call before it is made. */
export async function askEverything(
  bytes: Uint8Array,
  others: readonly Asset[],
  random: Random,
  begins: (call: string) => void,
): Promise<Calls> {
  const calls: Calls = { made: 0, refused: 0, findings: [] };
  const ask = async <T>(call: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    begins(call);
    calls.made++;
    try {
      return await work();
    } catch (error) {
      const isRefusal = error instanceof InputError && /^[^\p{Cc}\p{Zl}\p{Zp}]{5,500}$/u.test(error.message);
      if (isRefusal) calls.refused++;
      else calls.findings.push({ call, error: textOf(error) });
      return undefined;
    }
  };
  const decoded = await ask('read', () => read(bytes.slice()));
  if (!decoded) return calls;
  const { asset } = decoded;
  await askAboutOne(asset, bytes, ask);
  for (const [name, other] of [
    ['itself', asset] as const,
    ...others.map((each) => [each.representation, each] as const),
  ]) {
    await askAboutTwo(asset, other, name, random, ask);
  }
  if (asset.representation === 'gi') await askByTiles(bytes, others, ask);
  if (asset.representation === 'voxel') {
    const sets = [asset, ...others.filter((other) => other.representation === 'voxel')] as VoxelSet[];
    await ask('collideSorted', async () => commonCubes(await collideSorted([sets[0], sets[0], ...sets]), 0));
  }
  return calls;
}

type Ask = <T>(call: string, work: () => T | Promise<T>) => Promise<T | undefined>;

const textOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, MOST_SHOWN);

/** As OBJ, which has finite coordinates alone. */
function written(surface: Surface): string | Uint8Array {
  const wild = surface.positions.find((x) => !Number.isFinite(x));
  if (wild !== undefined) throw new Error(`a coordinate of ${wild}`);
  return writeObj(surface, 'a surface');
}

async function askAboutOne(asset: Asset, bytes: Uint8Array, ask: Ask): Promise<void> {
  const representation = representationOf(asset);
  const description = await ask('describe', () => representation.describe(asset, bytes));
  if (description) await ask('describe as JSON', () => JSON.stringify(description));
  await ask('verify', () => representation.verify(asset));
  await ask('write', async () => {
    const again = await write(asset, asset.representation === 'gi' ? { compression: 'none' } : {});
    await read(again);
  });
  const surface = await ask('surface', () => representation.surface(asset, 4));
  if (surface) await ask('export', () => written(surface));
  // Of what it stores, another asset.
  if (surface && surface.triangles.length > 0) {
    await ask('build of its surface', () => build({ ...surface, groups: [] }, { format: 'obb', nodeBytes: 64 }));
  }
  const depth = await ask('depth', () => representation.depth(asset));
  for (let level = 0; level <= Math.min(depth ?? -1, asset.representation === 'frep' ? 4 : 300); level++) {
    await ask(`boundsOfLevel ${level}`, () => written(representation.boundsOfLevel(asset, level)));
  }
  await ask('tolerance', () => representation.tolerance(asset));
  await ask('reach', () => representation.reach(asset));
  if (asset.representation === 'gi') {
    await ask('picture', () => drawGeometryImage(asset as GeometryImage, 1));
  }
  if (asset.representation === 'frep' && surface) {
    await ask('picture', () => drawFrep(asset as FrepObject, 1, surface, representation.boundsOfLevel(asset, 1)));
  }
}

async function askAboutTwo(asset: Asset, other: Asset, name: string, random: Random, ask: Ask): Promise<void> {
  const modes: CheckOptions[] = [
    {},
    { all: true, maxContacts: 50 },
    { all: true, maxContacts: 7, contactPoints: true },
    { all: true, patches: true },
    { path: 'common' },
    { path: 'common', all: true, maxContacts: 50 },
    { distance: true },
    { clearance: 0.05 },
    { clearance: 0.01, all: true, maxContacts: 50 },
    { level: 2 },
    { level: 0, distance: true },
    { budget: 2 },
    { source: true },
    { source: true, distance: true },
    { source: true, all: true, maxContacts: 20 },
    { lod: 2 },
    { resolution: 4 },
  ];
  const poses = [identity(), translation(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1))];
  poses.push(compose(translation(random.between(-1, 1), 0.1, 0), rotation(1, 2, random.between(-1, 1), 77)));
  const isHeavy = asset.representation === 'frep' || other.representation === 'frep';
  for (const mode of modes) {
    // Solids against each other take cells by the ten thousand.
    if (isHeavy && (mode.all || mode.distance) && random.below(4) > 0) continue;
    const poseB = random.pick(poses);
    const swaps = random.below(2) === 0;
    const options = { ...mode, poseB, ...(isHeavy && mode.resolution === undefined && { resolution: 3 }) };
    const text = `check with ${name} ${JSON.stringify({ ...mode, swaps })}`;
    const report = await ask(text, () => (swaps ? check(other, asset, options) : check(asset, other, options)));
    if (report) await ask(`${text}: its report`, () => requireReport(report, mode));
  }
  const checker = await ask(`prepare with ${name}`, () => prepare(asset, other));
  if (checker && !isHeavy) {
    for (const pose of poses) await ask(`verdict with ${name}`, () => checker.verdict(pose as Pose));
  }
}

function requireReport(report: ReturnType<typeof check>, { maxContacts = 10_000 }: CheckOptions): void {
  if (!['clear', 'contact', 'undecided'].includes(report.verdict)) throw new Error(`verdict ${report.verdict}`);
  const { pairs, count } = report.contacts;
  if (pairs.length !== count || count > maxContacts) throw new Error(`${pairs.length} pairs, a count of ${count}`);
  const { bracket } = report;
  if (bracket && !(bracket.lower <= bracket.upper)) throw new Error(`a bracket of ${bracket.lower}, ${bracket.upper}`);
  JSON.stringify(report);
}

async function askByTiles(bytes: Uint8Array, others: readonly Asset[], ask: Ask): Promise<void> {
  const image = await ask('openImage', () => openImage(memorySource(bytes.slice())));
  if (!image) return;
  await ask('openImage: check with itself', () => image.check(image, { all: true, maxContacts: 20 }));
  await ask('openImage: check', () => image.check(image, { poseB: translation(0.4, 0.1, 0) }));
  await ask('openImage: check with an asset', () => image.check(others[0], { distance: true }));
  await ask('openImage: close', () => image.close());
}
