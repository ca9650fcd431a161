/**
 * Adapts the work per frame to the time that earlier frames took. Every frame is quick; once the
 * view rests, it is refined in up to two steps.
 */

/** Milliseconds per frame while something moves, then after each rest. */
const TIMES = [24, 600, 8000] as const;
/** Milliseconds of rest before each patience. */
const RESTS = [0, 180, 700] as const;
/** Milliseconds above which moving frames lose smoothing, and if that fails, pixels. */
const SLOW = 34;
/** Frames with fewer triangles do not tell the time per triangle. */
const TELLING = 30_000;

/** 0: something moves; 1 and 2: the view rests. */
export type Patience = 0 | 1 | 2;

export interface Allowed {
  most: number;
  isSmooth: boolean;
  sharpness: number;
}

interface Pace {
  allow(patience: Patience): Allowed;
  drew(patience: Patience, allowed: Allowed, drawn: { triangles: number; isAll: boolean }): void;
  took(ms: number): void;
  isRough(): boolean;
  dispose(): void;
}

export function createPace(refine: (patience: Patience) => void): Pace {
  let speed = 500;
  /** Milliseconds of a frame with and without smoothing. */
  let smoothed = 0;
  let plain = 0;
  let last = { triangles: 0, isSmooth: true, sharpness: 1 };
  let next: Patience = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    allow(patience) {
      const most = TIMES[patience] * speed;
      const isSmooth = patience > 0 || smoothed < SLOW;
      return { most, isSmooth, sharpness: isSmooth || plain < SLOW ? 1 : 0.5 };
    },
    drew(patience, { isSmooth, sharpness }, { triangles, isAll }) {
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
