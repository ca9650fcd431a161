/** Overlays of the chosen pair: bounds, visited nodes, contacts, distance, pointer. */
import {
  AlwaysDepth,
  AlwaysStencilFunc,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  InvertStencilOp,
  LessEqualDepth,
  Mesh,
  NotEqualStencilFunc,
  ShaderMaterial,
  Vector3,
  ZeroStencilOp,
} from 'three';
import { sharpEdges } from '../../../mesh/sharp-edges.ts';
import { type Paint, type Palette, shaded } from '../../palette.ts';
import type { FullAnswer, Shape, Visits } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import { placeAt, toDrawn } from './drawn.ts';
import { geometryOf } from './instanced-bodies.ts';
import type { Space } from './space.ts';
import { createStrokes, segmentsOf } from './strokes.ts';
import { type Look, type Style, setTint, surfaceMaterial } from './surface-material.ts';

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
      // For touching objects, the nearest points coincide or nearly so. The contact shows them, or
      // a dot if it has no curves.
      const length = line ? Math.hypot(...[0, 1, 2].map((k) => line[3 + k] - line[k])) : 0;
      const places = space.scale * length > LEAST_LINE ? line : null;
      contacts.setPoint(places ? null : line);
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

/**
 * Draws before surfaces in the same plane. Surfaces themselves have no offset: it grows with the
 * slope, so that at an edge the steeper face would yield to one behind it.
 */
const NEARER = { polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -4 };

/** A translucent surface with sharp edges over an object: bounding volumes, tested triangles. */
function createShell(look: Look, space: Space, style: Style) {
  const group = new Group();
  const material = surfaceMaterial(look, [1, 1, 1], style);
  // Nearer than the surface it lies on.
  material.setValues(NEARER);
  const mesh = new Mesh<BufferGeometry, ShaderMaterial>(undefined, material);
  mesh.frustumCulled = false;
  mesh.renderOrder = 5;
  const edges = createStrokes(look, { paint: [1, 1, 1], width: 1.2, opacity: 0.75, hidden: 0.1, order: 6 });
  group.add(mesh, edges.group);
  group.matrixAutoUpdate = false;
  group.visible = false;
  let about: ArrayLike<number> = [0, 0, 0];
  return {
    group,
    set(shape: Shape | null): void {
      mesh.geometry.dispose();
      group.visible = shape !== null && shape.triangles.length > 0;
      edges.set(shape ? edgesOf(shape) : new Float32Array());
      if (!shape) return;
      about = shape.origin;
      mesh.geometry = geometryOf(shape);
    },
    /** The current place of the object. */
    place(pose: ArrayLike<number>): void {
      placeAt(group.matrix, space, pose, about);
      group.matrixWorldNeedsUpdate = true;
    },
    setPaint(paint: Paint): void {
      setTint(material, paint);
      edges.setPaint(shaded(paint, 0.75));
    },
    dispose() {
      mesh.geometry.dispose();
      material.dispose();
      edges.dispose();
    },
  };
}

/** x, y, z of both ends each. */
function edgesOf({ positions, triangles }: Shape): Float32Array {
  const ends = sharpEdges({ positions: Float64Array.from(positions), triangles });
  return Float32Array.from({ length: 3 * ends.length }, (_, i) => positions[3 * ends[(i / 3) | 0] + (i % 3)]);
}

type Found = FullAnswer['contacts'];
/** Draws contacts: areas filled, curves and borders as strokes, points as dots. */
function createContactMarks(look: Look, space: Space) {
  const group = new Group();
  const style = { paint: [0, 0, 0], halo: 1.2, hidden: 0.45, order: 12 } as const;
  const curves = createStrokes(look, { ...style, width: 3.5 });
  const dots = createStrokes(look, { ...style, width: 8, hidden: 0.75, order: 14 });
  const areas = createAreas(look);
  group.add(areas.group, curves.group, dots.group);
  let found: Found | null = null;
  let common: Place | null = null;
  const draw = (): void => {
    const { paths, points, fills } = partsOf(found);
    if (common && paths.length + points.length === 0) points.push(common.slice(0, 3));
    const first = paths[0]?.[0] ?? points[0];
    if (first) toDrawn(space, first, group.position);
    // Relative to a point of their own, so that f32 suffices for large coordinates.
    const drawn = (place: Place): number[] => place.map((x, k) => space.scale * (x - first[k]));
    curves.set(Float32Array.from(paths.flatMap((path) => segmentsOf(path.map(drawn)))));
    dots.set(Float32Array.from(points.flatMap((point) => [...drawn(point), ...drawn(point)])));
    areas.set(fills.map((borders) => borders.map((border) => Float32Array.from(border.flatMap(drawn)))));
  };
  return {
    group,
    set(contacts: Found | null): void {
      found = contacts;
      draw();
    },
    /** A place of both, drawn if nothing else is. */
    setPoint(place: Place | null): void {
      if (!place && !common) return;
      common = place;
      draw();
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

/*
 * Fills areas with holes, given only their borders. The stencil counts, modulo 2, how often a fan
 * of each border covers a pixel; odd counts are inside.
 */

/** Only this many of the largest are filled: each takes three draws. */
const MOST = 100;

const VERTEX = `
uniform vec4 section;
varying float vBeyond;
void main() {
  vBeyond = dot(section.xyz, (modelMatrix * vec4(position, 1.0)).xyz) - section.w;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
uniform vec3 paint;
uniform float opacity;
varying float vBeyond;
void main() {
  if (vBeyond > 0.0) discard;
  gl_FragColor = vec4(paint, opacity);
}`;

function createAreas(look: Look) {
  const group = new Group();
  const paint = { value: new Vector3() };
  const material = (opacity: number): ShaderMaterial =>
    new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { section: look.section, paint, opacity: { value: opacity } },
      side: DoubleSide,
      transparent: true,
      depthWrite: false,
      stencilWrite: true,
      ...NEARER,
    });
  const count = material(0);
  count.setValues({
    colorWrite: false,
    depthFunc: AlwaysDepth,
    stencilFunc: AlwaysStencilFunc,
    stencilZPass: InvertStencilOp,
  });
  const [seen, hidden] = [material(0.6), material(0.22)];
  const isInside = { stencilFunc: NotEqualStencilFunc, stencilRef: 0, stencilZPass: ZeroStencilOp };
  seen.setValues({ ...isInside, depthFunc: LessEqualDepth });
  // Only hidden parts, and pixels not painted before.
  hidden.setValues({ ...isInside, depthFunc: AlwaysDepth });

  const clear = (): void => {
    for (const mesh of group.children as Mesh[]) mesh.geometry.dispose();
    group.clear();
  };
  return {
    group,
    /** Borders of each area, x, y, z each, in the frame of the group. */
    set(areas: readonly (readonly Float32Array[])[]): void {
      clear();
      areas.slice(0, MOST).forEach((borders, number) => {
        const geometry = fansOf(borders);
        [count, seen, hidden].forEach((layer, k) => {
          const mesh = new Mesh(geometry, layer);
          mesh.frustumCulled = false;
          mesh.renderOrder = 8 + (number + k / 4) / MOST;
          group.add(mesh);
        });
      });
    },
    setPaint: ([red, green, blue]: Paint) => paint.value.set(red, green, blue),
    dispose() {
      clear();
      for (const layer of [count, seen, hidden]) layer.dispose();
    },
  };
}

function fansOf(borders: readonly Float32Array[]): BufferGeometry {
  const corners: number[] = [];
  const tip = borders[0].subarray(0, 3);
  for (const border of borders) {
    for (let i = 0; i + 6 <= border.length; i += 3) corners.push(...tip, ...border.subarray(i, i + 6));
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(corners), 3));
  return geometry;
}
