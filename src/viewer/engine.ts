/** Answers the questions of protocol.ts about one document, in a worker or in Node. */

import { FormatError, InputError, OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { requireThat } from '../base/require.ts';
import { utifCodec } from '../containers/pixels-utif.ts';
import type { Asset } from '../engine/representation.ts';
import type { GeometryImage } from '../representations/gi/tree/geometry-image.ts';
import { loadKinds, requireKind } from '../representations/kinds.ts';
import type { ViewDocument } from './document.ts';
import { commandLine } from './engine/command-line.ts';
import { contactsAnswer } from './engine/contacts.ts';
import { everythingOf, fullAnswer } from './engine/full.ts';
import { type QuickPair, quickAnswer, quickPair } from './engine/quick.ts';
import { boundsShape, factsOf, surfaceShape } from './engine/shapes.ts';
import { WholeScene } from './engine/whole-scene.ts';
import { pagesOf } from './gi-pages.ts';
import type { Answer, AssetFacts, Name, PairQuestion, Question } from './protocol.ts';
import { visitsOf } from './visits.ts';

interface Opened {
  document: ViewDocument;
  assets: Asset[];
  scene: WholeScene;
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
    return this.answers[name as Exclude<N, 'open'>](question as never, opened) as Answer<N>;
  }

  private async open({ document, files }: Question<'open'>): Promise<AssetFacts[]> {
    this.pairs.clear();
    this.opened = openDocument(document, files);
    const { assets } = await this.opened;
    return assets.map(factsOf);
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
async function openDocument(document: ViewDocument, files: readonly Uint8Array[]): Promise<Opened> {
  const count = document.assets.length;
  requireThat(files.length === count, 'files', `${count}, one for each asset`, files);
  const assets: Asset[] = [];
  for (const [n, bytes] of files.entries()) assets.push(await readAsset(document.assets[n].name, bytes));
  for (const { name, asset } of document.objects)
    requireThat(asset in assets, `asset of ${printable(name)}`, 'the number of one', asset);
  return { document, assets, scene: new WholeScene(document, assets) };
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
