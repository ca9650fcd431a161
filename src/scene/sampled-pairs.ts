/**
 * Samples states of a robot, and finds links that touch in all of them, or in none.
 *
 * MoveIt's setup assistant does the same. It treats 95 in 100 states as all of them. Here all means
 * all, so a pair that was seen both ways is not asked about again. States depend on their number
 * alone, so marks do not depend on the thread that samples them.
 */
import { createPair } from '../engine/prepared.ts';
import { Random } from '../math/numbers.ts';
import { compose } from '../math/pose.ts';
import {
  follow,
  isDriven,
  LARGEST_VALUE,
  linkPoses,
  type Robot,
  type RobotJoint,
  restValues,
} from '../readers/robot/robot.ts';
import { classOf } from '../solid/class-of.ts';
import { Placed } from './placed.ts';
import type { SceneObject } from './records.ts';
import type { Part } from './robot.ts';
import type { Asks } from './rules.ts';

/** Marks of a pair: it touched, or was apart, in some state. Both also if a state is undecided. */
export const TOUCHED = 1;
export const APART = 2;
const BOTH = TOUCHED | APART;

const EVERY_PAIR: Asks = { asks: () => [{ rule: null, clearance: 0, tolerance: 0 }], widest: 0 };

/** Least and most value of a joint in a sample; null if it has no limits to sample within. */
function rangeOf({ type, lower, upper }: RobotJoint): [number, number] | null {
  const hasLimits = Math.abs(lower) <= LARGEST_VALUE && Math.abs(upper) <= LARGEST_VALUE;
  if (type === 'planar' || type === 'floating') return null;
  if (type !== 'continuous' && hasLimits) return [lower, upper];
  return type === 'prismatic' ? null : [-Math.PI, Math.PI];
}

export interface Reach {
  /** For each link: a number that it shares with links whose relative poses a sample covers. */
  sampled: number[];
  /** For each link: a number that it shares with links that never move against it. */
  rigid: number[];
  /** Names of joints without limits to sample within. */
  endless: string[];
}

/** The root's own joint does not matter: all links move with it. */
export function reachOf({ links, joints }: Robot): Reach {
  const reach: Reach = { sampled: [0], rigid: [0], endless: [] };
  const isRootAlone = links[0].shapes.length === 0 && joints.filter(({ parent }) => parent === 0).length === 1;
  for (const [k, joint] of joints.entries()) {
    const { parent, type, mimic, name } = joint;
    const [range, n] = [rangeOf(mimic ? joints[mimic.joint] : joint), k + 1];
    reach.sampled.push(type !== 'fixed' && range === null ? n : reach.sampled[parent]);
    reach.rigid.push(type === 'fixed' ? reach.rigid[parent] : n);
    if (isDriven(joint) && range === null && !(parent === 0 && isRootAlone)) reach.endless.push(name);
  }
  return reach;
}

/** A sample in a form that can be sent to threads. */
export interface Sample {
  robot: Robot;
  parts: readonly Part[];
  /** Two numbers of links for each pair. */
  pairs: Uint32Array;
  seed: number;
}

export class Sampler {
  private readonly placed: Placed<Asks>;
  private readonly values: Float64Array;
  private readonly ranges: { first: number; low: number; size: number }[];
  private readonly shapes: { object: number; part: Part }[][];
  private readonly rigid: readonly number[];
  private readonly marks: Uint8Array;

  /** @param objects of the names of the parts; their poses are moved */
  constructor(
    objects: readonly SceneObject[],
    private readonly sample: Sample,
  ) {
    const { robot, parts, pairs } = sample;
    this.placed = new Placed(objects, {}, () => EVERY_PAIR);
    this.placed.expectMoves();
    this.values = restValues(robot);
    this.ranges = robot.joints.flatMap((joint) => {
      const range = isDriven(joint) && rangeOf(joint);
      return range ? [{ first: joint.first, low: range[0], size: range[1] - range[0] }] : [];
    });
    this.shapes = robot.links.map(() => []);
    for (const part of parts) this.shapes[part.link].push({ object: this.placed.numberNamed(part.name)!, part });
    this.rigid = reachOf(robot).rigid;
    this.marks = new Uint8Array(pairs.length / 2);
  }

  /** Marks of all pairs after the states of these numbers, and all before. */
  seen(first: number, end: number): Uint8Array {
    for (let n = first; n < end; n++) this.visit(n);
    return this.marks.slice();
  }

  private visit(state: number): void {
    const { marks, sample, values } = this;
    const random = new Random(Math.imul(sample.seed, 0x9e3779b1) + state);
    for (const { first, low, size } of this.ranges) values[first] = low + size * random.unit();
    follow(sample.robot, values);
    const links = linkPoses(sample.robot, values);
    for (const [link, shapes] of this.shapes.entries()) {
      for (const { object, part } of shapes) {
        this.placed.objects[object].pose.set(compose(links[link], part.origin));
        this.placed.place(object);
      }
    }
    for (let p = 0; p < marks.length; p++) {
      const [a, b] = [sample.pairs[2 * p], sample.pairs[2 * p + 1]];
      // Links that never move against each other touch by rounding alone, if at all.
      const isKnown = marks[p] === BOTH || (this.rigid[a] === this.rigid[b] && state > 0);
      if (!isKnown) marks[p] |= this.markOf(a, b);
    }
  }

  private markOf(a: number, b: number): number {
    let mark = APART;
    for (const { object: i } of this.shapes[a]) {
      for (const { object: j } of this.shapes[b]) {
        const own = this.doBoxesMeet(i, j) ? this.markOfShapes(i, j) : APART;
        if (own === TOUCHED) return own;
        mark |= own;
      }
    }
    return mark;
  }

  private doBoxesMeet(i: number, j: number): boolean {
    const { boxes } = this.placed;
    for (let k = 0; k < 3; k++)
      if (boxes[6 * i + k] > boxes[6 * j + 3 + k] || boxes[6 * j + k] > boxes[6 * i + 3 + k]) return false;
    return true;
  }

  private markOfShapes(i: number, j: number): number {
    const verdict = this.placed.meets(i, j);
    if (verdict === 'contact') return TOUCHED;
    // One may be inside the other, and shapes with a common face may touch.
    const [{ asset: a, pose: poseA }, { asset: b, pose: poseB }] = [this.placed.objects[i], this.placed.objects[j]];
    const asked = { mode: 'auto', tolerance: 0, touchGap: 0, relative: null, reach: false } as const;
    const { class: found } = classOf(a, b, { poseA, poseB }, asked, {
      verdict: () => verdict,
      met: [],
      contacts(p, q) {
        const all = { all: true, maxContacts: Number.MAX_SAFE_INTEGER };
        return createPair(p, q, { questions: 1 }).report({ poseA, poseB, ...all }).contacts.pairs;
      },
    });
    return found === 'clear' ? APART : found === 'undecided' ? BOTH : TOUCHED;
  }
}
