/**
 * Combines the progress of a build's stages into one number that never falls, whichever stages run.
 */

/** Shares of a build's time, measured on 70k triangles at 257. */
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
 * Reports a build's progress from that of a stage, each from 0 to 1. If more is done already when a
 * stage begins (as with planning behind a square), it shares the rest with the later stages.
 */
export function createStages(
  onProgress: ((stage: string, fraction: number) => void) | undefined,
): (stage: Stage, fraction: number) => void {
  let current: Stage | null = null;
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
