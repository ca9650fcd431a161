/**
 * Answers the questions of protocol.ts about one document, in a worker or in Node: in full about
 * two objects at rest, with contacts while they move, and with triangles to draw and facts.
 */
import { FormatError, InputError, OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { requireThat } from '../base/require.ts';
import { contacts, contacts as finder } from '../contacts/patches.ts';
import { utifCodec } from '../containers/pixels-utif.ts';
import { isOfTriangles } from '../engine/operand.ts';
import { type CheckOptions, DEFAULT_MAX_CONTACTS } from '../engine/options.ts';
import { createPair, type Pair } from '../engine/prepared.ts';
import type { Report } from '../engine/records.ts';
import { textOfReport } from '../engine/report.ts';
import type { Asset } from '../engine/representation.ts';
import { boxOf } from '../mesh/extent.ts';
import type { Surface } from '../mesh/topology.ts';
import type { GeometryImage } from '../representations/gi/tree/geometry-image.ts';
import { loadKinds, representationOf, requireKind } from '../representations/kinds.ts';
import { solidOf, solids } from '../solid/class-of.ts';
import { commandLine } from './command-line.ts';
import type { Asked, ViewDocument } from './document.ts';
import { pagesOf } from './gi-pages.ts';
import {
  type Answer,
  type AssetFacts,
  type FullAnswer,
  type Name,
  type PairQuestion,
  type Question,
  type Shape,
  shapeOf,
} from './protocol.ts';
import { type QuickPair, quickAnswer, quickPair } from './quick.ts';
import { visitsOf } from './visits.ts';
import { WholeScene } from './whole-scene.ts';

interface Opened {
  document: ViewDocument;
  /** Those that were read. */
  assets: Asset[];
  readonly scene: WholeScene;
  /** Reads the assets of a question. */
  need(question: object): Promise<void>;
}

type Answers = {
  [N in Exclude<Name, 'open'>]: (question: Question<N>, opened: Opened) => Answer<N> | Promise<Answer<N>>;
};

export class ViewEngine {
  private opened: Promise<Opened> | undefined;
  /** By both assets' numbers; prepared for any number of questions. */
  private readonly pairs = new Map<string, QuickPair>();

  /**
   * Answers a question. Waits for the document to be open.
   *
   * @throws InputError of one line, if the document cannot be read or the question cannot be
   *   answered; errors of a pair go to its answer's `problem`
   */
  async answer<N extends Name>(name: N, question: Question<N>): Promise<Answer<N>> {
    if (name === 'open') return (await this.open(question as Question<'open'>)) as Answer<N>;
    if (!this.opened) throw new OptionError(`${name}: no document is open`);
    const opened = await this.opened;
    await opened.need(question);
    return this.answers[name as Exclude<N, 'open'>](question as never, opened) as Answer<N>;
  }

  private async open(question: Question<'open'>): Promise<AssetFacts[]> {
    this.pairs.clear();
    this.opened = openDocument(question);
    const { assets } = await this.opened;
    return question.isLazy ? [] : assets.map(factsOf);
  }

  private readonly answers: Answers = {
    surface: ({ asset }, opened) => surfaceShape(assetOf(asset, opened)),
    bounds: ({ asset, level }, opened) => boundsShape(assetOf(asset, opened), level),
    pages: ({ asset }, opened) => pagesOf(imageOf(asset, opened)),
    quick: (question, opened) => this.quick(question, opened),
    full: fullOf,
    contacts: (question, opened) => {
      const { pair } = this.pairOf(question, opened);
      return contactsAnswer(pair, assetsOf(question, opened), question, opened.document.asked);
    },
    visits: ({ level, ...question }, opened) => {
      const { poseA, poseB } = question;
      return visitsOf(...assetsOf(question, opened), { poseA, poseB }, level);
    },
    touching: ({ poses }, { scene }) => scene.touching(poses),
    find: ({ poses }, { scene }) => scene.find(poses),
  };

  private quick(question: PairQuestion, opened: Opened): Answer<'quick'> {
    const { clearance = 0 } = opened.document.asked;
    return quickAnswer(this.pairOf(question, opened), question.poseA, question.poseB, clearance);
  }

  private pairOf(question: PairQuestion, opened: Opened): QuickPair {
    const { objects } = opened.document;
    const [a, b] = assetsOf(question, opened);
    const key = `${objects[question.a].asset} ${objects[question.b].asset}`;
    let pair = this.pairs.get(key);
    if (!pair) {
      pair = quickPair(a, b);
      this.pairs.set(key, pair);
    }
    return pair;
  }
}

/** @throws InputError that names the invalid asset */
async function openDocument({ document, files, isLazy = false }: Question<'open'>): Promise<Opened> {
  const count = document.assets.length;
  requireThat(files.length === count, 'files', `${count}, one for each asset`, files);
  for (const { name, asset } of document.objects)
    requireThat(asset in files, `asset of ${printable(name)}`, 'the number of one', asset);
  const assets: Asset[] = [];
  const read: Promise<Asset>[] = [];
  let scene: WholeScene | undefined;
  const opened: Opened = {
    ...{ document, assets },
    get scene() {
      scene ??= new WholeScene(document, assets);
      return scene;
    },
    async need(question) {
      for (const n of assetsIn(question, document)) {
        if (!(n in files) || n in assets) continue;
        read[n] ??= readAsset(document.assets[n].name, files[n]);
        assets[n] = await read[n];
      }
    },
  };
  if (isLazy) return opened;
  await opened.need({});
  // Refuses objects that no scene can have.
  void opened.scene;
  return opened;
}

/** The numbers of the assets that a question is about: of one, of a pair, or of the whole scene. */
function assetsIn(question: { asset?: number; a?: number; b?: number }, { assets, objects }: ViewDocument): number[] {
  const { asset, a, b } = question;
  if (asset !== undefined) return [asset];
  if (a !== undefined && b !== undefined) return [a, b].map((object) => objects[object]?.asset ?? -1);
  return [...assets.keys()];
}

async function readAsset(name: string, bytes: Uint8Array): Promise<Asset> {
  try {
    const kind = requireKind(bytes);
    // Solids are asked by OBB trees.
    const [codec] = await Promise.all([kind.codec(), loadKinds('obb', kind.name)]);
    return (await codec.decode(bytes, utifCodec, { take: true })).asset;
  } catch (error) {
    if (error instanceof FormatError) throw new InputError(error.describe(printable(name)));
    if (error instanceof InputError) throw new InputError(`${printable(name)}: ${error.message}`);
    throw error;
  }
}

function assetOf(number: number, { assets }: Opened): Asset {
  requireThat(number in assets, 'asset', 'the number of one', number);
  return assets[number];
}

function imageOf(number: number, opened: Opened): GeometryImage {
  const asset = assetOf(number, opened);
  if (asset.representation !== 'gi') throw new OptionError(`pages: of geometry images, found ${asset.representation}`);
  return asset as GeometryImage;
}

function assetsOf({ a, b }: Pick<PairQuestion, 'a' | 'b'>, { document, assets }: Opened): [Asset, Asset] {
  for (const number of [a, b]) requireThat(number in document.objects, 'object', 'the number of one', number);
  return [assets[document.objects[a].asset], assets[document.objects[b].asset]];
}

function fullOf({ a, b, poseA, poseB }: PairQuestion, opened: Opened): Answer<'full'> {
  const { again, asked, objects } = opened.document;
  const [assetA, assetB] = assetsOf({ a, b }, opened);
  const { options, words } = everythingOf(assetA, assetB, asked);
  const named = (number: number, pose: ArrayLike<number>) => ({ number, name: objects[number].name, pose });
  const command = commandLine(again, named(a, poseA), named(b, poseB), words);
  const called = (number: number): string => (again.command === 'check' ? again.files[number] : objects[number].name);
  return fullAnswer(assetA, assetB, { ...options, poseA, poseB, fileA: called(a), fileB: called(b) }, command);
}

interface FullQuestion {
  options: CheckOptions;
  words: string[];
}

function everythingOf(a: Asset, b: Asset, { clearance = 0, solid = 'auto', ...asked }: Asked): FullQuestion {
  const isListed = isOfTriangles(a) && isOfTriangles(b);
  const patches = isListed && clearance === 0;
  const { tolerance, touchGap } = solid === 'off' ? {} : asked;
  const options: CheckOptions = {
    ...(clearance > 0 && { clearance }),
    ...{ solid, distance: true },
    ...(tolerance !== undefined && { tolerance }),
    ...(touchGap !== undefined && { touchGap }),
    ...(isListed && { all: true, maxContacts: DEFAULT_MAX_CONTACTS }),
    ...(patches && { patches }),
  };
  const words = [
    ...(clearance > 0 ? ['--clearance', `${clearance}`] : []),
    ...['--solid', solid],
    ...(tolerance === undefined ? [] : ['--tolerance', `${tolerance}`]),
    ...(touchGap === undefined ? [] : ['--touch-gap', `${touchGap}`]),
    '--distance',
    ...(patches ? ['--patches'] : isListed ? ['--all'] : []),
  ];
  return { options, words };
}

/** Returns the report of the equivalent command: the same engines, first contact and counts. */
function fullAnswer(a: Asset, b: Asset, asked: CheckOptions, command: string): FullAnswer {
  try {
    const { contacts, ...report } = createPair(a, b, { questions: 1 }).report({ ...asked, solids, contacts: finder });
    const text = textOfReport(
      { ...report, contacts },
      { ...asked, maxContacts: asked.maxContacts ?? DEFAULT_MAX_CONTACTS },
    );
    return { report, contacts, text, command, problem: null };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const contacts = { count: 0, complete: false, pairs: [] };
    return { report: unanswered(a, b), contacts, text: '', command, problem: error.message };
  }
}

const unanswered = (a: Asset, b: Asset): Omit<Report, 'contacts'> => ({
  verdict: 'undecided',
  a: { file: null, representation: a.representation },
  b: { file: null, representation: b.representation },
  ...{ path: 'native', engine: 'search', tolerance: null, distance: null, witness: null, bracket: null, level: 0 },
  ...{ tests: { bounds: 0, hulls: 0 }, ms: { load: 0, query: 0 } },
});

type Contacts = FullAnswer['contacts'];

/**
 * Computes the contacts of two objects while they move. Two balls of 69,000 triangles take 20 to 60
 * ms, longer than a frame. So the page asks beside the verdict, one question at a time.
 *
 * @returns nothing for cubes, functions, and queries with a clearance, which have no curves
 */
function contactsAnswer(
  pair: Pair,
  [a, b]: readonly [Asset, Asset],
  { poseA, poseB }: Pick<PairQuestion, 'poseA' | 'poseB'>,
  asked: Asked,
): Contacts {
  const none: Contacts = { count: 0, complete: false, pairs: [] };
  const { all = false, maxContacts, patches = false } = everythingOf(a, b, asked).options;
  if (!patches) return none;
  try {
    const most = maxContacts === undefined ? {} : { maxContacts };
    return pair.report({ poseA, poseB, all, ...most, patches, contacts }).contacts;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return none;
  }
}

/** With more triangles, an asset is drawn coarser if its kind allows it. */
const MOST_DRAWN = 4_000_000;

const BOUNDS: Readonly<Record<string, string>> = {
  ...{ gi: 'spheres', kdop: 'k-DOPs', obb: 'boxes', voxel: 'cubes', frep: 'cells' },
};

const FREP_LEVEL = 5;

export function factsOf(asset: Asset): AssetFacts {
  const { name, depth, solid, own, boundsOfLevel, surface } = representationOf(asset);
  const stored = solid ? null : surface(asset);
  const seen = stored ?? boundsOfLevel(asset, Math.min(FREP_LEVEL, depth(asset)));
  const corners = Array.from(own?.box?.(asset) ?? boxOf(seen.positions, seen.triangles));
  return {
    depth: depth(asset),
    bounds: BOUNDS[name] ?? 'bounds',
    triangles: stored ? stored.triangles.length / 3 : 0,
    low: corners.slice(0, 3) as AssetFacts['low'],
    high: corners.slice(3) as AssetFacts['high'],
    open: solidOf(asset).reason,
    hasPages: name === 'gi',
  };
}

/** Returns the stored surface, or a coarser one if it has too many triangles. */
const surfaceShape = (asset: Asset): Shape => owned(drawnSurface(asset));

function drawnSurface(asset: Asset): Surface {
  const { surface, own, boundsOfLevel, depth } = representationOf(asset);
  const isDrawn = ({ triangles }: Surface): boolean => triangles.length <= 3 * MOST_DRAWN;
  const whole = surface(asset);
  if (isDrawn(whole)) return whole;
  const subsample = own?.options?.lod?.instead;
  for (let level = depth(asset) - 1; level > 0; level--) {
    const coarser = subsample ? surface(subsample(asset, level)) : boundsOfLevel(asset, level);
    if (isDrawn(coarser)) return coarser;
  }
  return whole;
}

/**
 * Returns the bounds of one level.
 *
 * @throws OptionError if there is no such level, or it has too many to draw
 */
const boundsShape = (asset: Asset, level: number): Shape => owned(representationOf(asset).boundsOfLevel(asset, level));

/** The caller owns the arrays, since a worker transfers them. */
const owned = ({ positions, triangles }: Surface): Shape => shapeOf({ positions, triangles: triangles.slice() });
