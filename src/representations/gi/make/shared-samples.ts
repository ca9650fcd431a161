/**
 * Finds samples of an image's charts that are one point, so that a fit moves them as one, and
 * samples that must stay.
 *
 * Folds of a pillowcase and seams between disks have equal samples on both sides, to the bit. A
 * seam's samples are found by their places, as charts don't know each other here. Both sides of a
 * seam run through the same points in opposite directions. A rim without an opposite is the
 * surface's border. It stays, since the source's tangent planes would let it slide inward. Samples
 * shared with single quads stay, too, since these are not fitted.
 */
import { sampleOnSide } from '../tree/grid.ts';

interface Chart {
  size: number;
  positions: Float64Array;
  folded: boolean;
}

export interface SharedSamples {
  /** First sample of each chart; all charts' samples are numbered consecutively. */
  first: Int32Array;
  /** The sample that each is a copy of, or itself. */
  owner: Int32Array;
  /** 1 if a sample that owns itself must stay. */
  stays: Uint8Array;
}

export function shareSamples(charts: readonly Chart[]): SharedSamples {
  const first = new Int32Array(charts.length + 1);
  charts.forEach(({ size }, i) => {
    first[i + 1] = first[i] + size * size;
  });
  const shared = {
    first,
    owner: Int32Array.from({ length: first[charts.length] }, (_, g) => g),
    stays: new Uint8Array(first[charts.length]),
  };
  const places = new Map<string, number>();
  charts.forEach((chart, i) => {
    if (chart.folded) fold(chart.size, first[i], shared.owner);
    else if (chart.size > 2) weldRim(chart, first[i], places, shared.owner);
  });
  charts.forEach((chart, i) => {
    if (!chart.folded && chart.size === 2) hold(chart, first[i], places, shared);
  });
  holdBorder(charts, shared);
  return shared;
}

function fold(size: number, first: number, owner: Int32Array): void {
  const last = size - 1;
  for (let j = 0; j <= last; j++) {
    const near = Math.min(j, last - j);
    owner[first + j] = first + near;
    owner[first + last * size + j] = first + last * size + near;
    owner[first + j * size] = first + near * size;
    owner[first + j * size + last] = first + near * size + last;
  }
  for (const corner of [0, last, last * size, last * size + last]) owner[first + corner] = first;
}

const keyOf = (p: Float64Array, g: number): string => `${p[3 * g]} ${p[3 * g + 1]} ${p[3 * g + 2]}`;

function weldRim({ size, positions }: Chart, first: number, places: Map<string, number>, owner: Int32Array): void {
  for (let step = 0; step < 4 * (size - 1); step++) {
    const g = sampleOnSide(step, size);
    const key = keyOf(positions, g);
    const known = places.get(key);
    if (known === undefined) places.set(key, first + g);
    else owner[first + g] = known;
  }
}

/** A chart of one quad stays, with the samples that it shares. */
function hold({ positions }: Chart, first: number, places: Map<string, number>, { stays }: SharedSamples): void {
  for (let g = 0; g < 4; g++) stays[places.get(keyOf(positions, g)) ?? first + g] = 1;
}

function holdBorder(charts: readonly Chart[], { first, owner, stays }: SharedSamples): void {
  const edges = new Set<number>();
  const count = owner.length;
  const run = (visit: (from: number, to: number) => void): void => {
    charts.forEach(({ size, folded }, i) => {
      if (folded || size === 2) return;
      for (let step = 0; step < 4 * (size - 1); step++) {
        const from = owner[first[i] + sampleOnSide(step, size)];
        const to = owner[first[i] + sampleOnSide(step + 1, size)];
        if (from !== to) visit(from, to);
      }
    });
  };
  run((from, to) => edges.add(from * count + to));
  run((from, to) => {
    if (!edges.has(to * count + from)) stays[from] = stays[to] = 1;
  });
}
