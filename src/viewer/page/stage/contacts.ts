/** Draws contacts: areas filled, curves and borders as strokes, points as dots. */
import { Group } from 'three';
import type { Palette } from '../../palette.ts';
import type { FullAnswer } from '../../protocol.ts';
import { createAreas } from './areas.ts';
import { toDrawn } from './drawn.ts';
import type { Space } from './space.ts';
import { createStrokes, segmentsOf } from './strokes.ts';
import type { Look } from './surface-material.ts';

type Found = FullAnswer['contacts'];
type Place = readonly number[];

export function createContactMarks(look: Look, space: Space) {
  const group = new Group();
  const style = { paint: [0, 0, 0], halo: 1.2, hidden: 0.45, order: 12 } as const;
  const curves = createStrokes(look, { ...style, width: 3.5 });
  const dots = createStrokes(look, { ...style, width: 8, order: 14 });
  const areas = createAreas(look);
  group.add(areas.group, curves.group, dots.group);
  return {
    group,
    set(contacts: Found | null): void {
      const { paths, points, fills } = partsOf(contacts);
      const first = paths[0]?.[0] ?? points[0];
      if (first) toDrawn(space, first, group.position);
      // Relative to a point of their own, so that f32 suffices for large coordinates.
      const drawn = (place: Place): number[] => place.map((x, k) => space.scale * (x - first[k]));
      curves.set(Float32Array.from(paths.flatMap((path) => segmentsOf(path.map(drawn)))));
      dots.set(Float32Array.from(points.flatMap((point) => [...drawn(point), ...drawn(point)])));
      areas.set(fills.map((borders) => borders.map((border) => Float32Array.from(border.flatMap(drawn)))));
    },
    setPalette({ contact }: Palette): void {
      for (const part of [curves, dots, areas]) part.setPaint(contact);
    },
    dispose() {
      for (const part of [curves, dots, areas]) part.dispose();
    },
  };
}

function partsOf(contacts: Found | null): { paths: Place[][]; points: Place[]; fills: Place[][][] } {
  const { patches, points = [] } = contacts ?? {};
  if (!patches) {
    const isPoint = ({ from, to }: (typeof points)[number]): boolean => from.every((x, k) => x === to[k]);
    return {
      paths: points.filter((point) => !isPoint(point)).map(({ from, to }) => [from, to]),
      points: points.filter(isPoint).map(({ from }) => from),
      fills: [],
    };
  }
  return {
    paths: patches.flatMap(({ outline }) => outline).filter((path) => path.length > 1),
    points: patches.filter(({ kind }) => kind === 'point').map(({ centre }) => centre),
    fills: patches.filter(({ kind, outline }) => kind === 'area' && outline.length > 0).map(({ outline }) => outline),
  };
}
