/**
 * How much a frame may draw, so that it comes in time: learnt from how long the frames before took.
 * Every frame is quick; once the view rests for a moment, it is drawn again as well as can be.
 */

/** For so long a quick frame and one of a resting view may take, milliseconds. */
const QUICK = 24;
const PATIENT = 600;
/**
 * A frame that takes longer than this is drawn with less care while something moves: it is not
 * smoothed, and if that does not help, of fewer pixels.
 */
const SLOW = 34;
/** Frames of fewer triangles say nothing of how long a triangle takes. */
const TELLING = 30_000;
/** For so long after a frame nothing must move before the view is drawn well, milliseconds. */
const REST = 180;

/** What a frame may draw. */
export interface Allowed {
  /** Triangles. */
  most: number;
  isSmooth: boolean;
  /** Pixels along an edge of a pixel that the screen has. */
  sharpness: number;
}

export interface Pace {
  quick(): Allowed;
  patient(): Allowed;
  /** Tells what was drawn, and whether that was all there is. */
  drew(triangles: number, allowed: Allowed, isAll: boolean, isPatient: boolean): void;
  /** Tells how long that took, milliseconds. */
  took(ms: number): void;
  dispose(): void;
}

/** @param refine draws well what was drawn quickly */
export function createPace(refine: () => void): Pace {
  /** Triangles a millisecond: at first as few as a processor draws that has no graphics card. */
  let speed = 500;
  /** Of a smoothed frame, and of one that is not, milliseconds. */
  let smoothed = 0;
  let plain = 0;
  /** `missed`: what a resting view was allowed that took more. */
  let last = { triangles: 0, isSmooth: false, missed: Infinity, sharpness: 1 };
  /** Whether the last frame was less than could be. */
  let isRough = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    quick() {
      const isSmooth = smoothed < SLOW;
      return { most: QUICK * speed, isSmooth, sharpness: isSmooth || plain < SLOW ? 1 : 0.5 };
    },
    patient: () => ({ most: PATIENT * speed, isSmooth: true, sharpness: 1 }),
    drew(triangles, { most, isSmooth, sharpness }, isAll, isPatient) {
      last = { triangles, isSmooth, missed: isPatient && !isAll ? most : Infinity, sharpness };
      clearTimeout(timer);
      isRough = !isPatient && !(isAll && isSmooth);
    },
    took(ms) {
      const { triangles, isSmooth, missed, sharpness } = last;
      if (triangles > TELLING) speed = 0.5 * (speed + triangles / Math.max(1, ms));
      if (isSmooth) smoothed = Math.min(ms, 0.5 * (smoothed + ms));
      else plain = 0.5 * (plain + ms / (sharpness * sharpness));
      if (isRough) timer = setTimeout(refine, REST);
      // The card is quicker than was thought.
      if (PATIENT * speed > 1.5 * missed) refine();
    },
    dispose: () => clearTimeout(timer),
  };
}
