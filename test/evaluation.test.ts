/** No module does work when it is evaluated: a run loads modules that it may not need. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../src/', import.meta.url));

/** Most elements of an array that a module may make before somebody asks for it. */
const MOST_ELEMENTS = 2048;
/** Calls that only note what is to be done later, or are as cheap as a literal. */
const CHEAP =
  /^(once|Symbol|BigInt|Number|promisify|createRequire|Math\.\w+|Object\.(keys|freeze)|\w+Array\.of|new (WeakMap|DataView|FinalizationRegistry))$/;
/** Ours: caches and functions of a mesh, a matrix, and scratch of a few numbers. */
const OURS =
  /^(derived|perMesh|blob|identity|affine|a3|unit|scaled|newBallBracket|sweptHull|createPolygon|createMovedTriangle|createImages|createNear|createSquareImages|coefficientsOf)$/;
/** Entries: they are loaded for what they do. */
const ENTRIES = /^(viewer\/(page\/(loader|main)|worker)|work\/thread)\.ts$/;

/** Modules of zod's schemas: the commands that read such a file load them by `import()`. */
const SCHEMAS = [
  ...['base/schema-notes.ts', 'motion/motion-file.ts', 'motion/placement.ts', 'project/manifest.ts'],
  ...['project/project-file.ts', 'report/read-baseline.ts', 'report/records.ts', 'scene/scene-file.ts'],
  ...[
    'cli/findings/finding-file.ts',
    'cli/findings/scene-run.ts',
    'cli/queue/builds.ts',
    'cli/queue/jobs.ts',
    'cli/queue/open-runs.ts',
  ],
  ...[
    'cli/queue/run-file.ts',
    'cli/shards/shard-file.ts',
    'cli/view/page-baseline.ts',
    'representations/frep/make/model.ts',
  ],
];

const NAMES = 'names of a short list';
const BYTES = 'a table of 128 or 256 bytes, which the innermost loop of a reader asks';
const FIXED = 'scratch of a fixed size, which the innermost loop asks';
/** Places that do work all the same: the most of them in a file, and why they stay. */
const KNOWN: Record<string, readonly [most: number, why: string]> = {
  'base/xml.ts': [1, 'a symbol of fast-xml-parser'],
  'cli/cache/cache.ts': [1, 'the text of a file, a few bytes'],
  'cli/findings/report-flags.ts': [1, NAMES],
  'cli/help.ts': [2, 'loaded for --help alone'],
  'cli/make/plan.ts': [1, NAMES],
  'cli/poses/columns.ts': [10, 'loaded for tables of poses alone'],
  'cli/scene/inputs.ts': [1, NAMES],
  'engine/options.ts': [2, NAMES],
  'engine/report.ts': [1, 'an empty report'],
  'geometry/contact-segment.ts': [2, FIXED],
  'geometry/tight-inclusion.ts': [1, FIXED],
  'math/exponential.ts': [1, FIXED],
  'mesh/point-numbers.ts': [1, FIXED],
  'motion/swept-tree.ts': [1, FIXED],
  'readers/foreign.ts': [3, 'loaded for files that nothing reads'],
  'readers/formats.ts': [3, NAMES],
  'readers/gltf/gltf.ts': [1, BYTES],
  'readers/ifc/arguments.ts': [14, 'loaded for IFC alone'],
  'readers/ifc/lower/lower.ts': [2, 'loaded for IFC alone'],
  'readers/obj/scanner.ts': [1, BYTES],
  'readers/signatures.ts': [1, 'an expression that is made of a list of keys'],
  'readers/stl.ts': [9, 'words of nine letters, loaded for STL alone'],
  'readers/text-cursor.ts': [1, BYTES],
  'readers/text.ts': [1, 'powers of ten'],
  'report/csv.ts': [1, 'loaded for tables of findings alone'],
  'representations/everything.ts': [1, 'registers kinds: marked as pure, and no part of the program'],
  'representations/frep/make/compile.ts': [1, 'a number as text'],
  'representations/frep/make/domain.ts': [1, 'a number as text'],
  'representations/frep/tree/polynomial.ts': [7, FIXED],
  'representations/frep/tree/unfold.ts': [1, 'first cells of nine levels'],
  'representations/gi/make/untangle.ts': [2, 'nine pairs and 24 numbers'],
  'representations/kdop/tree/dop-directions.ts': [1, 'three directions'],
  'representations/obb/format.ts': [38, 'rows of the tables of FORMAT.md'],
  'representations/obb/make/index.ts': [1, `${FIXED}; the builder in AssemblyScript has none`],
  'representations/obb/tree/node.ts': [1, 'the 24 turns of a cube'],
  'representations/voxel/make/surface-cells.ts': [1, 'a view of scratch'],
  'solid/convex-cell.ts': [1, FIXED],
  'solid/depth-search.ts': [1, FIXED],
  'solid/depth-side.ts': [1, FIXED],
  'solid/freps.ts': [1, 'five steps'],
  'solid/point-queries.ts': [1, FIXED],
  'three/pose-of.ts': [1, 'a matrix of three.js'],
  'viewer/command-line.ts': [3, NAMES],
  'viewer/page/panels/time-line.ts': [1, NAMES],
  'viewer/page/stage/strokes.ts': [1, 'a vector of three.js'],
  'viewer/palette.ts': [33, 'colors of the page'],
  'viewer/view-state.ts': [17, 'fields of the page'],
};

interface Node {
  type: string;
  start: number;
  end: number;
  // biome-ignore lint/suspicious/noExplicitAny: children of any kind
  [key: string]: any;
}

/** The value of a constant expression of numbers; NaN if it is none. */
function numberOf(node: Node | undefined, constants: ReadonlyMap<string, Node>): number {
  switch (node?.type) {
    case 'Literal':
      return Number(node.value);
    case 'Identifier':
      return numberOf(constants.get(node.name), constants);
    case 'BinaryExpression': {
      const [a, b] = [numberOf(node.left, constants), numberOf(node.right, constants)];
      const by: Record<string, number> = { '+': a + b, '-': a - b, '*': a * b, '/': a / b, '**': a ** b, '<<': a << b };
      return by[node.operator] ?? Number.NaN;
    }
    default:
      return Number.NaN;
  }
}

/** Expressions that are evaluated with the module. */
function* evaluated(node: Node): Generator<Node> {
  if (/^(ArrowFunction|Function|TS(?!As|Satisfies|NonNull))/.test(node.type) || node.type === 'ClassDeclaration')
    return;
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') yield* evaluated(child);
  }
}

/** The initial values of a module's constants, by their names. */
const constantsOf = ({ body }: Node): [string, Node][] =>
  body
    .flatMap((statement: Node) => (statement.declaration ?? statement).declarations ?? [])
    .flatMap(({ id, init }: Node) => (id.name && init ? [[id.name, init]] : []));

const programOf = (file: string): Node =>
  parseSync(file, readFileSync(`${root}${file}`, 'utf8'), { lang: 'ts' }).program as unknown as Node;

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.ts$/.test(file) && !/\.generated\.ts$/.test(file) && !ENTRIES.test(file));
const programs = new Map(files.map((file) => [file, programOf(file)]));
/** Of all modules: what is imported goes by its name. */
const CONSTANTS = new Map([...programs.values()].flatMap(constantsOf));

/** The places of a module that do work when it is evaluated. */
function workOf(file: string, program: Node): string[] {
  const text = readFileSync(`${root}${file}`, 'utf8');
  const statements: Node[] = program.body.map((statement: Node) => statement.declaration ?? statement);
  const constants = new Map([...CONSTANTS, ...constantsOf(program)]);
  const isCheap = (node: Node): boolean => {
    const name = `${node.type === 'NewExpression' ? 'new ' : ''}${text.slice(node.callee.start, node.callee.end)}`;
    if (/^new (Map|Set)$/.test(name)) return node.arguments.every(({ type }: Node) => type === 'ArrayExpression');
    if (/^new \w+Array$/.test(name)) {
      const [size] = node.arguments;
      if (size === undefined || size.property?.name === 'buffer') return true;
      const elements = size.type === 'ArrayExpression' ? size.elements.length : numberOf(size, constants);
      return elements <= MOST_ELEMENTS;
    }
    return CHEAP.test(name) || OURS.test(name);
  };
  return statements
    .flatMap((statement): Node[] => {
      if (/^(Import|Export|Function|Class|TS)/.test(statement.type)) return [];
      if (statement.type !== 'VariableDeclaration') return [statement];
      return [...evaluated(statement)].filter(
        (node) => node.type === 'AwaitExpression' || (/^(New|Call)Expression$/.test(node.type) && !isCheap(node)),
      );
    })
    .map(({ start, end }) => text.slice(start, end).replaceAll(/\s+/g, ' ').slice(0, 70));
}

test('modules do no work when they are evaluated, but for the places that are known', () => {
  const found: string[] = [];
  for (const [file, program] of programs) {
    const places = file.endsWith('.as.ts') || SCHEMAS.includes(file) ? [] : workOf(file, program);
    const [most] = KNOWN[file] ?? [0];
    if (places.length > most)
      found.push(`${file}: expected at most ${most}, found ${places.length}: ${places.join(' | ')}`);
  }
  expect(found).toEqual([]);
  expect([...Object.keys(KNOWN), ...SCHEMAS].filter((file) => !programs.has(file))).toEqual([]);
});
