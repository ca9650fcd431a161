// The pages docs/reference/api*.md: all exports of the package, from their types and documentation
// comments. It reads dist/*.d.ts, so dist must be compiled.
import { readFileSync } from 'node:fs';
import { PAGES } from './api-pages.mjs';
import { exampleOf, firstSentence, parseComment, prose } from './comment.mjs';
import { exportedAs, meantBy, namesOf, typesIn } from './declarations.mjs';

/** @typedef {import('./declarations.mjs').Declaration} Declaration */

/**
 * @typedef {object} Entry an export
 * @property {string} name
 * @property {Declaration[]} declarations several for overloads
 * @property {string} from the imports that have it, or '' for `gicollide`
 * @property {typeof PAGES[number]} page
 */

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/**
 * Entries of the package that have types: import specifier and file in dist. An entry for browsers
 * follows the one for Node, because it repeats most of it.
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

/** All exports, each once, from the first entry that has it. @returns {Entry[]} */
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

/**
 * Resolves `typeof`: for `createScene: typeof createHere` the declaration of createHere.
 *
 * @param {Declaration} declaration
 */
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

/** Types that users only pass on. Their members need no description. */
const OPAQUE = new Set(
  'Asset Representation GeometryImage KdopTree ObbTree VoxelSet FrepObject OpenGpu PoseDevice CubeDevice GpuDevice Workers'.split(
    ' ',
  ),
);

/**
 * Types without an export that the types of a page refer to.
 *
 * @param {Entry[]} entries
 * @param {Set<string>} told keys of the types that were described before
 */
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
      ? ['## Types without an export', 'The types above refer to these. You cannot import them; write plain objects.']
      : []),
    ...rest.map((declaration) => sectionOf(declaration.name, [declaration], '', '###')),
  ].join('\n\n')}\n`;
}

const HEAD = `# The library, name by name

All functions and types of the library, by topic. [The library](../library.md) tells you which to
use. \`npm run reference\` makes these pages from the types and their comments.

All examples run in the tests. An example without imports can use:

- every export of \`gicollide\`;
- \`readFile\` and \`writeFile\` of \`node:fs/promises\`;
- \`bytes\`: the content of \`assets/bunny.obj\`;
- \`bunny\` and \`blob\`: OBB trees of two meshes.`;

/** A heading. Several entries have a `build`. @param {Entry} entry */
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
