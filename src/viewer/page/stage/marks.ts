/** Overlays of the chosen pair: bounds, visited nodes, contacts, distance, pointer. */
import { Group } from 'three';
import type { Palette } from '../../palette.ts';
import type { FullAnswer, Shape, Visits } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import { createContactMarks } from './contacts.ts';
import { toDrawn } from './drawn.ts';
import { createShell } from './shell.ts';
import type { Space } from './space.ts';
import { createStrokes } from './strokes.ts';
import type { Look } from './surface-material.ts';

type Place = readonly number[];

const LEAST_LINE = 1e-9;

export interface Marks {
  readonly group: Group;
  setBounds(a: Shape | null, b: Shape | null): void;
  setVisits(visits: Visits | null): void;
  setContacts(contacts: FullAnswer['contacts'] | null): void;
  setLine(line: Place | null): void;
  setPointer(place: Place | null): void;
  place(poses: readonly (ArrayLike<number> | undefined)[]): void;
  follow(state: ViewState): void;
  setPalette(palette: Palette): void;
  dispose(): void;
}

export function createMarks(look: Look, space: Space): Marks {
  const group = new Group();
  const shells = (style: 'shell' | 'solid') => [createShell(look, space, style), createShell(look, space, style)];
  const bounds = shells('shell');
  const visited = shells('shell');
  const tested = shells('solid');
  const contacts = createContactMarks(look, space);
  const way = createStrokes(look, { paint: [0, 0, 0], width: 2.5, halo: 1, hidden: 0.6, isCut: false, order: 20 });
  const ends = createStrokes(look, { paint: [0, 0, 0], width: 9, halo: 1.5, hidden: 0.6, isCut: false, order: 22 });
  const pointer = createStrokes(look, { paint: [0, 0, 0], width: 9, halo: 2.5, hidden: 0.5, isCut: false, order: 30 });
  const distance = new Group().add(way.group, ends.group);
  const all = [...bounds, ...visited, ...tested];
  group.add(...all.map((shell) => shell.group), contacts.group, distance, pointer.group);
  let poses: readonly (ArrayLike<number> | undefined)[] = [];

  const placeAll = (): void => {
    for (const pair of [bounds, visited, tested]) {
      pair.forEach((shell, k) => {
        const pose = poses[k];
        if (pose) shell.place(pose);
      });
    }
  };

  return {
    group,
    setBounds(a, b) {
      bounds[0].set(a);
      bounds[1].set(b);
      placeAll();
    },
    setVisits(visits) {
      visited[0].set(visits?.a ?? null);
      visited[1].set(visits?.b ?? null);
      tested[0].set(visits?.trianglesA ?? null);
      tested[1].set(visits?.trianglesB ?? null);
      placeAll();
    },
    setContacts: (found) => contacts.set(found),
    setLine(line) {
      // For touching objects, the nearest points coincide or nearly so; the contact shows them.
      const length = line ? Math.hypot(...[0, 1, 2].map((k) => line[3 + k] - line[k])) : 0;
      const places = space.scale * length > LEAST_LINE ? line : null;
      if (places) toDrawn(space, places, distance.position);
      const [x, y, z] = places ? [0, 1, 2].map((k) => space.scale * (places[3 + k] - places[k])) : [];
      way.set(Float32Array.from(places ? [0, 0, 0, x, y, z] : []));
      ends.set(Float32Array.from(places ? [0, 0, 0, 0, 0, 0, x, y, z, x, y, z] : []));
    },
    setPointer(place) {
      if (place) toDrawn(space, place, pointer.group.position);
      pointer.set(new Float32Array(place ? 6 : 0));
    },
    place(where) {
      poses = where;
      placeAll();
    },
    follow({ showsContacts, showsDistance }) {
      contacts.group.visible = showsContacts;
      distance.visible = showsDistance;
    },
    setPalette(palette) {
      for (const pair of [bounds, visited]) {
        pair[0].setPaint(palette.a);
        pair[1].setPaint(palette.b);
      }
      for (const shell of tested) shell.setPaint(palette.tested);
      for (const stroke of [way, ends]) stroke.setPaint(palette.distance);
      pointer.setPaint(palette.pointer);
      contacts.setPalette(palette);
    },
    dispose() {
      for (const part of [...all, contacts, way, ends, pointer]) part.dispose();
    },
  };
}
