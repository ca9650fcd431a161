/**
 * The least distance of two objects over all of their motion.
 *
 * Samples of the motion, then golden sections around the least, give the upper end. The search for
 * a first contact proves the lower end: if it finds nothing with a clearance, no distance is as
 * small. If it finds something, that is nearer, and golden sections follow it in turn.
 */
import { openPair } from '../engine/prepared.ts';
import { representationOf } from '../representations/kinds.ts';
import { type Found, ImpactSearch, type MovingPair } from './impact-search.ts';
import type { Impact } from './motion.ts';

type Distance = NonNullable<Impact['distance']>;

/** Initial samples and golden sections; fewer for functions, which are slower. */
const SAMPLES = 33;
const SECTIONS = 40;
const SAMPLES_OF_SOLIDS = 9;
const SECTIONS_OF_SOLIDS = 12;
/** Relative widths of the bracket: the first, and the factor after each failed proof. */
const NARROWEST = 2 ** -20;
const WIDER = 2 ** 2;
const WIDEST = 0.5;
const MOST_SEARCHES = 64;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export function leastDistance(moving: MovingPair, first: Found): Distance {
  const { timeline, clearance } = moving;
  if (clearance === 0 && first.touching < Number.POSITIVE_INFINITY) {
    return { lower: 0, upper: 0, time: timeline.timeOf(first.touching) };
  }
  const isSolid = [moving.a, moving.b].some((asset) => representationOf(asset).solid !== undefined);
  const least = new Least(moving, isSolid ? SECTIONS_OF_SOLIDS : SECTIONS);
  const samples = isSolid ? SAMPLES_OF_SOLIDS : SAMPLES;
  for (let k = 0; k < samples; k++) least.measure(Math.floor((timeline.last * k) / (samples - 1)));
  least.descend(least.step, Math.ceil(timeline.last / (samples - 1)));
  return least.prove();
}

class Least {
  upper = Number.POSITIVE_INFINITY;
  step = 0;

  constructor(
    private readonly moving: MovingPair,
    private readonly sections: number,
  ) {}

  /** The upper end of the distance at a step. */
  measure(step: number): number {
    const { a, b, timeline } = this.moving;
    const { poseA, poseB } = timeline.at(step);
    const pair = openPair(a, b);
    const upper =
      pair.distance(poseB, poseA) ??
      pair.report({ poseA, poseB, distance: true }).bracket?.upper ??
      Number.POSITIVE_INFINITY;
    if (upper < this.upper) {
      this.upper = upper;
      this.step = step;
    }
    return upper;
  }

  descend(step: number, reach: number): void {
    let low = Math.max(0, step - reach);
    let high = Math.min(this.moving.timeline.last, step + reach);
    let left = Math.round(high - GOLDEN * (high - low));
    let right = Math.round(low + GOLDEN * (high - low));
    let atLeft = this.measure(left);
    let atRight = this.measure(right);
    for (let k = 0; k < this.sections && left < right && this.upper > 0 && this.hasTime(); k++) {
      if (atLeft <= atRight) {
        high = right;
        right = left;
        atRight = atLeft;
        left = Math.round(high - GOLDEN * (high - low));
        atLeft = this.measure(left);
      } else {
        low = left;
        left = right;
        atLeft = atRight;
        right = Math.round(low + GOLDEN * (high - low));
        atRight = this.measure(right);
      }
    }
  }

  prove(): Distance {
    const { moving } = this;
    const { timeline } = moving;
    let width = NARROWEST;
    for (let k = 0; k < MOST_SEARCHES && this.upper > 0 && this.upper < Number.POSITIVE_INFINITY; k++) {
      if (!this.hasTime()) break;
      const lower = this.upper * (1 - width);
      const { apart, touching } = new ImpactSearch({ ...moving, clearance: lower }).from(0);
      if (apart === Number.POSITIVE_INFINITY) {
        return { lower, upper: this.upper, time: timeline.timeOf(this.step) };
      }
      const before = this.upper;
      if (touching < Number.POSITIVE_INFINITY) {
        this.measure(touching);
        this.descend(touching, Math.ceil(timeline.last / SAMPLES));
      }
      if (this.upper < before) continue;
      if (width === WIDEST) break;
      width = Math.min(WIDEST, width * WIDER);
    }
    return { lower: 0, upper: this.upper, time: timeline.timeOf(this.step) };
  }

  private hasTime(): boolean {
    return performance.now() < this.moving.deadline;
  }
}
