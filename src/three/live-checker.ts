/**
 * Reports which objects of a three.js scene touch, frame after frame.
 *
 * Each object is one or more parts, placed and moved as those of a scene are (src/scene/motion.ts).
 * A page loads no code for findings, rules and devices. A pair is checked again only after one of
 * the two has moved. Parts of one object are not checked against each other.
 */
import { EventDispatcher, type Object3D } from 'three';
import { OptionError } from '../base/errors.ts';
import { requireOptionTypes, requireThat } from '../base/require.ts';
import { requireClearance } from '../engine/options.ts';
import type { Asset, Representation } from '../engine/representation.ts';
import { KINDS, register, representationNamed, representationOf } from '../representations/kinds.ts';
import { liveObb } from '../representations/obb/moved.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { sweepOverlaps } from '../scene/broad-phase.ts';
import type { SurfaceClass } from '../scene/classes.ts';
import { Motion } from '../scene/motion.ts';
import { Placed } from '../scene/placed.ts';
import type { Ask, Asks } from '../scene/rules.ts';
import { GeometryTrees } from './geometry-trees.ts';
import { LiveObject, type Part, type PartOptions } from './live-parts.ts';
import { nameOf } from './pose-of.ts';

/** The relation of two objects; `near` only with a clearance. */
export type LiveVerdict = SurfaceClass | 'clear';

/** Two objects, in the order in which they were added. No update changes a pair. */
export interface LivePair {
  readonly a: Object3D;
  readonly b: Object3D;
  readonly verdict: LiveVerdict;
}

/** Two objects whose verdict differs from that of the update before. */
export interface LiveChange extends LivePair {
  readonly before: LiveVerdict;
}

export interface LiveOptions {
  /** Also report pairs at most this far apart, as `near`. */
  clearance?: number;
  /**
   * Update `matrixWorld` of all objects before the check: `true` unless given. Without it, objects
   * are where three drew them last.
   */
  updateMatrices?: boolean;
  /** Needed for assets that are no OBB trees: `representations` of gicollide, all kinds. */
  kinds?: readonly Representation<Asset>[];
}

/**
 * Reports which of its objects touch. `update` reads their poses, sends every change to listeners
 * of `change`, and returns all pairs that are not clear.
 *
 * An object is all meshes below it, as one. Scaled or mirrored meshes get trees of that size. A
 * mesh whose `position` attribute has a new version is refitted. If a GLB has stored a tree
 * (GicollideObbPlugin), that tree is used and nothing is built.
 *
 * @example import { LiveChecker } from 'gicollide/three';
 *          import { BoxGeometry, Mesh, SphereGeometry } from 'three';
 *          const box = new Mesh(new BoxGeometry());
 *          const ball = new Mesh(new SphereGeometry(0.5));
 *          const checker = new LiveChecker().add(box).add(ball);
 *          const heard = [];
 *          checker.addEventListener('change', ({ before, verdict }) => heard.push(`${before} ${verdict}`));
 *          ball.position.x = 0.9;
 *          checker.update().length // 1
 *          ball.position.x = 2;
 *          checker.update().length // 0
 *          heard // ['clear contact', 'contact clear']
 */
export class LiveChecker extends EventDispatcher<{ change: LiveChange }> {
  private readonly objects = new Map<Object3D, LiveObject>();
  private list: readonly LiveObject[] = [];
  private roots: readonly Object3D[] | null = null;
  private readonly trees = new GeometryTrees();
  private readonly options: LiveOptions;
  private motion: Motion | null = null;
  private owners: readonly LiveObject[] = [];
  private found = new Map<number, LivePair>();
  private pairs: readonly LivePair[] = [];
  private added = 0;

  constructor(options: LiveOptions = {}) {
    super();
    requireOptionTypes(options, { clearance: 'number', updateMatrices: 'boolean', kinds: 'any' });
    requireKinds(options.kinds ?? []);
    // A page that uses all members of OBB trees keeps its version.
    if (!representationNamed('obb')?.update) register(liveObb);
    for (const kind of options.kinds ?? []) register(kind);
    requireClearance(options.clearance ?? 0);
    this.options = options;
  }

  /**
   * Adds an object. The next update reads it, and throws if it has no tree or no pose.
   *
   * @throws OptionError for an object that was added already, and for an asset of a kind that the
   *   page lacks
   */
  add(object: Object3D, options: PartOptions = {}): this {
    requireThat(object?.isObject3D, 'object', 'an Object3D of three', object);
    requireOptionTypes(options, { asset: 'any', still: 'boolean', atRest: 'boolean' });
    requireLoaded(options.asset);
    if (this.objects.has(object)) throw new OptionError(`${nameOf(object)}: it was added before`);
    this.objects.set(object, new LiveObject(object, this.added++, options));
    this.forget();
    return this;
  }

  /** Removes an object; the next update reports the contacts that this ends. */
  remove(object: Object3D): this {
    if (this.objects.delete(object)) this.forget();
    return this;
  }

  /**
   * Reads the poses of all objects and checks them.
   *
   * @returns pairs that touch, are too close, or are undecided, in the order in which objects were
   *   added. The list is new, but its pairs may be those of the update before: don't change them
   * @throws OptionError and MeshError, with an object's name, if it has no tree or no pose; the
   *   checker's state is then unchanged
   */
  update(): LivePair[] {
    if (this.move()) {
      const before = this.found;
      this.found = this.pairsOf();
      this.pairs = [...this.found.values()];
      this.tell(before);
    }
    return this.pairs.slice();
  }

  private move(): boolean {
    try {
      this.read();
      const { motion } = this;
      if (!motion) {
        this.motion = this.newMotion();
        return true;
      }
      motion.renew();
      this.moveParts(motion);
      motion.settle();
      return motion.hasChanged;
    } catch (error) {
      // Some parts differ from those that it moves.
      this.motion = null;
      throw error;
    }
  }

  /** Returns the verdict on two objects after the last update. */
  verdict(a: Object3D, b: Object3D): LiveVerdict {
    const [p, q] = [this.objects.get(a), this.objects.get(b)];
    requireThat(p !== undefined && q !== undefined && p !== q, 'objects', 'two that were added', p ? b : a);
    return this.found.get(keyOf(p, q))?.verdict ?? 'clear';
  }

  private forget(): void {
    this.motion = null;
    this.roots = null;
    this.list = [...this.objects.values()];
  }

  private read(): void {
    const { objects, list, trees, options } = this;
    if (options.updateMatrices ?? true) this.updateMatrices();
    for (let n = 0; n < list.length; n++) {
      // Until all objects are read, other parts are moved.
      if (list[n].read(trees, objects)) this.motion = null;
    }
  }

  /**
   * Updates from the topmost ancestors, as three does before it draws; `updateWorldMatrix` of a
   * single object skips parents that keep their own matrix.
   */
  private updateMatrices(): void {
    const { list } = this;
    for (let n = 0; n < list.length; n++) {
      let root = list[n].object;
      while (root.parent) root = root.parent;
      if (root !== list[n].root) this.roots = null;
      list[n].root = root;
    }
    this.roots ??= [...new Set(list.map(({ root }) => root!))];
    for (let n = 0; n < this.roots.length; n++) this.roots[n].updateMatrixWorld();
  }

  private moveParts(motion: Motion): void {
    const { list } = this;
    for (let n = 0; n < list.length; n++) {
      if (!list[n].hasMoved) continue;
      const { parts } = list[n];
      for (let k = 0; k < parts.length; k++) if (parts[k].hasMoved) motion.move(parts[k].place, parts[k].pose, 0);
    }
  }

  private newMotion(): Motion {
    const owners = new Map(this.list.flatMap((live) => live.parts.map((part) => [part, live] as const)));
    const parts = [...owners.keys()];
    labelBuilt(parts);
    const clearance = this.options.clearance ?? 0;
    const byName = new Map(parts.map((part) => [part.name, part]));
    const placed = new Placed(parts, {}, (sorted) => {
      this.owners = sorted.map(({ name }, i) => {
        const part = byName.get(name)!;
        part.place = i;
        return owners.get(part)!;
      });
      return asksOf(this.owners, clearance);
    });
    return new Motion(placed, sweepOverlaps);
  }

  private pairsOf(): Map<number, LivePair> {
    const { owners } = this;
    const worst = new Map<number, { p: LiveObject; q: LiveObject; verdict: LiveVerdict }>();
    for (const { i, j, class: verdict } of this.motion!.touches.list) {
      const [p, q] = inOrder(owners[i], owners[j]);
      const known = worst.get(keyOf(p, q))?.verdict;
      if (known === undefined || RANK[verdict] > RANK[known]) worst.set(keyOf(p, q), { p, q, verdict });
    }
    const sorted = [...worst].sort(([s], [t]) => s - t);
    return new Map(sorted.map(([key, { p, q, verdict }]) => [key, { a: p.object, b: q.object, verdict }]));
  }

  private tell(before: ReadonlyMap<number, LivePair>): void {
    for (const [key, pair] of before) {
      if (!this.found.has(key)) this.change({ ...pair, verdict: 'clear', before: pair.verdict });
    }
    for (const [key, pair] of this.found) {
      const known = before.get(key)?.verdict ?? 'clear';
      if (known !== pair.verdict) this.change({ ...pair, before: known });
    }
  }

  private change(change: LiveChange): void {
    this.dispatchEvent({ type: 'change', ...change });
  }
}

const NOTHING: readonly Ask[] = [];

/** Parts of one object may touch, so they are not checked; nor are two that stay where they are. */
function asksOf(owners: readonly LiveObject[], clearance: number): Asks {
  const once: readonly Ask[] = [{ rule: null, clearance, tolerance: 0 }];
  return {
    widest: clearance,
    asks: (i, j) => {
      const [p, q] = [owners[i], owners[j]];
      return p === q || (p.options.still && q.options.still) ? NOTHING : once;
    },
  };
}

function requireKinds(kinds: unknown): void {
  const areKinds = Array.isArray(kinds) && kinds.every((kind) => KINDS.some(({ name }) => name === kind?.name));
  requireThat(areKinds, 'kinds', 'representations of gicollide', kinds);
}

function requireLoaded(asset: Asset | undefined): void {
  const kind: unknown = asset?.representation;
  if (typeof kind !== 'string' || representationNamed(kind) || !KINDS.some(({ name }) => name === kind)) return;
  throw new OptionError(
    `asset: ${kind} needs its code; add import { representations } from 'gicollide' and pass LiveChecker kinds: representations`,
  );
}

/** Geometries have no unit of their own, so built trees get the unit of the stored trees. */
function labelBuilt(parts: readonly Part[]): void {
  const units = parts.filter(({ isBuilt }) => !isBuilt).map(({ asset }) => representationOf(asset).units(asset));
  for (const { asset, isBuilt } of parts) if (isBuilt) (asset as ObbTree).header.units = units[0] ?? null;
}

/** Severity of verdicts, for objects with several parts. */
const RANK: Readonly<Record<LiveVerdict, number>> = { clear: 0, near: 1, undecided: 2, contact: 3 };

const inOrder = (p: LiveObject, q: LiveObject): [LiveObject, LiveObject] => (p.number < q.number ? [p, q] : [q, p]);

/** Most objects ever added: two of their numbers form a key. */
const MOST_OBJECTS = 2 ** 26;

/** Sorts pairs as their objects were added. */
const keyOf = (p: LiveObject, q: LiveObject): number =>
  MOST_OBJECTS * Math.min(p.number, q.number) + Math.max(p.number, q.number);
