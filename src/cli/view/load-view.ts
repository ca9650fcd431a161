/** Loads the content of `gicollide view` from files: the page's document, and the assets' bytes. */
import { basename } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { grouped } from '../../base/printable.ts';
import type { Asset } from '../../engine/representation.ts';
import { identity } from '../../math/pose.ts';
import { loadKinds, representationOf } from '../../representations/kinds.ts';
import type { SceneObject, SceneOptions } from '../../scene/records.ts';
import { TOOL } from '../../version.ts';
import type { Asked, ViewAsset, ViewDocument, ViewObject } from '../../viewer/document.ts';
import { FindingLog } from '../findings/finding-log.ts';
import { encodeAsset } from '../inputs/load.ts';
import { nameOf } from '../inputs/name.ts';
import { holding } from '../inputs/open.ts';
import { requireInputs, type Session } from '../session.ts';
import { createProgress } from '../terminal.ts';
import { openFindingsSource } from './findings-source.ts';
import { openPairSource } from './pair-source.ts';
import { openSceneSource } from './scene-source.ts';
import type { Source } from './source.ts';
import type { ViewFlags } from './view-flags.ts';

export interface LoadedView {
  document: ViewDocument;
  /** The encoded assets of the document, in order. */
  files: Uint8Array[];
  /** Elements that are incomplete without permission. */
  unchecked: number;
}

export interface LoadViewOptions {
  mostBytes?: number;
  /** True if the baseline is changed later: it may be missing, and the document names it. */
  savesBaseline?: boolean;
}

/** @param args as for `check` or `scene`; or findings that they printed with --json */
export async function loadView(
  args: readonly string[],
  flags: ViewFlags,
  session: Session,
  { mostBytes = Number.POSITIVE_INFINITY, savesBaseline = false }: LoadViewOptions = {},
): Promise<LoadedView> {
  await loadKinds();
  requireInputs([...args, ...(flags.against ?? [])], session);
  const { baseline = null, worse } = flags;
  const known = { ...(baseline !== null && { baseline }), ...(worse !== undefined && { worse }) };
  const log = await FindingLog.open({ ...known, makesBaseline: savesBaseline }, []);
  const all = [...args, ...(flags.with ?? [])];
  const source = await openSource(all, flags, holding([...all, ...(flags.against ?? [])], session));
  const { assets, files, numbers } = await encodeAll(source, mostBytes, session);
  const { findings, summary, frames } = await source.find(log);
  const document: ViewDocument = {
    gicollide: 'view/1',
    title: titleOf([...all, ...(flags.against ?? [])].map((arg) => nameOf(arg, session))),
    tool: TOOL,
    units: source.units,
    assets,
    objects: source.objects.map((object) => objectOf(object, numbers.get(object.asset)!)),
    asked: { ...askedOf(source.asked), ...(flags.failOn && { failOn: flags.failOn }) },
    ...{ findings, summary, frames },
    baseline: savesBaseline ? baseline : null,
    again: source.again,
  };
  return { document, files, unchecked: source.unchecked ?? 0 };
}

const openSource = async (args: readonly string[], flags: ViewFlags, session: Session): Promise<Source> =>
  (await openFindingsSource(args, flags, session)) ??
  (await openPairSource(args, flags, session)) ??
  openSceneSource(args, flags, session);

async function encodeAll({ objects, encoded }: Source, mostBytes: number, session: Session) {
  const numbers = new Map<Asset, number>();
  const first: SceneObject[] = [];
  for (const object of objects) {
    if (numbers.has(object.asset)) continue;
    numbers.set(object.asset, numbers.size);
    first.push(object);
  }
  const progress = createProgress('view', session.global);
  const assets: ViewAsset[] = [];
  const files: Uint8Array[] = [];
  let bytes = [...encoded.values()].reduce((sum, { length }) => sum + length, 0);
  try {
    for (const [n, object] of first.entries()) {
      requireFew(bytes, mostBytes);
      progress.update('assets', n / first.length);
      const own = encoded.get(object.asset);
      const file = own ?? (await encodeAsset(object.asset));
      if (!own) bytes += file.length;
      files.push(file);
      assets.push(assetOf(object, file.length));
    }
    requireFew(bytes, mostBytes);
  } finally {
    progress.stop();
  }
  return { assets, files, numbers };
}

function requireFew(bytes: number, most: number): void {
  if (bytes > most)
    throw new InputError(
      `expected at most ${grouped(most)} bytes of assets for one page, found ${grouped(bytes)} or more; without --html a server gives them`,
    );
}

function assetOf({ asset, assetName, name, sha256, origin }: SceneObject, bytes: number): ViewAsset {
  const { name: representation } = representationOf(asset);
  const own = assetName ?? name;
  const shown = origin?.element === undefined ? own : `${own}/${origin.element}`;
  return { name: shown, representation, sha256: sha256 ?? null, bytes };
}

const objectOf = ({ name, pose, origin }: SceneObject, asset: number): ViewObject => ({
  ...{ name, asset, pose: Array.from(pose ?? identity()), file: origin?.file ?? null },
  ...{ element: origin?.element ?? null, guid: origin?.guid ?? null },
});

/** Returns the options that are plain JSON; a scene's rules come with all fields of their file. */
function askedOf({ clearance, solid, tolerance, touchGap, rules = {}, against, still }: SceneOptions): Asked {
  const { groups, rules: list, allow } = rules;
  const own = { ...(groups && { groups }), ...(list && { rules: list }), ...(allow && { allow }) };
  return {
    ...(clearance !== undefined && { clearance }),
    solid: solid ?? 'auto',
    ...(tolerance !== undefined && { tolerance }),
    ...(touchGap !== undefined && { touchGap }),
    ...(Object.keys(own).length > 0 && { rules: own }),
    ...(against && { against: [...against] }),
    ...(still && { still: [...still] }),
  };
}

const MOST_NAMED = 3;

function titleOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => basename(name));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
