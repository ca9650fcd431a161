/**
 * How much detail a moving view can afford: small objects of a heavy scene are drawn in fewer
 * triangles while frames come too slowly, and in full again once the view rests.
 */

/** Between two frames, milliseconds: more is too slow, less leaves room. */
const SLOW = 30;
const QUICK = 20;
/** Pixels of the smallest object that is drawn in full: while the view rests, and the bounds while it moves. */
const AT_REST = 3;
const LEAST = 12;
const MOST = 400;

export interface Pace {
  /** Tells that a frame is drawn now. @returns pixels of the smallest object that it draws in full */
  next(now: number, isMoving: boolean): number;
}

export function createPace(): Pace {
  let last = -Infinity;
  let pixels = LEAST;
  return {
    next(now, isMoving) {
      const took = now - last;
      last = now;
      if (!isMoving) return AT_REST;
      // A longer pause is none of drawing's.
      if (took < 1000) {
        if (took > SLOW) pixels = Math.min(MOST, pixels * 1.6);
        else if (took < QUICK) pixels = Math.max(LEAST, pixels / 1.1);
      }
      return pixels;
    },
  };
}
