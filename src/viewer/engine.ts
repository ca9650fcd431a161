/**
 * Answers the questions of protocol.ts about one document, in a worker or in Node. It answers in
 * full about two objects at rest, and with contacts while they move. It also gives triangles to
 * draw, and facts.
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
import type { Asset } from '../engine/representation.ts';
import { boxOf } from '../mesh/extent.ts';
import type { Surface } from '../mesh/topology.ts';
import { textOfReport } from '../report/check-details.ts';
import type { GeometryImage } from '../representations/gi/tree/geometry-image.ts';
import { loadKinds, representationOf, requireKind } from '../representations/kinds.ts';
import { solidOf, solids } from '../solid/class-of.ts';
import { commandLine, type Named } from './command-line.ts';
import type { ViewDocument } from './document.ts';
import { frameVisible } from './framing.ts';
import { pagesOf } from './gi-pages.ts';
import type { Judged } from './judged.ts';
import {
  type Answer,
  type AssetFacts,
  type FramingQuestion,
  type FullAnswer,
  type Name,
  type PairQuestion,
  type Question,
  roundShapeOf,
  type Shape,
} from './protocol.ts';
import { type QuickPair, quickAnswer, quickPair } from './quick.ts';
import { visitsOf } from './visits.ts';
import { WholeScene } from './whole-scene.ts';

interface Opened {
  document: ViewDocument;
  /** The assets that have been read. */
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
    framing: framingOf,
    contacts: (question, opened) => {
      const { pair, assets } = this.pairOf(question, opened);
      return contactsAnswer(pair, assets, question);
    },
    visits: ({ level, ...question }, opened) => {
      const { poseA, poseB } = question;
      return visitsOf(...assetsOf(question, opened), { poseA, poseB }, level);
    },
    touching: ({ poses }, { scene }) => scene.touching(poses),
    find: ({ poses }, { scene }) => scene.find(poses),
    learn: ({ findings }, { scene }) => scene.learn(findings),
  };

  private quick(question: PairQuestion, opened: Opened): Answer<'quick'> {
    const { poseA, poseB } = question;
    return quickAnswer(this.pairOf(question, opened), poseA, poseB, opened.scene.judge(question));
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
    requireThat(asset in files, `asset of ${printable(name)}`, 'the number of an asset', asset);
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
  opened.scene.requireScene();
  return opened;
}

/** Questions name assets by number, or objects. */
interface Naming {
  asset?: number;
  a?: number;
  b?: number;
  objects?: readonly { object: number }[];
}

/** The numbers of the assets of a question: of one asset, of some objects, or of all. */
function assetsIn({ asset, a, b, objects }: Naming, document: ViewDocument): number[] {
  const of = (numbers: readonly number[]): number[] => numbers.map((n) => document.objects[n]?.asset ?? -1);
  if (asset !== undefined) return [asset];
  if (a !== undefined && b !== undefined) return of([a, b]);
  if (objects) return of(objects.map(({ object }) => object));
  return [...document.assets.keys()];
}

async function readAsset(name: string, bytes: Uint8Array): Promise<Asset> {
  try {
    const kind = requireKind(bytes);
    // OBB trees answer questions about solids.
    const [codec] = await Promise.all([kind.codec(), loadKinds('obb', kind.name)]);
    return (await codec.decode(bytes, utifCodec, { take: true })).asset;
  } catch (error) {
    if (error instanceof FormatError) throw new InputError(error.describe(printable(name)));
    if (error instanceof InputError) throw new InputError(`${printable(name)}: ${error.message}`);
    throw error;
  }
}

function assetOf(number: number, { assets }: Opened): Asset {
  requireThat(number in assets, 'asset', 'the number of an asset', number);
  return assets[number];
}

function imageOf(number: number, opened: Opened): GeometryImage {
  const asset = assetOf(number, opened);
  if (asset.representation !== 'gi')
    throw new OptionError(`pages: expected a geometry image, found ${asset.representation}`);
  return asset as GeometryImage;
}

function assetsOf({ a, b }: Pick<PairQuestion, 'a' | 'b'>, { document, assets }: Opened): [Asset, Asset] {
  for (const number of [a, b]) requireThat(number in document.objects, 'object', 'the number of an object', number);
  return [assets[document.objects[a].asset], assets[document.objects[b].asset]];
}

function fullOf(question: PairQuestion, opened: Opened): Answer<'full'> {
  const { document, scene } = opened;
  const { a, b, poseA, poseB, finding = null } = question;
  const { again, objects, frames } = document;
  const [assetA, assetB] = assetsOf(question, opened);
  const judged = scene.judge(question);
  const { options, words } = everythingOf(assetA, assetB, judged);
  const named = (number: number, pose: ArrayLike<number>): Named => {
    const { name, pose: home } = objects[number];
    // Frames move objects before the first view.
    const isStill = !frames.some(({ poses }) => Object.hasOwn(poses, name));
    return { number, name, pose, isHome: isStill && home.every((x, k) => x === pose[k]) };
  };
  const two = [named(a, poseA), named(b, poseB)] as const;
  const listed = document.findings.find(({ id }) => id === finding);
  const isListed =
    listed?.asked && listed.rule !== 'check' && two.every(({ name }, n) => name === listed.subjects[n]?.name);
  const command = commandLine(again, two, words, isListed ? listed.id : null);
  const called = (number: number): string => (again.command === 'check' ? again.files[number] : objects[number].name);
  return fullAnswer(assetA, assetB, { ...options, poseA, poseB, fileA: called(a), fileB: called(b) }, judged, command);
}

function framingOf({ objects, ...asked }: FramingQuestion, { assets, document }: Opened): Answer<'framing'> {
  const seen = objects.map(({ object, pose }) => {
    requireThat(object in document.objects, 'object', 'the number of an object', object);
    return { surface: roughSurface(assets[document.objects[object].asset]), pose: Float64Array.from(pose) };
  });
  const { through, ...framing } = frameVisible(seen, { ...asked, up: document.up });
  return { ...framing, through: through === null ? null : objects[through].object };
}

interface FullQuestion {
  options: CheckOptions;
  words: string[];
}

function everythingOf(a: Asset, b: Asset, { clearance, solid, ...lengths }: Judged): FullQuestion {
  const isListed = isOfTriangles(a) && isOfTriangles(b);
  const { tolerance, touchGap } = solid === 'off' ? { tolerance: 0, touchGap: 0 } : lengths;
  const options: CheckOptions = {
    ...(clearance > 0 && { clearance }),
    ...{ solid, distance: true, witness: true },
    ...(tolerance > 0 && { tolerance }),
    ...(touchGap > 0 && { touchGap }),
    ...(isListed && { all: true, maxContacts: DEFAULT_MAX_CONTACTS, patches: true }),
  };
  const words = [
    ...(clearance > 0 ? ['--clearance', `${clearance}`] : []),
    ...['--solid', solid],
    ...(tolerance > 0 ? ['--tolerance', `${tolerance}`] : []),
    ...(touchGap > 0 ? ['--touch-gap', `${touchGap}`] : []),
    '--distance',
    ...(isListed ? ['--patches'] : []),
  ];
  return { options, words };
}

/** Returns the report of the equivalent command: the same engines, first contact and counts. */
function fullAnswer(a: Asset, b: Asset, asked: CheckOptions, judged: Judged, command: string): FullAnswer {
  try {
    const { contacts, ...report } = createPair(a, b, { questions: 1 }).report({ ...asked, solids, contacts: finder });
    const { maxContacts = DEFAULT_MAX_CONTACTS } = asked;
    const text = textOfReport({ ...report, contacts }, { ...asked, maxContacts, units: representationOf(a).units(a) });
    return { report, judged, contacts, text, command, problem: null };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const contacts = { count: 0, complete: false, pairs: [] };
    return { report: unanswered(a, b), judged, contacts, text: '', command, problem: error.message };
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
 * @returns nothing for cubes and functions, which have no curves
 */
function contactsAnswer(
  pair: Pair,
  assets: readonly Asset[],
  { poseA, poseB }: Pick<PairQuestion, 'poseA' | 'poseB'>,
): Contacts {
  const none: Contacts = { count: 0, complete: false, pairs: [] };
  if (!assets.every(isOfTriangles)) return none;
  try {
    const all = { all: true, maxContacts: DEFAULT_MAX_CONTACTS, patches: true };
    return pair.report({ poseA, poseB, ...all, contacts }).contacts;
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
  const { name, depth, solid, own } = representationOf(asset);
  const seen = roughSurface(asset);
  const corners = Array.from(own?.box?.(asset) ?? boxOf(seen.positions, seen.triangles));
  return {
    depth: depth(asset),
    bounds: BOUNDS[name] ?? 'bounds',
    triangles: solid ? 0 : seen.triangles.length / 3,
    low: corners.slice(0, 3) as AssetFacts['low'],
    high: corners.slice(3) as AssetFacts['high'],
    open: solidOf(asset).reason,
    hasPages: name === 'gi',
  };
}

/** Returns the stored surface, or cells about that of a function, which takes seconds to sample. */
function roughSurface(asset: Asset): Surface {
  const { solid, surface, boundsOfLevel, depth } = representationOf(asset);
  return solid ? boundsOfLevel(asset, Math.min(FREP_LEVEL, depth(asset))) : surface(asset);
}

/** Returns the stored surface, or a coarser one if it has too many triangles. */
const surfaceShape = (asset: Asset): Shape => roundShapeOf(drawnSurface(asset));

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
const boundsShape = (asset: Asset, level: number): Shape =>
  roundShapeOf(representationOf(asset).boundsOfLevel(asset, level));
