/** How far a build is, in one number that never falls, whichever stages it comes to. */

/**
 * Parts of a build's time, measured on 70k triangles at 257: closed components are flattened first,
 * what becomes charts is planned, all is sampled and bounded.
 */
const PARTS = {
  cones: { from: 0, share: 0.3 },
  simplify: { from: 0.3, share: 0.1 },
  embed: { from: 0.4, share: 0.35 },
  plan: { from: 0, share: 0.5 },
  charts: { from: 0.5, share: 0.25 },
  resample: { from: 0.75, share: 0.05 },
  spheres: { from: 0.8, share: 0.1 },
  deviation: { from: 0.9, share: 0.1 },
};

export type Stage = keyof typeof PARTS;

/**
 * Tells `onProgress` how far a build is when a stage is so far, each from 0 to 1. A stage that
 * comes when more is done already, as planning does behind a square, shares what is left with those
 * that follow it.
 *
 * @example const tell = createStages((stage, fraction) => bar.update(fraction, { stage }));
 */
export function createStages(
  onProgress: ((stage: string, fraction: number) => void) | undefined,
): (stage: Stage, fraction: number) => void {
  let current: Stage | null = null;
  // Where the stage began, and what is done.
  let start = 0;
  let done = 0;
  return (stage, fraction) => {
    if (stage !== current) start = done;
    current = stage;
    const { from, share } = PARTS[stage];
    const begun = Math.max(from, start);
    done = Math.max(done, begun + (share * fraction * (1 - begun)) / (1 - from));
    onProgress?.(stage, done);
  };
}
