/**
 * The format of scene files, `name.scene.json`, and its errors: assets, instances, groups, rules.
 */

import * as z from 'zod/mini';
import { FormatError } from '../base/errors.ts';
import { type Language, messageOf, type Path, pathText, worst } from '../base/json-messages.ts';
import { parseJson } from '../base/json-text.ts';
import { nearest } from '../base/nearest.ts';
import { quoted } from '../base/printable.ts';
import { requireJson } from '../base/require.ts';
import { schemaNotes } from '../base/schema-notes.ts';
import { misspelledUnit } from '../engine/units.ts';
import {
  formOfPlacement,
  LARGEST_NUMBER,
  number,
  PLACEMENT,
  PLACEMENT_SYNONYMS,
  ROTATE_KEYS,
  requireOneWay,
} from '../motion/placement.ts';
import { SPLITS } from '../readers/elements.ts';
import { FAIL_CLASSES } from './classes.ts';

const text = z.string().check(z.minLength(1), z.maxLength(1000));
const pattern = z.string().check(z.minLength(1), z.maxLength(1000));
export const unitName = text.check(
  z.refine((name) => misspelledUnit(name) === null, {
    error: ({ input }) => `a unit of length (did you mean ${misspelledUnit(input as string)}?)`,
  }),
);
/** `*` stands for any letters, `?` for one, as in names. */
const ifcChoice = z.strictObject({
  class: z.optional(z.clone(pattern)).register(schemaNotes, {
    description: 'IfcPipe*: a class; without wildcards the classes below it, too',
  }),
  type: z.optional(z.clone(pattern)).register(schemaNotes, { description: 'The name of its type (IfcTypeObject)' }),
  storey: z.optional(z.clone(pattern)).register(schemaNotes, { description: 'The name of its storey' }),
  material: z.optional(z.clone(pattern)).register(schemaNotes, { description: 'The name of one of its materials' }),
});
const IFC_CHOICE = z.strictObject({
  ifc: ifcChoice
    .check(z.refine((value) => Object.keys(value).length > 0, { error: 'class, type, storey or material' }))
    .register(schemaNotes, { description: 'Elements of IFC that match all of these', minProperties: 1 }),
});
export const choice = z.union([text, IFC_CHOICE]).register(schemaNotes, { id: 'choice' });
const length = z.number().check(z.gte(0), z.lte(LARGEST_NUMBER));
const factor = number.check(z.refine<number>((x) => x !== 0, { error: 'a number other than 0' }));

const SHAPES = {
  '': {
    $schema: z.optional(z.string()),
    description: z.optional(z.string()),
    gicollide: z.literal('scene/1').register(schemaNotes, { description: 'The format and its version' }),
    units: z.optional(unitName).register(schemaNotes, {
      description: 'The unit of all lengths here, and of meshes that say none: m, mm, in, ...',
    }),
  },
  asset: {
    file: z.clone(text).register(schemaNotes, { description: 'A mesh or an asset, by its path from this file' }),
    split: z.optional(z.enum(SPLITS)).register(schemaNotes, {
      description:
        'elements, or groups: every object, solid or node of the mesh file is an instance of its own, instance/element; meshes: every mesh, in its own frame',
    }),
    units: z.optional(unitName).register(schemaNotes, { description: 'The unit of a mesh that says none' }),
    include: z.optional(z.array(pattern).check(z.minLength(1))).register(schemaNotes, {
      description: 'Classes of IFC that are left out by rule and read here, such as IfcSpace; Clearance is one',
    }),
  },
  instance: {
    name: text,
    asset: text,
    ...PLACEMENT,
    scale: z.optional(z.union([factor, z.array(factor).check(z.length(3))])).register(schemaNotes, {
      description: 'Along the axes of the asset; negative factors mirror it',
    }),
    deform: z.optional(text).register(schemaNotes, {
      description:
        'A file of vertex positions, frame after frame: x, y, z of each vertex of the asset, little-endian doubles (.f64); or a glTF file, whose animation of morph targets has a frame a key (.glb, .gltf)',
    }),
  },
  frame: {
    time: z.optional(number).register(schemaNotes, { description: 'Handed on to what is said of the frame' }),
    poses: z.record(text, z.strictObject(PLACEMENT)).register(schemaNotes, {
      description: 'Where instances stand from now on, by their names; the others stay',
    }),
  },
  rule: {
    id: text,
    a: choice,
    b: choice,
    clearance: z.optional(length),
    tolerance: z.optional(length).register(schemaNotes, { description: 'Overlaps no thicker than this touch' }),
    fail: z.optional(z.array(z.enum(FAIL_CLASSES))).register(schemaNotes, {
      description: 'The classes that make the exit code 1, for this rule',
    }),
    severity: z.optional(z.enum(['error', 'warning'])).register(schemaNotes, {
      description: 'What findings of these classes are: an error, or a warning, which makes no exit code 1',
    }),
  },
  allow: { a: choice, b: z.optional(choice), reason: z.optional(z.string()) },
  incomplete: { a: choice, reason: z.optional(z.string()) },
};

const frameSchema = z.strictObject(SHAPES.frame);

export type FrameModel = z.infer<typeof frameSchema>;

export const sceneSchema = z
  .strictObject({
    ...SHAPES[''],
    assets: z.record(text, z.union([text, z.strictObject(SHAPES.asset)])),
    instances: z.array(z.strictObject(SHAPES.instance)),
    groups: z.optional(z.record(text, z.array(choice).check(z.minLength(1)))),
    rules: z.optional(z.array(z.strictObject(SHAPES.rule))),
    allow: z.optional(z.array(z.strictObject(SHAPES.allow))),
    incomplete: z.optional(z.array(z.strictObject(SHAPES.incomplete))).register(schemaNotes, {
      description: 'Objects whose surface may be missing, wholly or in part, without exit code 2',
    }),
    frames: z.optional(z.union([text, z.array(frameSchema)])).register(schemaNotes, {
      description: 'Poses of instances, frame after frame; or a file that has a frame a line (.ndjson)',
    }),
    between: z.optional(z.enum(['screw', 'straight'])).register(schemaNotes, {
      description: 'With --continuous: how instances go from frame to frame; screw unless given',
    }),
  })
  .register(schemaNotes, { title: 'A scene of gicollide (.scene.json)' });

/** The content of a scene file (docs/scene.md). */
export type SceneModel = z.infer<typeof sceneSchema>;
export type InstanceModel = SceneModel['instances'][number];

/** The keys of an object, by the key or list that holds it. */
const KEYS: Record<string, readonly string[]> = {
  '': [
    ...Object.keys(SHAPES['']),
    'assets',
    'instances',
    'groups',
    'rules',
    'allow',
    'incomplete',
    'frames',
    'between',
  ],
  assets: Object.keys(SHAPES.asset),
  instances: Object.keys(SHAPES.instance),
  rules: Object.keys(SHAPES.rule),
  allow: Object.keys(SHAPES.allow),
  incomplete: Object.keys(SHAPES.incomplete),
  frames: Object.keys(SHAPES.frame),
  ifc: Object.keys(ifcChoice.shape),
  choice: Object.keys(IFC_CHOICE.shape),
  poses: Object.keys(PLACEMENT),
  rotate: ROTATE_KEYS,
};

/**
 * Reads the text of a scene file (docs/scene.md).
 *
 * @param source UTF-8 if it is bytes; or the parsed JSON
 * @throws FormatError of one line. It has the line number if the text is not JSON. Otherwise it has
 *   the path to the value that breaks the format, to a duplicate name, or to an instance of an
 *   unknown asset
 * @example readScene('{"gicollide": "scene/1", "assets": {"box": "box.obj"}, "instances": [{"name": "a", "asset": "box"}]}')
 *            .instances.length // 1
 */
export function readScene(source: string | Uint8Array | SceneModel): SceneModel {
  requireJson(source, 'source');
  const isFile = typeof source === 'string' || source instanceof Uint8Array;
  const value = isFile ? parseJson(source) : source;
  const plain = isFile ? plainInstances(value) : null;
  const result = z.safeParse(sceneSchema, plain ? { ...(value as object), instances: [] } : value);
  if (!result.success) throw messageOf(worst(result.error.issues, value), value, IN_SCENES);
  const model = plain ? { ...result.data, instances: plain } : result.data;
  requireNames(model);
  return model;
}

/**
 * Returns a file's instances as the schema does, but faster. Null if one has more than a name, an
 * asset, a shift and a turn, or is invalid: the schema has the messages.
 */
function plainInstances(value: unknown): InstanceModel[] | null {
  const given = (value as { instances?: unknown } | null)?.instances;
  if (!Array.isArray(given)) return null;
  const instances: InstanceModel[] = [];
  for (const one of given) {
    const instance = plainInstance(one);
    if (!instance) return null;
    instances.push(instance);
  }
  return instances;
}

function plainInstance(value: unknown): InstanceModel | null {
  if (typeof value !== 'object' || value === null) return null;
  const { name, asset, translate, rotate } = value as Record<string, unknown>;
  const instance: Partial<InstanceModel> = {};
  if (!isText(name) || !isText(asset)) return null;
  instance.name = name;
  instance.asset = asset;
  let known = 2;
  if (translate !== undefined) {
    if (!isVector(translate)) return null;
    instance.translate = translate;
    known++;
  }
  if (rotate !== undefined) {
    const turn = plainRotation(rotate);
    if (!turn) return null;
    instance.rotate = turn;
    known++;
  }
  return Object.keys(value).length === known ? (instance as InstanceModel) : null;
}

function plainRotation(value: unknown): NonNullable<InstanceModel['rotate']> | null {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return null;
  const { axis, degrees } = value as Record<string, unknown>;
  const isTurn = isVector(axis) && axis.some((x) => x !== 0) && isNumber(degrees);
  return isTurn ? { axis, degrees } : null;
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 1000;
const isNumber = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= LARGEST_NUMBER;
const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length === 3 && isNumber(value[0]) && isNumber(value[1]) && isNumber(value[2]);

/**
 * @param source a line of a file of frames, or its value
 * @throws FormatError of one line: the path to the value that breaks the format
 * @example readFrame('{"time": 0.5, "poses": {"left": {"translate": [1, 0, 0]}}}').time // 0.5
 */
export function readFrame(source: string | FrameModel): FrameModel {
  const value = typeof source === 'string' ? parseJson(source) : source;
  const result = z.safeParse(frameSchema, value);
  if (!result.success) throw messageOf(worst(result.error.issues, value), value, IN_FRAMES);
  requirePlacements(result.data, '');
  return result.data;
}

function requirePlacements({ poses }: FrameModel, prefix: string): void {
  for (const [name, placement] of Object.entries(poses)) requireOneWay(placement, prefix + pathText(['poses', name]));
}

/** Names that users of other programs try. */
const SYNONYMS = {
  ...PLACEMENT_SYNONYMS,
  mesh: 'asset',
  objects: 'instances',
  path: 'file',
  source: 'file',
  id: 'name',
};

const IN_SCENES: Language = {
  keysAt: (path) => KEYS[placeOf(path)] ?? [],
  largest: LARGEST_NUMBER,
  synonyms: SYNONYMS,
  formAt: formOfPlacement,
};
const IN_FRAMES: Language = { ...IN_SCENES, keysAt: (path) => IN_SCENES.keysAt(['frames', 0, ...path]) };

function placeOf(path: Path): string {
  const last = path.at(-1);
  if (last === 'rotate' || last === 'ifc') return last;
  const isSide = (last === 'a' || last === 'b') && path[0] !== 'frames';
  if (isSide || (path[0] === 'groups' && path.length === 3)) return 'choice';
  return path[0] === 'frames' && path[2] === 'poses' ? 'poses' : String(path[0] ?? '');
}

/** Checks beyond the schema: duplicate and unknown names, double placements. */
function requireNames({ assets, instances, frames }: SceneModel): void {
  const names = new Map<string, number>();
  for (const [i, instance] of instances.entries()) {
    const place = `instances[${i}]`;
    const { name, asset } = instance;
    const first = names.get(name);
    if (first !== undefined)
      throw new FormatError(null, `each name once at ${place}.name`, `${quoted(name)}, as instances[${first}] has it`);
    names.set(name, i);
    if (!Object.hasOwn(assets, asset)) {
      const near = nearest(asset, Object.keys(assets));
      const meant = near === null ? '' : `: did you mean ${near}?`;
      throw new FormatError(null, `a name of assets at ${place}.asset`, quoted(asset) + meant);
    }
    requireOneWay(instance, place);
  }
  if (typeof frames === 'object') for (const [i, frame] of frames.entries()) requirePlacements(frame, `frames[${i}].`);
}
