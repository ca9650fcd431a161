/** Loads one or two assets, meshes or models, like `gicollide check`. */
import { basename } from 'node:path';
import { OptionError } from '../../base/errors.ts';
import { sha256 } from '../../containers/hash.ts';
import type { Asset } from '../../engine/representation.ts';
import { representationOf } from '../../representations/kinds.ts';
import type { SceneObject } from '../../scene/records.ts';
import { type PoseOptions, poseOf } from '../arguments.ts';
import { flagOf } from '../check-flags.ts';
import { buildTree, loadAsset, readInput } from '../inputs/load.ts';
import { extensionOf, isSameFile, kindOf, MODEL, nameOf, STDIN } from '../inputs/name.ts';
import { isSceneFile } from '../scene-inputs.ts';
import { about, type Session } from '../session.ts';
import { solidOptionsOf } from '../solid-flags.ts';
import { labelsOf, type PairUnits, requireOneUnitOfPair, type UnitLabel } from '../units.ts';
import { againOf } from './again.ts';
import { findStill, place } from './find.ts';
import type { Source } from './source.ts';
import type { ViewFlags } from './view-flags.ts';

const POSES = ['poseA', 'poseB', 'translateA', 'translateB', 'rotateA', 'rotateB'] as const;
const OF_SCENES = ['against', 'with', 'allow', 'units', 'srdf', 'state', 'states'] as const;

interface Part {
  arg: string;
  asset: Asset;
  sha256: string;
  /** The file of a stored asset. */
  bytes: Uint8Array | null;
}

/** Returns null for a scene: more than two files, folders, scene files, robots, elements. */
export async function openPairSource(
  args: readonly string[],
  flags: ViewFlags,
  session: Session,
): Promise<Source | null> {
  const pose = POSES.find((key) => flags[key] !== undefined);
  const units = (['unitsA', 'unitsB'] as const).find((key) => flags[key] !== undefined);
  const parts = OF_SCENES.some((key) => flags[key] !== undefined)
    ? null
    : await partsOf(args, pose !== undefined, flags, session);
  if (!parts) {
    if (units) throw new OptionError(`${flagOf(units)}: of a pair of assets or meshes; a scene takes --units`);
    if (!pose) return null;
    throw new OptionError(`${flagOf(pose)}: of a pair of assets or meshes; a scene file says where its objects stand`);
  }
  const told = ({ arg, asset }: Part) => [nameOf(arg, session), representationOf(asset).units(asset)] as const;
  if (parts.length === 2) requireOneUnitOfPair(told(parts[0]), told(parts[1]));
  const objects = placed(parts, flags, session);
  const { clearance } = flags;
  const asked = { ...(clearance !== undefined && { clearance }), ...solidOptionsOf(flags) };
  const scene = await place(args.join(' '), { objects, asked }, session);
  return {
    ...{ objects, asked },
    units: representationOf(parts[0].asset).units(parts[0].asset),
    again: againOf('check', args, flags, session),
    encoded: new Map(parts.flatMap(({ asset, bytes }) => (bytes ? [[asset, bytes]] : []))),
    find: (log) => findStill(scene, null, log, flags, session),
  };
}

async function partsOf(
  args: readonly string[],
  isPair: boolean,
  flags: PairUnits,
  session: Session,
): Promise<Part[] | null> {
  if (args.length > 2 || args.some((arg) => arg !== STDIN && kindOf(arg) === 'folder')) return null;
  const isOne = args.length === 2 && isSameFile(args[0], args[1]);
  const labels = labelsOf({ unitsA: flags.unitsA, unitsB: flags.unitsB }, { isSameFile: isOne });
  const first = await partOf(args[0], isPair, labels.a, session);
  if (!first || args.length === 1) return first && [first];
  // A pipe gives its bytes once, so a file with itself is one input.
  const second = isOne ? first : await partOf(args[1], isPair, labels.b, session);
  return second && [first, { ...second, arg: args[1] }];
}

/** Returns null for several objects. @param isPair true if files are loaded as a whole anyway */
async function partOf(
  arg: string,
  isPair: boolean,
  label: UnitLabel | undefined,
  session: Session,
): Promise<Part | null> {
  const name = nameOf(arg, session);
  if (isSceneFile(name)) return null;
  const input = await readInput(arg, session);
  const { bytes, content } = input;
  // In an unnamed stream, any JSON is a scene.
  if (content === 'model' && extensionOf(name) !== MODEL) return null;
  const digest = await sha256(bytes);
  if (content !== 'mesh') return { arg, sha256: digest, ...(await loadAsset(input, session, label)) };
  const { isRobot, meshFormatOf } = await import('../../readers/formats.ts');
  // Buildings have elements, and take long to read.
  if (isRobot(bytes) || (!isPair && meshFormatOf(bytes).name === 'IFC')) return null;
  const { meshFileOf } = await import('../inputs/mesh.ts');
  const read = await meshFileOf(arg, bytes, session);
  if (!isPair) {
    const { elementsOf } = await import('../../readers/elements.ts');
    const isSolid = read.nodes.some(({ primitive }) => primitive);
    if (isSolid || (await about(name, () => elementsOf(read, 'elements'))).length !== 1) return null;
  }
  const asset = await buildTree(name, { ...read, sha256: digest }, session, label);
  return { arg, sha256: digest, asset, bytes: null };
}

/** Names objects by their files, or by paths if two files have the same name. */
function placed(parts: readonly Part[], flags: PoseOptions, session: Session): SceneObject[] {
  const paths = parts.map(({ arg }) => nameOf(arg, session));
  const short = paths.map((path) => basename(path));
  const called = short[0] === short[1] ? paths : short;
  const names = called[0] === called[1] ? [`${called[0]} a`, `${called[1]} b`] : called;
  return parts.map(({ asset, sha256 }, n) => ({
    ...{ name: names[n], asset, pose: poseOf(flags, n === 0 ? 'A' : 'B') },
    ...{ assetName: short[n], sha256, origin: { file: paths[n] } },
  }));
}
