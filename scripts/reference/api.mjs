// The pages docs/reference/api*.md: all that the package exports, as its types declare it and its
// documentation comments say it. It reads dist/*.d.ts, so dist must be compiled.
import { readFileSync } from 'node:fs';
import { PAGES } from './api-pages.mjs';
import { exampleOf, firstSentence, parseComment, prose } from './comment.mjs';
import { exportedAs, meantBy, namesOf, typesIn } from './declarations.mjs';

/** @typedef {import('./declarations.mjs').Declaration} Declaration */

/**
 * @typedef {object} Entry what is exported under a name
 * @property {string} name
 * @property {Declaration[]} declarations overloads are several
 * @property {string} from which imports have it, where it is not all of `gicollide`
 * @property {typeof PAGES[number]} page
 */

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/**
 * The doors of the package that have types: what is imported, and its file in dist. That of browsers
 * comes behind the other one, of which it repeats most.
 */
const doors = Object.entries(/** @type {Record<string, any>} */ (exports)).flatMap(([path, target]) => {
  const name = path.replace(/^\./, 'gicollide');
  const fileOf = (/** @type {any} */ { types }) => types?.replace(/^\.\/dist\/(package\/types\/)?/, '');
  const found = [[name, fileOf(target)]];
  if (target.browser?.types) found.push([`${name} in browsers`, fileOf(target.browser)]);
  return found.filter(([, file]) => file !== undefined);
});

/** @param {string} file of dist */
const sourceOf = (file) => file.replace(/\.d\.ts$/, '.ts');

/** @param {string} name @param {Declaration} declaration @param {string} from */
function pageOf(name, { file }, from) {
  const named = from === '' ? PAGES.find(({ names = '' }) => names.split(' ').includes(name)) : undefined;
  return named ?? PAGES.find(({ files }) => files.test(file)) ?? PAGES[PAGES.length - 1];
}

/** @param {Declaration[]} declarations */
const keyOf = ([{ file, name }]) => `${file} ${name}`;

/** All that is exported, once, from the first door that has it. @returns {Entry[]} */
function allEntries() {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  for (const [i, [door, file]] of doors.entries()) {
    const elsewhere = new Set(door.endsWith('in browsers') ? namesOf(doors[i - 1][1]) : []);
    for (const name of namesOf(file)) {
      const declarations = exportedAs({ file, name });
      if (declarations.length === 0 || elsewhere.has(name) || entries.has(keyOf(declarations))) continue;
      const from = door === 'gicollide' ? '' : door;
      entries.set(keyOf(declarations), { name, declarations, from, page: pageOf(name, declarations[0], from) });
    }
  }
  return [...entries.values()];
}

/** The declaration that says it: of `createScene: typeof createHere` that of createHere. @param {Declaration} declaration */
function spelledOut(declaration) {
  const type = declaration.node.declarations?.[0]?.id?.typeAnnotation?.typeAnnotation;
  if (type?.type !== 'TSTypeQuery' || type.exprName.type !== 'Identifier') return [declaration];
  const meant = meantBy({ file: declaration.file, name: type.exprName.name });
  return meant.length > 0
    ? meant.map((each) => ({ ...each, text: each.text.replace(each.name, declaration.name) }))
    : [declaration];
}

/** @param {Declaration[]} declarations */
function signatureOf(declarations) {
  const texts = declarations
    .flatMap(spelledOut)
    .map(({ text }) => text.replaceAll(/^( {4})+/gm, (spaces) => spaces.slice(spaces.length / 2)));
  return `\`\`\`ts\n${texts.join('\n')}\n\`\`\``;
}

/** @type {Record<string, string>} */
const TITLES = { param: 'Parameters', returns: 'Returns', throws: 'Throws' };

/** @param {string} comment */
function documentation(comment) {
  const { text, tags } = parseComment(comment);
  const parts = text === '' ? [] : [prose(text)];
  for (const [tag, title] of Object.entries(TITLES)) {
    const points = tags.filter((each) => each.tag === tag).map((each) => prose(each.text.replaceAll(/\s+/g, ' ')));
    const shown = tag === 'param' ? points.map((point) => point.replace(/^(\S+)\s+(?:- )?/, '`$1`: ')) : points;
    if (shown.length === 1 && tag !== 'param') parts.push(`**${title}** ${shown[0]}`);
    else if (shown.length > 0) parts.push(`**${title}**\n\n${shown.map((point) => `- ${point}`).join('\n')}`);
  }
  const examples = tags.filter(({ tag }) => tag === 'example').map((each) => exampleOf(each.text));
  return [...parts, ...examples.map((example) => `\`\`\`js\n${example}\n\`\`\``)];
}

/** @param {string} heading @param {Declaration[]} declarations @param {string} from @param {string} level */
function sectionOf(heading, declarations, from, level) {
  const source = `src/${sourceOf(declarations[0].file)}`;
  const comment = declarations.find((each) => each.comment !== '')?.comment ?? '';
  return [
    `${level} ${heading}`,
    ...(from === '' ? [] : [`From \`${from}\`.`]),
    signatureOf(declarations),
    ...documentation(comment),
    `Source: [${source}](../../../${source})`,
  ].join('\n\n');
}

const KINDS = ['TSDeclareFunction', 'FunctionDeclaration', 'ClassDeclaration', 'VariableDeclaration'];

/** @param {Entry} entry */
const isType = ({ declarations }) => !KINDS.includes(declarations[0].node.type);

/** Records that are handed on, not looked into: nobody who uses them writes what they are made of. */
const OPAQUE = new Set(
  'Asset Representation GeometryImage KdopTree ObbTree VoxelSet FrepObject OpenGpu PoseDevice CubeDevice GpuDevice Workers'.split(
    ' ',
  ),
);

/** Types that those of a page name, and that nobody exports. @param {Entry[]} entries @param {Set<string>} told */
function namedOnly(entries, told) {
  /** @type {Declaration[]} */
  const found = [];
  const queue = entries.flatMap(({ declarations }) => declarations.flatMap(spelledOut));
  for (const declaration of queue) {
    if (OPAQUE.has(declaration.name)) continue;
    for (const type of typesIn(declaration)) {
      if (told.has(keyOf([type])) || OPAQUE.has(type.name)) continue;
      told.add(keyOf([type]));
      found.push(type);
      queue.push(type);
    }
  }
  return found;
}

/** @param {Entry[]} entries @param {Set<string>} told */
function pageText(entries, told) {
  const [{ page }] = entries;
  const values = entries.filter((entry) => !isType(entry));
  const types = entries.filter(isType);
  const rest = namedOnly(entries, told);
  const sections = (/** @type {Entry[]} */ list) =>
    list.map((entry) => sectionOf(headingOf(entry), entry.declarations, entry.from, '##'));
  return `${[
    `# ${page.title}`,
    `${page.about} [All pages](../api.md).`,
    ...sections(values),
    ...sections(types),
    ...(rest.length > 0
      ? ['## Types that these name', 'They have no name to import: write the records as they are.']
      : []),
    ...rest.map((declaration) => sectionOf(declaration.name, [declaration], '', '###')),
  ].join('\n\n')}\n`;
}

const HEAD = `# The library, name by name

\`npm run reference\` makes these pages of the types and their comments. [The library](../library.md)
tells what to use when. Every example runs in the tests; one that imports nothing finds every name of
\`gicollide\`, \`readFile\` and \`writeFile\` of \`node:fs/promises\`, \`bytes\` (of \`assets/bunny.obj\`), and
\`bunny\` and \`blob\`, OBB trees of two meshes.`;

/** A heading: several doors have a `build`. @param {Entry} entry */
const headingOf = ({ name, from, page }) => (page.page === 'parts' ? `${name} (${from})` : name);

/** @param {Entry} entry */
const linkOf = (entry) =>
  `[\`${entry.name}\`](api/${entry.page.page}.md#${headingOf(entry)
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')})`;

/** @param {Entry} entry */
function pointOf(entry) {
  const { declarations, from } = entry;
  const comment = declarations.find((each) => each.comment !== '')?.comment ?? '';
  const told = firstSentence(comment) === '' ? '' : `: ${firstSentence(comment)}`;
  const source = from === '' ? '' : ` (\`${from}\`)`;
  return `- ${linkOf(entry)}${source}${told}`;
}

/** The pages, by their names in docs/reference. @returns {Map<string, string>} */
export function apiReference() {
  const entries = allEntries();
  const told = new Set(entries.map(({ declarations }) => keyOf(declarations)));
  /** @type {Map<string, string>} */
  const pages = new Map();
  const list = [];
  for (const page of PAGES) {
    const order = page.names?.split(' ') ?? [];
    const placeOf = (/** @type {Entry} */ { name }) => (order.includes(name) ? order.indexOf(name) : order.length);
    const own = entries.filter((entry) => entry.page === page).sort((a, b) => placeOf(a) - placeOf(b));
    if (own.length === 0) continue;
    pages.set(`api/${page.page}.md`, pageText(own, told));
    const values = own.filter((entry) => !isType(entry)).map(pointOf);
    const types = own.filter(isType).map(linkOf);
    list.push(`## [${page.title}](api/${page.page}.md)`, page.about);
    if (values.length > 0) list.push(values.join('\n'));
    if (types.length > 0) list.push(`Types: ${types.join(', ')}.`);
  }
  pages.set('api.md', `${[HEAD, ...list].join('\n\n')}\n`);
  return pages;
}
