/**
 * How much a frame may draw, so that it comes in time: learnt from how long the frames before took.
 * Every frame is quick; once the view rests, it is drawn again with more patience, twice if need
 * be.
 */

/**
 * For so long a frame may take, milliseconds: while something moves, then the longer the view
 * rests.
 */
const TIMES = [24, 600, 8000] as const;
/** For so long nothing must have moved before, milliseconds. */
const RESTS = [0, 180, 700] as const;
/**
 * A frame that takes longer than this is drawn with less care while something moves: it is not
 * smoothed, and if that does not help, of fewer pixels.
 */
const SLOW = 34;
/** Frames of fewer triangles say nothing of how long a triangle takes. */
const TELLING = 30_000;

/** 0: something moves; 1 and 2: the view rests. */
export type Patience = 0 | 1 | 2;

/** What a frame may draw. */
export interface Allowed {
  /** Triangles. */
  most: number;
  isSmooth: boolean;
  /** Pixels along an edge of a pixel that the screen has. */
  sharpness: number;
}

export interface Pace {
  allow(patience: Patience): Allowed;
  /** Tells what was drawn, and whether that was all there is. */
  drew(patience: Patience, triangles: number, allowed: Allowed, isAll: boolean): void;
  /** Tells how long that took, milliseconds. */
  took(ms: number): void;
  /** Whether the last frame is to be drawn again with more patience. */
  isRough(): boolean;
  dispose(): void;
}

/** @param refine draws with more patience what was drawn with less */
export function createPace(refine: (patience: Patience) => void): Pace {
  /** Triangles a millisecond: at first as few as a processor draws that has no graphics card. */
  let speed = 500;
  /** Of a smoothed frame, and of one that is not, milliseconds. */
  let smoothed = 0;
  let plain = 0;
  let last = { triangles: 0, isSmooth: true, sharpness: 1 };
  /** What the last frame leaves to be drawn; 0: nothing. */
  let next: Patience = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    allow(patience) {
      const most = TIMES[patience] * speed;
      const isSmooth = patience > 0 || smoothed < SLOW;
      return { most, isSmooth, sharpness: isSmooth || plain < SLOW ? 1 : 0.5 };
    },
    drew(patience, triangles, { isSmooth, sharpness }, isAll) {
      clearTimeout(timer);
      last = { triangles, isSmooth, sharpness };
      next = isAll && isSmooth ? 0 : patience === 0 ? 1 : patience === 1 ? 2 : 0;
    },
    took(ms) {
      const { triangles, isSmooth, sharpness } = last;
      if (triangles > TELLING) speed = 0.5 * (speed + triangles / Math.max(1, ms));
      if (isSmooth) smoothed = Math.min(ms, 0.5 * (smoothed + ms));
      else plain = 0.5 * (plain + ms / (sharpness * sharpness));
      clearTimeout(timer);
      const patience = next;
      if (patience > 0) timer = setTimeout(() => refine(patience), RESTS[patience]);
    },
    isRough: () => next > 0,
    dispose: () => clearTimeout(timer),
  };
}
