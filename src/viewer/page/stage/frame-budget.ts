/**
 * Adapts the work per frame to the time that earlier frames took. Frames are quick while something
 * moves, and lose only as much sharpness as that needs; the first one at rest is full. In heavy
 * scenes another one with all details follows.
 */

/** Milliseconds per frame while something moves, then at rest. */
const TIMES = [24, 600, 8000] as const;
/** A full frame this quick is drawn at once; a slower one needs as many milliseconds of rest. */
const AT_ONCE = 100;
/** Milliseconds of rest before a frame that may take seconds. */
const LONG_REST = 500;
/** Milliseconds above which moving frames lose smoothing, and if that fails, pixels. */
const SLOW = 34;
/** Fewest drawn pixels along the edge of a screen pixel, and the steps above it. */
const BLUNTEST = 0.5;
const STEPS = 8;
/** Frames with fewer triangles do not tell the time per triangle. */
const TELLING = 30_000;

/** 0: something moves; 1 and 2: the view rests. */
type Patience = 0 | 1 | 2;

export interface Allowed {
  most: number;
  isSmooth: boolean;
  sharpness: number;
}

/** Milliseconds, and calls after some, which the result cancels. */
export interface Clock {
  now(): number;
  after(ms: number, run: () => void): () => void;
}

const REAL: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

interface Pace {
  /** Something moves: the next frame must be quick. */
  moved(): void;
  allow(): Allowed;
  drew(allowed: Allowed, drawn: { triangles: number; isAll: boolean }): void;
  took(ms: number): void;
  isRough(): boolean;
  dispose(): void;
}

/** @param refine asks for another frame */
export function createPace(refine: () => void, clock: Clock = REAL): Pace {
  let speed = 500;
  /** Milliseconds of a frame with smoothing, and without in all pixels. */
  let smoothed = 0;
  let plain = 0;
  let last = { triangles: 0, isSmooth: true, sharpness: 1 };
  let patience: Patience = 0;
  let next: Patience = 0;
  let isDue = false;
  let isMoved = true;
  let movedAt = clock.now();
  let cancel = (): void => {};
  const untilRest = (): number => (smoothed < AT_ONCE ? 0 : Math.max(0, movedAt + AT_ONCE - clock.now()));
  return {
    moved() {
      isMoved = true;
      movedAt = clock.now();
    },
    allow() {
      patience = isMoved || untilRest() > 0 ? 0 : isDue && next > 0 ? next : 1;
      isMoved = false;
      const isSmooth = patience > 0 || smoothed < SLOW;
      return { most: TIMES[patience] * speed, isSmooth, sharpness: isSmooth ? 1 : sharpnessOf(plain) };
    },
    drew({ isSmooth, sharpness }, { triangles, isAll }) {
      cancel();
      isDue = false;
      last = { triangles, isSmooth, sharpness };
      next = (isAll && isSmooth) || patience === 2 ? 0 : patience === 0 ? 1 : 2;
    },
    took(ms) {
      const { triangles, isSmooth, sharpness } = last;
      if (triangles > TELLING) speed = 0.5 * (speed + triangles / Math.max(1, ms));
      if (isSmooth) smoothed = Math.min(ms, 0.5 * (smoothed + ms));
      else plain = 0.5 * (plain + ms / (sharpness * sharpness));
      cancel();
      if (next === 0) return;
      cancel = clock.after(next === 1 ? untilRest() : LONG_REST, () => {
        isDue = true;
        refine();
      });
    },
    isRough: () => next > 0,
    dispose: () => cancel(),
  };
}

/** The sharpest at which a frame of `ms` in all pixels is not slow. */
function sharpnessOf(ms: number): number {
  const fitting = Math.floor(STEPS * Math.sqrt(SLOW / Math.max(SLOW, ms))) / STEPS;
  return Math.max(BLUNTEST, fitting);
}
