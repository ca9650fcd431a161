/**
 * Finds the sample nearest to a place. A grid of cubes holds the samples. The search goes in shells
 * around the place's cube until no farther one can hold a nearer sample.
 */

/** Approximate samples per cube: a surface crosses some 6 g^2 of g^3 cubes. */
const SAMPLES_A_CUBE = 8;
const MOST_CUBES_A_SIDE = 128;

export interface SampleGrid {
  /** @returns the number of the nearest sample, the first of equal ones; -1 if there are none */
  nearest(x: number, y: number, z: number): number;
}

/** @param places x, y, z per sample; NaN for none */
export function gridOf(places: Float32Array): SampleGrid {
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high = low.map((infinity) => -infinity);
  for (let i = 0; i < places.length; i++) {
    if (places[i] < low[i % 3]) low[i % 3] = places[i];
    if (places[i] > high[i % 3]) high[i % 3] = places[i];
  }
  const side = Math.min(MOST_CUBES_A_SIDE, Math.max(1, Math.ceil(Math.sqrt(places.length / 3 / 6 / SAMPLES_A_CUBE))));
  const edge = Math.max(...[0, 1, 2].map((k) => high[k] - low[k])) / side || 1;
  const cubeOf = (value: number, k: number): number =>
    Math.max(0, Math.min(side - 1, Math.floor((value - low[k]) / edge)));
  const { starts, samples } = sorted(places, side ** 3, (at) => {
    const [i, j, k] = [cubeOf(places[at], 0), cubeOf(places[at + 1], 1), cubeOf(places[at + 2], 2)];
    return (i * side + j) * side + k;
  });
  const nearest = (x: number, y: number, z: number): number => {
    const centre = [cubeOf(x, 0), cubeOf(y, 1), cubeOf(z, 2)];
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    const look = (cube: number): void => {
      for (let s = starts[cube]; s < starts[cube + 1]; s++) {
        const at = 3 * samples[s];
        const [u, v, w] = [places[at] - x, places[at + 1] - y, places[at + 2] - z];
        const squared = u * u + v * v + w * w;
        if (squared < least || (squared === least && samples[s] < best)) {
          least = squared;
          best = samples[s];
        }
      }
    };
    // An outside place is nearer to the grid's side than to any sample, so shells count from the
    // side.
    for (let shell = 0; shell <= side; shell++) {
      if (best >= 0 && least < ((shell - 1) * edge) ** 2) break;
      visitShell(centre, shell, side, look);
    }
    return best;
  };
  return { nearest };
}

function sorted(places: Float32Array, cubes: number, cubeOf: (at: number) => number) {
  const starts = new Int32Array(cubes + 1);
  let count = 0;
  for (let at = 0; at < places.length; at += 3) {
    if (Number.isNaN(places[at])) continue;
    starts[cubeOf(at)]++;
    count++;
  }
  for (let cube = 0, sum = 0; cube <= cubes; cube++) {
    sum += starts[cube];
    starts[cube] = sum;
  }
  const samples = new Int32Array(count);
  for (let at = places.length - 3; at >= 0; at -= 3) {
    if (!Number.isNaN(places[at])) samples[--starts[cubeOf(at)]] = at / 3;
  }
  return { starts, samples };
}

function visitShell(centre: readonly number[], shell: number, side: number, look: (cube: number) => void): void {
  const [a, b, c] = centre;
  const last = side - 1;
  for (let i = Math.max(0, a - shell); i <= Math.min(last, a + shell); i++) {
    for (let j = Math.max(0, b - shell); j <= Math.min(last, b + shell); j++) {
      const isFace = i === a - shell || i === a + shell || j === b - shell || j === b + shell;
      const first = (i * side + j) * side;
      if (isFace) {
        for (let k = Math.max(0, c - shell); k <= Math.min(last, c + shell); k++) look(first + k);
      } else {
        if (c - shell >= 0) look(first + c - shell);
        if (c + shell <= last && shell > 0) look(first + c + shell);
      }
    }
  }
}
