/** Stores a run: its kind, its assets by digest, and its further data. */
import * as z from 'zod/mini';
import { InputError } from '../../base/errors.ts';
import type { Asset } from '../../engine/representation.ts';
import { sniffKind } from '../../representations/kinds.ts';
import { TOOL } from '../../version.ts';
import { encodeAsset, loadAsset } from '../inputs/load.ts';
import { about, type Session } from '../session.ts';
import { type AssetFolder, type AssetStore, pathOf } from './asset-store.ts';
import { packed, unpacked } from './jobs.ts';

interface RunFile {
  tool: string;
  kind: string;
  data: unknown;
}

const AT_ONCE = 16;

const schema = z.object({
  tool: z.string(),
  kind: z.string(),
  assets: z.array(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  data: z.unknown(),
});

export async function writeRun(
  store: AssetFolder,
  kind: string,
  assets: readonly Asset[],
  data: unknown,
): Promise<string> {
  const digests: string[] = [];
  for (const asset of assets) digests.push(await store.write(await encodeAsset(asset)));
  return store.write(packed({ tool: TOOL, kind, assets: digests, data }));
}

/** Returns also the total size. @throws InputError if a file is missing or has the wrong content */
export async function readRun(
  store: AssetStore,
  digest: string,
  session: Session,
): Promise<{ run: RunFile; assets: Asset[]; bytes: number }> {
  const file = await store.read(digest);
  const parsed = schema.safeParse(await about(pathOf(digest), () => unpacked(file)));
  if (!parsed.success) throw new InputError(`${pathOf(digest)}: expected a run of ${TOOL}, found something else`);
  const { assets: digests, ...run } = parsed.data;
  if (run.tool !== TOOL) throw new InputError(`${pathOf(digest)}: expected a run of ${TOOL}, found one of ${run.tool}`);
  const assets = new Map<string, Asset>();
  let bytes = file.length;
  const wanted = [...new Set(digests)];
  const readNext = async (): Promise<void> => {
    for (let own = wanted.shift(); own !== undefined; own = wanted.shift()) {
      const read = await store.read(own);
      bytes += read.length;
      assets.set(own, await decoded(own, read, session));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  return { run, assets: digests.map((own) => assets.get(own)!), bytes };
}

async function decoded(digest: string, bytes: Uint8Array, session: Session): Promise<Asset> {
  const name = pathOf(digest);
  // A worker never builds from a run's assets.
  if (!sniffKind(bytes)) throw new InputError(`${name}: expected an asset, found something else`);
  return (await loadAsset({ file: name, name, bytes, content: 'asset' }, session)).asset;
}
