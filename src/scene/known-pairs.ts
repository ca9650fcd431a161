/**
 * Reuses answers about a scene's pairs after small changes.
 *
 * A finding depends only on its two objects and on the question (scene.ts). If these are unchanged,
 * so is the finding.
 */
import type { Asset } from '../engine/representation.ts';
import type { Answered } from './pairs.ts';
import type { Finding, FindingsOptions } from './records.ts';
import type { Ask } from './rules.ts';
import type { AnswerPairs, PlacedScene } from './scene.ts';

interface Known {
  asked: string;
  findings: readonly Finding[];
}

/** Most objects ever seen: two of their numbers form a key. */
const MOST_OBJECTS = 2 ** 26;

/** Keeps the answers of a run for the next one. Findings are reused: don't change them. */
export class KnownPairs {
  asked = 0;
  private numbers = new Map<string, number>();
  private objects = 0;
  private readonly assets = new WeakMap<Asset, number>();
  private assetCount = 0;
  private answers = new Map<number, Known>();

  answerBy(answerPairs: AnswerPairs): AnswerPairs {
    return (scene, pairs, options) => this.answer(scene, pairs, options, answerPairs);
  }

  private async *answer(
    scene: PlacedScene,
    pairs: Float64Array,
    options: FindingsOptions,
    answerPairs: AnswerPairs,
  ): AsyncGenerator<Answered<Finding>, void, undefined> {
    const keyOf = this.keysOf(scene);
    const waysOf = howAsked(scene, options);
    const known = Array.from(pairs, (pair): readonly Finding[] | undefined => {
      const answer = this.answers.get(keyOf(pair));
      return answer?.asked === waysOf(pair) ? answer.findings : undefined;
    });
    const unknown = pairs.filter((_, n) => known[n] === undefined);
    this.asked = unknown.length;
    const before = this.answers;
    this.answers = new Map();
    const keep = (n: number, findings: readonly Finding[]): void => {
      this.answers.set(keyOf(pairs[n]), { asked: waysOf(pairs[n]), findings });
    };
    const numbers = new Map(scene.objects.map(({ name }, i) => [name, i]));
    let next = 0;
    try {
      const answered = unknown.length > 0 ? answerPairs(scene, unknown, options) : [];
      for await (const { findings, asked } of answered) {
        const own = byPair(numbers, findings);
        const first = next;
        const together: Finding[] = [];
        for (let left = asked; left > 0; next++) {
          if (!known[next]) left--;
          const found = known[next] ?? own.get(pairs[next]) ?? [];
          keep(next, found);
          together.push(...found);
        }
        yield { findings: together, asked: next - first };
      }
      const first = next;
      for (; next < pairs.length; next++) keep(next, known[next] as readonly Finding[]);
      if (next > first) yield { findings: known.slice(first).flatMap((found) => found ?? []), asked: next - first };
    } finally {
      if (next < pairs.length)
        for (const [key, answer] of before) if (!this.answers.has(key)) this.answers.set(key, answer);
    }
  }

  /** One number per pair, the same from run to run while neither object changes. */
  private keysOf(scene: PlacedScene): (pair: number) => number {
    const { objects, boxes } = scene;
    const numbers = new Map<string, number>();
    const numberOf = objects.map(({ asset, pose, ...facts }, i) => {
      // The box includes the widest clearance, which findings show.
      const text = JSON.stringify([this.assetNumber(asset), [...pose], [...boxes.subarray(6 * i, 6 * i + 6)], facts]);
      const number = this.numbers.get(text) ?? this.objects++;
      numbers.set(text, number);
      return number;
    });
    this.numbers = numbers;
    const count = objects.length;
    return (pair) => numberOf[Math.floor(pair / count)] * MOST_OBJECTS + numberOf[pair % count];
  }

  private assetNumber(asset: Asset): number {
    const known = this.assets.get(asset) ?? this.assetCount++;
    this.assets.set(asset, known);
    return known;
  }
}

function howAsked(scene: PlacedScene, options: FindingsOptions): (pair: number) => string {
  const count = scene.objects.length;
  const { solid, touchGap, depth } = scene.options;
  const { distance, all, patches, maxContacts } = options;
  const ofAll = JSON.stringify({ solid, touchGap, depth, distance, all, patches, maxContacts });
  const texts = new WeakMap<readonly Ask[], string>();
  return (pair) => {
    const asks = scene.asks(Math.floor(pair / count), pair % count);
    const text = texts.get(asks) ?? ofAll + JSON.stringify(asks);
    texts.set(asks, text);
    return text;
  };
}

function byPair(numbers: ReadonlyMap<string, number>, findings: readonly Finding[]): Map<number, Finding[]> {
  const found = new Map<number, Finding[]>();
  for (const finding of findings) {
    const pair = (numbers.get(finding.a.name) as number) * numbers.size + (numbers.get(finding.b.name) as number);
    const own = found.get(pair);
    if (own) own.push(finding);
    else found.set(pair, [finding]);
  }
  return found;
}
