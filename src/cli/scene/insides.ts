/**
 * Finds closed objects inside other ones in the frames of a scene, which compare surfaces alone.
 *
 * An object gets into another one through its surface. So only few pairs are classified as solids:
 * in the first frame pairs with one box inside the other; later those of them that touched, or were
 * inside, in the frame before. All other frames take no test.
 */
import { boundsOf } from '../../engine/bounds.ts';
import { isSamePose, type Pose } from '../../math/pose.ts';
import { BOX, forOverlaps } from '../../scene/broad-phase.ts';
import type { FrameImpact, Touching } from '../../scene/records.ts';
import { type PlacedScene, placeScene } from '../../scene/scene.ts';
import { partsOfStill } from '../answerers.ts';

/** Two objects in a frame. With `inner`, one is inside the other, and their surfaces are apart. */
export interface FoundInFrame extends Touching {
  inner?: 'a' | 'b';
}

interface Tested {
  poses: readonly [Pose, Pose];
  inner: 'a' | 'b' | null;
}

export const keyOf = ({ a, b }: Pick<Touching, 'a' | 'b'>): string => JSON.stringify([a, b]);

export class Insides {
  /** Number of pairs classified as solids. */
  tests = 0;
  private readonly poses = new Map<string, Pose>();
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly tested = new Map<string, Tested>();
  private isFirst = true;

  constructor(
    private readonly scene: PlacedScene,
    private readonly deforming: ReadonlyMap<string, unknown> = new Map(),
  ) {
    this.numbers = new Map(scene.objects.map(({ name }, i) => [name, i]));
    // A device moves the scene's own poses ahead of the frame.
    for (const { name, pose } of scene.objects) this.poses.set(name, pose.slice());
  }

  /**
   * Adds pairs of which one object is inside the other to those that touch in the next frame.
   *
   * @param moved poses of the frame
   * @param touching pairs of the frame by their keys, and those of the frame before
   */
  async add(
    moved: Readonly<Record<string, Pose>>,
    touching: ReadonlyMap<string, FoundInFrame>,
    before: ReadonlyMap<string, FoundInFrame>,
    met: readonly FrameImpact[],
  ): Promise<ReadonlyMap<string, FoundInFrame>> {
    for (const name of Object.keys(moved)) this.poses.set(name, moved[name]);
    const candidates = this.isFirst
      ? this.pairsOfBoxes()
      : [...before.values(), ...met.filter(({ isMissed }) => isMissed)].filter((pair) => pair.class !== 'near');
    this.isFirst = false;
    if (this.scene.options.solid === 'off' || candidates.length === 0) return touching;
    const found = new Map<string, FoundInFrame>();
    for (const { a, b } of candidates) {
      const key = keyOf({ a, b });
      const known = touching.get(key)?.class;
      const inner = known === undefined || known === 'near' ? await this.innerOf(a, b) : null;
      if (inner) found.set(key, { a, b, class: 'contact', inner });
    }
    if (found.size === 0) return touching;
    return new Map([...new Map([...touching, ...found])].sort(([, p], [, q]) => byNames(p, q)));
  }

  /** Pairs with one box inside the other. */
  private pairsOfBoxes(): Pick<Touching, 'a' | 'b'>[] {
    const { objects } = this.scene;
    const boxes = new Float64Array(BOX * objects.length);
    for (const [i, { name }] of objects.entries()) boxes.set(this.boxOf(name), BOX * i);
    const found: Pick<Touching, 'a' | 'b'>[] = [];
    forOverlaps(boxes, (i, j) => {
      const [a, b] = [Math.min(i, j), Math.max(i, j)].map((n) => objects[n].name);
      if (this.scene.asks(Math.min(i, j), Math.max(i, j)).length > 0 && this.areBoxesInside(a, b)) found.push({ a, b });
    });
    return found;
  }

  private boxOf(name: string): number[] {
    const { low, high } = boundsOf(this.scene.objects[this.numbers.get(name)!].asset, this.poses.get(name)!);
    return [...low, ...high];
  }

  private areBoxesInside(a: string, b: string): boolean {
    const [p, q] = [this.boxOf(a), this.boxOf(b)];
    return isWithin(p, q) || isWithin(q, p);
  }

  private async innerOf(a: string, b: string): Promise<'a' | 'b' | null> {
    const poses = [this.poses.get(a)!, this.poses.get(b)!] as const;
    const key = keyOf({ a, b });
    const known = this.tested.get(key);
    if (this.deforming.size === 0 && known?.poses.every((pose, k) => isSamePose(pose, poses[k]))) return known.inner;
    const inner = this.areBoxesInside(a, b) ? await this.classify([a, b], poses) : null;
    this.tested.set(key, { poses, inner });
    return inner;
  }

  private async classify(names: readonly string[], poses: readonly Pose[]): Promise<'a' | 'b' | null> {
    this.tests++;
    const objects = names.map((name, k) => ({
      ...{ name, asset: this.scene.objects[this.numbers.get(name)!].asset, pose: poses[k] },
    }));
    const [found] = placeScene(objects, { depth: 'off' }, await partsOfStill()).answer(Float64Array.of(1), {});
    return found?.class === 'inside' ? (found.inner ?? null) : null;
  }
}

/** Far more than the rounding of boxes. */
const SLACK = 2 ** -40;

function isWithin(inner: readonly number[], outer: readonly number[]): boolean {
  const size = SLACK * Math.max(...outer.map(Math.abs));
  return [0, 1, 2].every((k) => inner[k] >= outer[k] - size && inner[k + 3] <= outer[k + 3] + size);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
export const byNames = (p: Pick<Touching, 'a' | 'b'>, q: Pick<Touching, 'a' | 'b'>): number =>
  compare(p.a, q.a) || compare(p.b, q.b);
