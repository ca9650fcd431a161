/** Defines and validates project files, `gicollide.json`: builds, and the scenes to check. */
import * as z from 'zod/mini';
import { type Language, messageOf, worst } from '../base/json-messages.ts';
import { parseJson } from '../base/json-text.ts';
import { schemaNotes } from '../base/schema-notes.ts';
import { SPLITS } from '../readers/elements.ts';
import { WRITERS } from '../report/writers.ts';
import { PAGE_ROLES } from '../representations/gi/format/pages.ts';
import { DOP_SIZES } from '../representations/kdop/tree/dop-directions.ts';
import { LARGEST_BITS, SMALLEST_BITS } from '../representations/kdop/tree/kdop-tree.ts';
import { builtKinds } from '../representations/kinds.ts';
import { FAIL_CLASSES, IFC_KEYS } from '../scene/classes.ts';
import { choice, unitName } from '../scene/scene-file.ts';

const LARGEST = 1e300;
const text = z.string().check(z.minLength(1), z.maxLength(1000));
const texts = () => z.union([text, z.array(text).check(z.minLength(1))]);
const length = z.number().check(z.gte(0), z.lte(LARGEST));
const positive = z.number().check(z.gt(0), z.lte(LARGEST));
const flag = z.boolean();
const wholeFrom = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most));
const formatName = z.enum([...builtKinds(), 'all']);
const SIZES = Array.from({ length: 10 }, (_, n) => 2 ** (n + 4) + 1);

const noted = <T extends z.ZodMiniType>(schema: T, description: string): T => {
  schemaNotes.add(schema, { description });
  return schema;
};

const BUILD = {
  include: noted(texts(), 'Meshes and models, by paths from this file: files, folders, or patterns'),
  exclude: noted(z.optional(texts()), 'What of these is left out: files, folders, or patterns'),
  excludeObjects: noted(z.optional(texts()), 'Objects that are left out of meshes, by patterns of their names: UCX_*'),
  format: noted(z.optional(z.union([formatName, z.array(formatName).check(z.minLength(1))])), 'gi unless given'),
  out: noted(z.optional(text), 'A folder, or the file of a single output; out/ unless given'),
  split: noted(z.optional(z.enum(SPLITS)), 'An asset for each element of a mesh file, or for each mesh'),
  flat: noted(z.optional(flag), 'All outputs in one folder, where folders are mirrored otherwise'),
  units: z.optional(unitName),
  scale: z.optional(positive),
  weld: noted(z.optional(positive), 'Join vertices of a mesh that are closer than this'),
  chordTolerance: noted(
    z.optional(z.union([positive, text])),
    'How far chords may leave the curves of IFC: in its unit, or as 1mm',
  ),
  size: z.optional(z.literal([...SIZES, 'auto'])),
  psnr: z.optional(positive),
  fit: noted(
    z.optional(z.union([z.enum(['auto', 'on', 'off']), flag])),
    'Samples in least squares: where that gains a decibel (auto, unless given), on (true), off (false)',
  ),
  maxError: noted(z.optional(z.union([positive, text])), 'A length, or a part of the diagonal: "0.2%"'),
  charts: z.optional(z.enum(['one', 'auto', 'best'])),
  embedSource: z.optional(flag),
  compression: z.optional(z.enum(['deflate', 'lzw', 'none'])),
  pages: noted(z.optional(z.array(z.enum(PAGE_ROLES))), 'Of an image, which are written; all unless given'),
  spheres: z.optional(z.enum(['tight', 'seed'])),
  k: z.optional(z.literal(DOP_SIZES)),
  bits: z.optional(wholeFrom(SMALLEST_BITS, LARGEST_BITS)),
  nodeBytes: z.optional(z.literal([40, 20, 64])),
  precision: z.optional(positive),
  fill: z.optional(flag),
};

const ALLOWANCE = { a: choice, b: choice };
const INCOMPLETE = { a: choice, reason: z.optional(text) };

const SCENE = {
  files: noted(texts(), 'What gicollide scene takes, by paths from this file'),
  against: z.optional(texts()),
  with: z.optional(texts()),
  solid: z.optional(z.enum(['auto', 'require', 'off'])),
  clearance: z.optional(length),
  tolerance: z.optional(length),
  touchGap: z.optional(length),
  depth: noted(z.optional(z.enum(['off', 'coarse', 'fine'])), 'How finely thickness is measured; coarse unless given'),
  failOn: noted(z.optional(z.array(z.enum(FAIL_CLASSES))), 'The classes that make the exit code 1; [] is none'),
  distance: z.optional(flag),
  all: z.optional(flag),
  patches: z.optional(flag),
  maxContacts: z.optional(wholeFrom(1, 2 ** 31)),
  budget: z.optional(length),
  units: z.optional(unitName),
  device: z.optional(z.enum(['auto', 'cpu', 'gpu'])),
  allow: z.optional(z.array(z.strictObject(ALLOWANCE))),
  incomplete: noted(
    z.optional(z.array(z.strictObject(INCOMPLETE))),
    'Objects whose surface may be missing, wholly or in part, without exit code 2',
  ),
  a: noted(z.optional(z.array(choice).check(z.minLength(1))), 'Only pairs of one of these objects and one of b'),
  b: noted(z.optional(z.array(choice).check(z.minLength(1))), 'The other side of these pairs; all unless given'),
  include: noted(
    z.optional(z.array(text).check(z.minLength(1))),
    'Classes of IFC that are left out by rule, such as IfcSpace; Clearance is one',
  ),
  ifcRelations: noted(
    z.optional(z.enum(['allow', 'check'])),
    'Pairs of IFC that belong together, such as a whole and its part; allow unless given',
  ),
  allowUnmatched: z.optional(flag),
  events: z.optional(flag),
  continuous: z.optional(flag),
  timeResolution: z.optional(positive),
  strict: z.optional(flag),
  srdf: z.optional(text),
  state: z.optional(text),
  states: z.optional(text),
  limits: z.optional(z.enum(['warn', 'error'])),
  baseline: noted(z.optional(text), 'Findings that are known, docs/baseline.md'),
  worse: z.optional(length),
  failOnGone: z.optional(flag),
  report: noted(
    z.optional(z.partialRecord(z.enum(WRITERS.map(({ name }) => name)), text)),
    'Files of the findings by their formats, docs/reports.md',
  ),
  group: z.optional(z.enum(['finding', 'rule', 'element', 'cluster'])),
  bcfVersion: z.optional(z.enum(['2.1', '3.0'])),
  csvSeparator: z.optional(z.enum([',', ';', '\t'])),
  csvBom: z.optional(flag),
};

const CACHE = {
  folder: noted(z.optional(text), 'By its path from this file; that of the user unless given'),
  maxSize: noted(
    z.optional(z.string().check(z.regex(/^\d{1,15}(\.\d{1,9})? ?([KMGT]B)?$/, { error: 'a size, as 500MB or 2GB,' }))),
    'What gicollide cache prune leaves where nobody says, as 500MB or 2GB',
  ),
};

export const projectSchema = z.strictObject({
  $schema: z.optional(z.string()),
  description: z.optional(z.string()),
  gicollide: noted(z.literal('project/1'), 'The format and its version'),
  build: z.optional(z.array(z.strictObject(BUILD))),
  scenes: z.optional(z.array(z.union([text, z.strictObject(SCENE)]))),
  jobs: noted(z.optional(wholeFrom(1, 256)), 'Threads; as many as there are processors unless given'),
  cache: z.optional(z.strictObject(CACHE)),
});
schemaNotes.add(projectSchema, { title: 'A project of gicollide (gicollide.json)' });

export type ProjectModel = z.infer<typeof projectSchema>;
export type BuildEntry = z.infer<z.ZodMiniObject<typeof BUILD>>;
export type SceneEntry = z.infer<z.ZodMiniObject<typeof SCENE>>;

/** The keys that an object may have, by the object's own key. */
const KEYS: Record<string, readonly string[]> = {
  '': Object.keys(projectSchema.shape),
  build: Object.keys(BUILD),
  scenes: Object.keys(SCENE),
  allow: Object.keys(ALLOWANCE),
  incomplete: Object.keys(INCOMPLETE),
  ifc: [...IFC_KEYS],
  report: WRITERS.map(({ name }) => name),
  cache: Object.keys(CACHE),
};

const IN_PROJECTS: Language = {
  keysAt(path) {
    const place = path.findLast((key) => typeof key === 'string' && Object.hasOwn(KEYS, key));
    return KEYS[String(place ?? '')];
  },
  largest: LARGEST,
};

/** @throws FormatError of one line: the text's line if it is no JSON, else the value's path */
export function readProject(source: string | Uint8Array): ProjectModel {
  const value = parseJson(source);
  const result = z.safeParse(projectSchema, value);
  if (!result.success) throw messageOf(worst(result.error.issues, value), value, IN_PROJECTS);
  return result.data;
}
